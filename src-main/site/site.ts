import type { Common } from '../http/common.ts';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { type Post, bridgyFed } from '../contract/posts.ts';
import type { SendRest } from '../http/error-answers.ts';
import type { Making, SharedAnswer } from '../http/kept-answers.ts';
import { type OwnerLook, type PublicAnswer, pageAnswer, redirectAnswer } from '../http/page.ts';
import { addressOfPage, isLiveAtHome, builtInUrl } from '../posts/address.ts';
import type { RenderMarkdown } from '../posts/post-reading.ts';
import type { EntryView } from '../posts/rendering/entry.ts';
import type { PostReader } from '../posts/rendering/reader.ts';
import { feedAt, homeList, hubAt, listAt, topicPath, topicPaths } from '../posts/rendering/site-list.ts';
import { isReadable } from '../posts/visibility.ts';
import { isPublicPage, foundPost } from './found-post.ts';
import { type Frame, linkHeader, markdownMarkup } from './frame.ts';
import {
  addListRoutes,
  listAnswers,
  requestPath,
  type SendAnswer,
  sendList,
  type ListAnswers,
  queryOf,
  spellingRedirect,
} from './list-routes.ts';
import { ownPageAt, ownPage } from './own-pages.ts';
import { ownerLook } from './owner-look.ts';
import { sitePreviews } from './preview.ts';
import { siteViews, type ViewDeps, type SiteViews } from './site-views.ts';
import { addSitemapRoutes } from './sitemap.ts';
import type { Html } from '../http/html.ts';
import { bridgedPaths } from '../platform/mailbox-protocol.ts';
import { subscribePath } from './subscribe-page.ts';
import { nothingPage, postPage, recentPosts, tombstonePage } from './post-page.ts';
import { responsePage, strangersTexts } from './responses.ts';

export interface SiteDeps extends ViewDeps, Pick<Common, 'kept' | 'base'> {
  /** Returns the current time in ms. Posts with a later publication date are not visible yet. */
  readonly now: () => number;
  /** Converts the Markdown of the owner's pages. */
  readonly markdown: RenderMarkdown;
  /** Returns whether Bridgy Fed answers for the site in the fediverse (default: never). */
  readonly isBridged?: () => boolean;
}

interface PostRequest {
  Params: { '*': string };
  Querystring: Record<'responses' | 'after' | 'q', unknown>;
}

export type Site = ReturnType<typeof createSite>;

/**
 * Creates the owner's public site: the home page, the owner's pages, posts, categories, feeds and the sitemap. It shows
 * the current content of the post store, so a change needs no publishing.
 */
export function createSite(deps: SiteDeps) {
  const { posts, media, kept, profile, settings, links, base, now, markdown } = deps;
  const views = siteViews(deps);
  const { frameOf, framedAnswer, viewOf, listViewOf, contentsOf } = views;
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
    ...posts,
    async list(options) {
      const found = await posts.list(options);
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

    /**
     * Returns whether a URL belongs to a public page: a page that always exists (such as the home page), one of the
     * owner's pages, a post (even under an earlier path), or a list with posts. The URL may be spelled in any way that
     * leads to the page (see addressOfPage).
     */
    isPublicPage: async (url: URL): Promise<boolean> => {
      const path = addressOfPage(base(), url.href);
      return ownPageAt(settings(), path) !== undefined || isPublicPage({ posts, now }, path);
    },

    /**
     * Sends one of the owner's pages, the page about feeds, or the redirect to Bridgy Fed. For any other path, sends the
     * 404 page if a person's browser sent the request, and otherwise sends nothing.
     */
    sendRest: restOf(deps, { send, lists, lost: answers.lost, textMarkup }),

    ...sitePreviews(deps, views),

    topic: topicReader(deps, views, topics),

    /** Returns the URLs of the WebSub topics that show a post. Also works for a post that isn't public. */
    topicsOf: (post: Post): string[] => topicPaths(post).map((path) => base() + path),

    /** Prepares the content of a changed post in advance, so that the first visitor doesn't wait for it. */
    prepare: async (post: Post): Promise<void> => {
      if (isReadable(post, now())) await contentsOf([post], base());
    },

    /** Returns the data needed to show a post outside this site. */
    viewOf: async (post: Post): Promise<EntryView> => viewOf([post], await frameOf(base())),

    /**
     * Returns the look of the site, for other pages of this server. `isEmbedded`: whether pages contain the owner's photo,
     * because they can't load it.
     */
    look: async (isEmbedded: boolean): Promise<OwnerLook> =>
      ownerLook(await frameOf(base()), isEmbedded ? await deps.photo(settings()) : null),
  };
}

/**
 * Returns a function that returns the current content of a WebSub topic (a feed, or the first page of a list that has
 * feeds). Leaves out posts whose own URLs aren't live yet.
 */
function topicReader({ base, now }: SiteDeps, { framedAnswer }: SiteViews, topics: ListAnswers) {
  return async (url: string): Promise<PublicAnswer | undefined> => {
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
  };
}

interface Answers {
  readonly send: SendAnswer;
  readonly lists: ListAnswers;
  readonly lost: (status: 404, frame: Frame) => SharedAnswer;
  readonly textMarkup: (text: string, frame: Frame) => Promise<Html | undefined>;
}

/** Creates the response to requests for paths without a route (see Site). */
function restOf(deps: SiteDeps, { send, lists, lost, textMarkup }: Answers): SendRest {
  const { settings, profile, base, links } = deps;

  /** Returns whether there may be a page at a path that has no route of its own in this spelling. */
  const isFixed = (path: string) =>
    ['/archive', '/search', subscribePath].includes(path) ||
    feedAt(path) !== undefined ||
    (profile().me !== null && ownPageAt(settings(), path) !== undefined);

  /** Returns the redirect with which Bridgy Fed answers for the site (RFC 7033, RFC 6415); undefined for other requests. */
  function bridgeRedirect(request: FastifyRequest): PublicAnswer | undefined {
    const path = requestPath(request);
    if (!bridgedPaths.includes(path) || deps.isBridged?.() !== true) return undefined;
    return redirectAnswer(new URL(path + queryOf(request), bridgyFed.uid).href, 301);
  }

  // The owner's pages have no route of their own, because it would match GET requests to every path with one segment, even
  // to paths that support only other HTTP methods. The page about feeds has none, because the owner may use its path.
  return async (request, reply, isVisit) => {
    const path = requestPath(request);
    const isOwn = profile().me !== null && ownPageAt(settings(), path) !== undefined;
    const isPage = isOwn || path === subscribePath;
    const redirect = isPage
      ? undefined
      : (bridgeRedirect(request) ?? spellingRedirect(request, base(), isFixed));
    if (redirect) {
      reply.header('link', linkHeader(links()));
      await send(request, reply, undefined, () => Promise.resolve(redirect));
      return true;
    }
    if (!isPage && !isVisit) return false;
    reply.header('link', linkHeader(links()));
    await send(request, reply, isPage ? path : undefined, async (making, frame) => {
      const found = isOwn ? ownPageAt(frame.info, path) : undefined;
      if (found === undefined) return isPage ? lists.subscribe(making, frame) : lost(404, frame);
      const text = await textMarkup(found.text, frame);
      return pageAnswer(ownPage(frame, found, text));
    });
    return true;
  };
}

/** Returns functions that answer requests for posts: with their pages, or with what is there in their place. */
function postAnswers(
  { posts, responses }: Pick<ViewDeps, 'posts' | 'responses'>,
  { framedAnswer, newest, viewOf, besideOf, responsesTo, askForCited }: SiteViews,
) {
  const textOf = strangersTexts();

  /** Returns the page for visitors who follow a link to missing (404) or deleted (410) content. */
  function lost(status: 404 | 410, { base: at }: Frame): SharedAnswer {
    const page = status === 404 ? nothingPage : tombstonePage;
    return {
      sharedKey: `${at} ${status}`,
      make: (making) =>
        framedAnswer(making, at, async ({ now: time }, frame) => {
          const recent = await newest(recentPosts, time);
          return pageAnswer(page(await viewOf(recent, frame), recent), { status });
        }),
    };
  }

  async function post(
    path: string,
    requested: unknown,
    making: Making,
    frame: Frame,
  ): Promise<PublicAnswer | SharedAnswer> {
    const found = await foundPost({ posts, now: () => making.now }, path);
    switch (found?.kind) {
      case 'post': {
        const { post: one } = found;
        askForCited([one], frame);
        const view = await viewOf([one], frame);
        const said = await responsePage(await responsesTo(one, making), requested, {
          picture(url, kind) {
            making.shows('pictures');
            return responses.picture(url, kind);
          },
          textOf,
        });
        const beside = await besideOf(one, making.now, frame);
        // Responses and other posts can change without changing the post's date. A page that shows them therefore has an
        // ETag, but no Last-Modified header.
        const isAlone = said.items.length === 0 && !beside.older && !beside.newer;
        return pageAnswer(postPage(view, one, said, beside), isAlone ? { changedAt: one.updatedAt } : {});
      }
      case 'gone':
        return lost(410, frame);
      case 'moved':
        return redirectAnswer(found.url ?? builtInUrl(frame.base, found.path), 301);
      case undefined:
        return lost(404, frame);
    }
  }

  /** Returns the response to a request for the path of a post with a slash at its end. `path`: without the slash. */
  async function slash(
    path: string,
    request: FastifyRequest,
    making: Making,
    frame: Frame,
  ): Promise<PublicAnswer | SharedAnswer> {
    const found = await foundPost({ posts, now: () => making.now }, path);
    if (found?.kind !== 'post') return post(path, undefined, making, frame);
    return redirectAnswer(builtInUrl(frame.base, found.post.path) + queryOf(request), 301);
  }

  return { post, slash, lost };
}
