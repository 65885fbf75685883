import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { Params } from '../contract/contract.ts';
import type { Post } from '../contract/posts.ts';
import type { Settings } from '../contract/settings.ts';
import type { SendRest } from '../http/error-answers.ts';
import type { KeptAnswers, Making } from '../http/kept-answers.ts';
import type { OwnerLook, PublicAnswer } from '../http/page.ts';
import { addressOfPage, isLiveAtHome } from '../posts/address.ts';
import type { RenderMarkdown } from '../posts/markdown-rendering.ts';
import type { EntryView } from '../posts/rendering/entry.ts';
import type { PostReader } from '../posts/rendering/reader.ts';
import { feedAt, homeList, hubAt, listAt, topicPath, topicPaths } from '../posts/rendering/site-list.ts';
import { isReadable } from '../posts/visibility.ts';
import { isPublicPage } from './found-post.ts';
import { type Frame, linkHeader, markdownMarkup } from './frame.ts';
import { addListRoutes, listAnswers, requestPath, type SendAnswer, sendList } from './list-routes.ts';
import { ownPageAt } from './own-pages.ts';
import { ownerLook } from './owner-look.ts';
import { postAnswers } from './post-answers.ts';
import { sitePreviews, type Preview } from './preview.ts';
import { restOf } from './rest.ts';
import { siteViews, type ViewDeps } from './site-views.ts';
import { addSitemapRoutes } from './sitemap.ts';

export interface SiteDeps extends ViewDeps {
  /** The same posts as `posts`, whose lists wait until they know all posts (default: `posts`). */
  readonly waitingPosts?: PostReader;
  readonly kept: KeptAnswers;
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns the current time in ms. Posts with a later publication date are not visible yet. */
  readonly now: () => number;
  /** Converts the Markdown of the owner's pages. */
  readonly markdown: RenderMarkdown;
  /** Returns whether Bridgy Fed answers for the site in the fediverse (default: never). */
  readonly isBridged?: () => boolean;
}

/** The built-in site. It shows the current content of the post store, so a change needs no publishing. */
export interface Site {
  readonly routes: FastifyPluginCallback;
  /**
   * Returns whether a URL belongs to a public page: a page that always exists (such as the home page), one of the
   * owner's pages, a post (even under an earlier path), or a list with posts. The URL may be spelled in any way that
   * leads to the page (see addressOfPage).
   */
  isPublicPage(url: URL): Promise<boolean>;
  /**
   * Sends one of the owner's pages, the page about feeds, or the redirect to Bridgy Fed. For any other path, sends the
   * 404 page if a person's browser sent the request, and otherwise sends nothing.
   */
  readonly sendRest: SendRest;
  /** Prepares the content of a changed post in advance, so that the first visitor doesn't wait for it. */
  prepare(post: Post): Promise<void>;
  /** Returns the data needed to show a post outside this site. */
  viewOf(post: Post): Promise<EntryView>;
  /** Returns a preview of a post's own page, without responses. */
  preview(post: Post): Promise<Preview>;
  /** Returns a preview of a page of the site with these settings. */
  previewSite(settings: Settings['site'], page: Params<'site.preview'>['page']): Promise<Preview>;
  /**
   * Returns the current content of a WebSub topic (a feed, or the first page of a list that has feeds). Leaves out
   * posts whose own URLs aren't live yet.
   */
  topic(url: string): Promise<PublicAnswer | undefined>;
  /**
   * Returns the look of the site, for other pages of this server. `isEmbedded`: whether pages contain the owner's photo,
   * because they can't load it.
   */
  look(isEmbedded: boolean): Promise<OwnerLook>;
  /** Returns the URLs of the WebSub topics that show a post. Also works for a post that isn't public. */
  topicsOf(post: Post): string[];
}

interface PostRequest {
  Params: { '*': string };
  Querystring: Record<'responses' | 'after' | 'q', unknown>;
}

/** Creates the owner's public site: the home page, the owner's pages, posts, categories, feeds and the sitemap. */
export function createSite(deps: SiteDeps): Site {
  const { posts, waitingPosts = posts, media, kept, profile, settings, links, base, now, markdown } = deps;
  const views = siteViews(deps);
  const { frameOf, framedAnswer, viewOf, listViewOf, contents } = views;
  const answers = postAnswers(deps, views);
  const page = { config: { page: true } };

  const send: SendAnswer = (request, reply, key, make) => {
    const at = base();
    return kept.send(request, reply, key === undefined ? undefined : `${at}${key}`, (making) =>
      framedAnswer(making, at, make),
    );
  };

  /** Returns the URL of the WebSub topic that a request reads; undefined if the URL isn't a topic. */
  function topicOf(request: FastifyRequest): string | undefined {
    const path = topicPath(request.url);
    return path === undefined ? undefined : base() + path;
  }

  /** Returns the markup of a text that the owner wrote for the site. */
  const textMarkup = (text: string, { base: at, appearance }: Frame) =>
    markdownMarkup(text, { base: at, media, markdown, pictures: { column: appearance.column } });

  const listsOf = (reader: PostReader) =>
    listAnswers({
      posts: reader,
      isSetUp: () => profile().me !== null,
      nothing: (frame) => answers.lost(404, frame),
      about: (frame) => textMarkup(settings().about, frame),
      viewOf,
      listViewOf,
    });
  const lists = listsOf(posts);
  /** The lists for WebSub subscribers. They leave out posts that aren't live at their own URLs yet. */
  const topics = listsOf({
    ...waitingPosts,
    async list(options) {
      const found = await waitingPosts.list(options);
      return { ...found, items: found.items.filter(isLiveAtHome) };
    },
  });

  const routes: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      const topic = topicOf(request);
      const own =
        topic === undefined
          ? []
          : [
              { rel: 'hub', href: hubAt(base()) },
              { rel: 'self', href: topic },
            ];
      reply.header('link', linkHeader([...links(), ...own]));
      next();
    });

    addListRoutes(app, { send, answers: lists, base });

    app.get<PostRequest>('/posts/*', page, (request, reply) => {
      const list = listAt(requestPath(request));
      if (list) return sendList(request, reply, list, lists, send);
      const path = `/posts/${request.params['*']}`.replace(/\/$/, '');
      const { responses: requested } = request.query;
      if (requestPath(request).endsWith('/'))
        return send(request, reply, undefined, (making, frame) =>
          answers.slash(path, request, making, frame),
        );
      return send(request, reply, requested === undefined ? path : undefined, (making, frame) =>
        answers.post(path, requested, making, frame),
      );
    });

    addSitemapRoutes(app, {
      posts,
      base,
      send,
      nothing: (frame) => answers.lost(404, frame),
    });
    done();
  };

  return {
    routes,
    async isPublicPage(url) {
      const path = addressOfPage(base(), url.href);
      return ownPageAt(settings(), path) !== undefined || isPublicPage({ posts: waitingPosts, now }, path);
    },

    sendRest: restOf(deps, { send, lists, lost: answers.lost, textMarkup }),
    ...sitePreviews(deps, views),

    async topic(url) {
      const at = base();
      const path = url.startsWith(`${at}/`) ? topicPath(url.slice(at.length)) : undefined;
      if (path === undefined || at + path !== url) return undefined;
      const making: Making = { now: now(), shows: () => undefined, until: () => undefined };
      const answer = await framedAnswer(making, at, (_, frame) => {
        const feed = feedAt(path);
        return feed
          ? topics.feed(feed, undefined, making, frame)
          : topics.page(listAt(path) ?? homeList, undefined, making, frame);
      });
      return 'sharedKey' in answer ? undefined : answer;
    },
    topicsOf: (post) => topicPaths(post).map((path) => base() + path),

    async prepare(post) {
      if (isReadable(post, now())) await contents.of([post], base());
    },

    viewOf: async (post) => viewOf([post], await frameOf(base())),

    look: async (isEmbedded) =>
      ownerLook(await frameOf(base()), isEmbedded ? await deps.photo(settings()) : null),
  };
}
