import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import type { Post } from '../contract/posts.ts';
import type { Profile, Settings } from '../contract/settings.ts';
import type { LinkTag } from '../contract/setup.ts';
import type { KeptAnswers, Making } from '../http/kept-answers.ts';
import type { SendRest } from '../http/errors.ts';
import { pageAnswer, redirectAnswer, type PublicAnswer } from '../http/public-answer.ts';
import { mentionsOf } from '../mentions/mention.ts';
import { builtInUrl, isLiveAtHome, postUrls } from '../post/address.ts';
import { nobody } from '../post/inline-links.ts';
import { isListed, isReadable } from '../post/visibility.ts';
import { plainCitations } from './citation.ts';
import { createContents, shownContent, type Surroundings } from './contents.ts';
import type { EntryView } from './entry.ts';
import { foundPost, isPublicPage } from './found-post.ts';
import { linkHeader, type Frame } from './frame.ts';
import { listAnswers } from './list-answers.ts';
import type { ListView } from './list-page.ts';
import { addListRoutes, pathOf, sendList, type SendAnswer } from './list-routes.ts';
import { keepingLook } from './look.ts';
import { nothingPage, recentPosts, tombstonePage } from './lost-pages.ts';
import { ownPage, ownPageAt } from './own-pages.ts';
import type { ServedPhoto } from './owner-photo.ts';
import { postPage } from './post-page.ts';
import { examplePost, postPreview, sitePreview, type Preview } from './preview.ts';
import { listedBy, type MediaReader, type PostReader, type ResponseReader } from './reader.ts';
import { responseCounts, responsePage, wordsOfCounts } from './responses.ts';
import { shownIn } from './shown-media.ts';
import { markdownMarkup, siteInfo } from './site-info.ts';
import { feedAt, homeList, listAt } from './site-list.ts';
import { sitemapAnswer, sitemapPart } from './sitemap.ts';
import { strangersTexts } from './strangers-text.ts';
import { hubAt, topicPath, topicPaths } from './topics.ts';

export interface SiteDeps extends Surroundings {
  readonly posts: PostReader;
  readonly media: MediaReader;
  readonly responses: ResponseReader;
  readonly kept: KeptAnswers;
  readonly profile: () => Profile;
  readonly settings: () => Settings['site'];
  /** Returns the photo that the site shows with these settings; null if this server holds none. */
  readonly photo: (site: Pick<Settings['site'], 'photo'>) => Promise<ServedPhoto | null>;
  /** Returns the links with which apps and sites discover this server. They may depend only on `base`. */
  readonly links: () => readonly LinkTag[];
  /** Returns the public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns the current time in ms. Posts with a later publication date are not visible yet. */
  readonly now: () => number;
  /** Called with the URLs that the posts on a page respond to, so that those without a copy are fetched once. */
  readonly citedShown?: (urls: readonly string[]) => void;
}

/** The built-in site. It shows what the post store holds, so a change needs no publishing. */
export interface Site {
  readonly routes: FastifyPluginCallback;
  /**
   * Returns whether a URL is that of a public page: the front page, one of the owner's pages, a post (or its path before
   * it moved), or a category that has posts. Looks only at the URL's path.
   */
  isPublicPage(url: URL): Promise<boolean>;
  /** Sends one of the owner's pages or, to people, the page for an address at which this server has nothing. */
  readonly sendRest: SendRest;
  /** Prepares a changed post's content in advance, so that the first visitor doesn't wait for it. */
  prepare(post: Post): Promise<void>;
  /** Returns what is needed to show a post elsewhere. */
  viewOf(post: Post): Promise<EntryView>;
  /** Returns a post on its own page, without responses. */
  preview(post: Post): Promise<Preview>;
  /** Returns a page of the site as it would look with these settings. */
  previewSite(settings: Settings['site'], page: 'home' | 'post'): Promise<Preview>;
  /**
   * Returns the current content of a WebSub topic: a feed, or the first page of a list that has feeds. Leaves out posts
   * that aren't live at their own URLs yet.
   */
  topic(url: string): Promise<PublicAnswer | undefined>;
  /** Returns the URLs of the topics that show a post, whether or not it is public. */
  topicsOf(post: Post): string[];
}

const postsInPreview = 3;
/** The most characters in the cache of contents, about 16 MB: enough for twice the long articles of a feed. */
const keptCharacters = 12_000_000;

interface PostRequest {
  Params: { '*': string };
  Querystring: Record<'responses' | 'after' | 'before' | 'q', unknown>;
}

/** Creates the owner's public site: front page, the owner's pages, posts, categories, feeds and sitemap. */
export function createSite(deps: SiteDeps): Site {
  const { posts, media, responses, kept, profile, settings, links, base, now } = deps;
  const { personUrl = nobody, cited } = deps;
  const lookOf = keepingLook();
  const contents = createContents({ most: keptCharacters, personUrl, ...(cited && { cited }) });
  const textOf = strangersTexts();
  const page = { config: { page: true } };

  async function frameOf(at: string, site = settings()): Promise<Frame> {
    const info = siteInfo(site, { profile: profile(), photo: await deps.photo(site), base: at });
    return { base: at, author: info.author, zone: info.zone, links: links(), info, look: lookOf(site) };
  }

  /** Returns the newest posts that lists show. */
  async function newest(count: number, at: number): Promise<Post[]> {
    const { items } = await posts.list({ limit: count, filter: listedBy(at) });
    return items.filter((post) => isListed(post, at));
  }

  /** Makes a page for a visitor whom a link led astray. */
  async function lostAnswer(
    make: typeof nothingPage,
    status: 404 | 410,
    { making, frame }: { readonly making: Making; readonly frame: Frame },
  ): Promise<PublicAnswer> {
    const recent = await newest(recentPosts, making.now);
    return pageAnswer(make(await viewOf(recent, frame), recent), { status });
  }

  const send: SendAnswer = (request, reply, key, make) => {
    const at = base();
    return kept.send(request, reply, key === undefined ? undefined : `${at}${key}`, (making) =>
      framedAnswer(making, at, make),
    );
  };

  async function framedAnswer(
    making: Making,
    at: string,
    make: (making: Making, frame: Frame) => Promise<PublicAnswer>,
  ): Promise<PublicAnswer> {
    making.shows('posts', 'media', 'profile', 'people', 'cited');
    const frame = await frameOf(at);
    const next = await posts.nextPublication(making.now);
    if (next !== undefined) making.until(next);
    return make(making, frame);
  }

  /** Returns the URL of the WebSub topic that a request names; undefined if it names none. */
  function topicOf(request: FastifyRequest): string | undefined {
    const path = topicPath(request.url);
    return path === undefined ? undefined : base() + path;
  }

  /** Returns everything that a page with these posts needs, so that writing the page does not wait for anything. */
  async function viewOf(shown: readonly Post[], frame: Frame): Promise<Frame & EntryView> {
    const made = await contents.of(shown, frame.base);
    const lookup = await shownIn(shown, made, { base: frame.base, media });
    return {
      ...frame,
      shown: lookup,
      contentOf: (post) => made.get(post.path) ?? shownContent(post, frame.base, { personUrl }),
    };
  }

  /** Reads the responses to a post for an answer that is being made. */
  function responsesTo(post: Post, making: Making, { base: at }: EntryView) {
    const urls = postUrls(at, post);
    making.shows(...urls.map(mentionsOf));
    return responses.of(urls);
  }

  /** Has the pages that imported posts respond to fetched when somebody first sees such a post: they may be thousands. */
  function askForCited(shown: readonly Post[], frame: Frame): void {
    const urls = shown.flatMap(({ properties }) => plainCitations(properties, frame.base));
    if (urls.length > 0) deps.citedShown?.(urls);
  }

  async function listViewOf(listed: readonly Post[], making: Making, frame: Frame): Promise<ListView> {
    askForCited(listed, frame);
    const view = await viewOf(listed, frame);
    const told = await Promise.all(listed.map((post) => responsesTo(post, making, view)));
    const echoes = new Map(
      listed.map(({ path }, index) => [path, wordsOfCounts(responseCounts(told[index] ?? []))]),
    );
    return { ...view, echoOf: ({ path }) => echoes.get(path) };
  }

  const listsOf = (reader: PostReader) =>
    listAnswers({
      posts: reader,
      isSetUp: () => profile().me !== null,
      nothing: (making, frame) => lostAnswer(nothingPage, 404, { making, frame }),
      about: (frame) => markdownMarkup(settings().about, { base: frame.base, media }),
      ...{ viewOf, listViewOf },
    });
  const lists = listsOf(posts);
  /** What subscribers get: posts that aren't live at their own URLs yet are announced when they are. */
  const topics = listsOf({
    ...posts,
    async list(options) {
      const found = await posts.list(options);
      return { ...found, items: found.items.filter(isLiveAtHome) };
    },
  });

  async function postAnswer(
    path: string,
    wanted: unknown,
    making: Making,
    frame: Frame,
  ): Promise<PublicAnswer> {
    const found = await foundPost({ posts, now: () => making.now }, path);
    switch (found?.kind) {
      case 'post': {
        const { post } = found;
        askForCited([post], frame);
        const view = await viewOf([post], frame);
        const said = await responsePage(await responsesTo(post, making, view), wanted, {
          picture(url) {
            making.shows('pictures');
            return responses.picture(url);
          },
          textOf,
        });
        // Responses change without changing the post's date, so a page with responses has only an ETag.
        return pageAnswer(
          postPage(view, post, said),
          said.items.length === 0 ? { changedAt: post.updatedAt } : {},
        );
      }
      case 'gone':
        return lostAnswer(tombstonePage, 410, { making, frame });
      case 'moved':
        return redirectAnswer(found.url ?? builtInUrl(frame.base, found.path), 301);
      case undefined:
        return lostAnswer(nothingPage, 404, { making, frame });
    }
  }

  // The owner's pages are no routes: a route for any name would also answer for addresses that take other methods.
  const sendRest: Site['sendRest'] = async (request, reply, isVisit) => {
    const path = pathOf(request);
    const isOwn = profile().me !== null && ownPageAt(settings(), path) !== undefined;
    if (!isOwn && !isVisit) return false;
    reply.header('link', linkHeader(links()));
    await send(request, reply, isOwn ? path : undefined, async (making, frame) => {
      const found = isOwn ? ownPageAt(frame.info, path) : undefined;
      if (found === undefined) return lostAnswer(nothingPage, 404, { making, frame });
      const text = await markdownMarkup(found.text, { base: frame.base, media });
      return pageAnswer(ownPage(frame, found, text));
    });
    return true;
  };

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

    addListRoutes(app, send, lists);

    app.get<PostRequest>('/posts/*', page, (request, reply) => {
      const list = listAt(pathOf(request));
      if (list) return sendList(request, reply, list, lists, send);
      const path = `/posts/${request.params['*']}`;
      const { responses: wanted } = request.query;
      return send(request, reply, wanted === undefined ? path : undefined, (making, frame) =>
        postAnswer(path, wanted, making, frame),
      );
    });

    app.get('/sitemap.xml', (request, reply) =>
      send(request, reply, '/sitemap.xml', ({ now: at }, frame) =>
        sitemapAnswer(posts, { base: frame.base, at, pages: frame.info.pages }),
      ),
    );
    app.get<{ Params: { part: string } }>('/sitemap-:part(^\\d{1,6}).xml', (request, reply) => {
      const part = Number(request.params.part);
      return send(request, reply, `/sitemap-${part}.xml`, async (making, frame) => {
        const answer = await sitemapPart(posts, {
          base: frame.base,
          at: making.now,
          pages: frame.info.pages,
          part,
        });
        return answer ?? lostAnswer(nothingPage, 404, { making, frame });
      });
    });
    app.get('/robots.txt', (_request, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .send(`User-agent: *\nDisallow: /auth\n\nSitemap: ${base()}/sitemap.xml\n`),
    );
    done();
  };

  return {
    routes,
    async isPublicPage(url) {
      return ownPageAt(settings(), url.pathname) !== undefined || isPublicPage({ posts, now }, url);
    },

    sendRest,

    async topic(url) {
      const at = base();
      const path = url.startsWith(`${at}/`) ? topicPath(url.slice(at.length)) : undefined;
      if (path === undefined || at + path !== url) return undefined;
      const making: Making = { now: now(), shows: () => undefined, until: () => undefined };
      const answer = await framedAnswer(making, at, (_, frame) => {
        const feed = feedAt(path);
        return feed
          ? topics.feed(feed, undefined, making, frame)
          : topics.page(listAt(path) ?? homeList, {}, making, frame);
      });
      return (answer.status ?? 200) === 200 ? answer : undefined;
    },
    topicsOf: (post) => topicPaths(post).map((path) => base() + path),

    async preview(post) {
      const frame = await frameOf(base());
      return postPreview(post, await viewOf([post], frame), frame.look);
    },

    async previewSite(site, shown) {
      const frame = await frameOf(base(), site);
      const newestPosts = await newest(postsInPreview, now());
      const found = shown === 'post' && newestPosts.length === 0 ? [examplePost] : newestPosts;
      const about = await markdownMarkup(site.about, { base: frame.base, media });
      const view = { ...(await viewOf(found, frame)), echoOf: () => undefined };
      return sitePreview(view, { posts: found, about, shown, photo: await deps.photo(site) });
    },

    async prepare(post) {
      if (isReadable(post, now())) await contents.of([post], base());
    },

    viewOf: async (post) => viewOf([post], await frameOf(base())),
  };
}
