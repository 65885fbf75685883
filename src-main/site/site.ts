import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Post } from '../contract/posts.ts';
import type { Profile } from '../contract/settings.ts';
import type { LinkTag } from '../contract/setup.ts';
import { sendSitePage, sendText } from './answer.ts';
import { siteAuthor } from './author.ts';
import { shownContent, createContents } from './contents.ts';
import { addressOf, categoryPath, type EntryView } from './entry.ts';
import { feedTypes, type FeedFormat } from './feeds.ts';
import { linkHeader, type Frame } from './frame.ts';
import { foundPost, isPublicPage } from './found-post.ts';
import { sendFirstStart } from './home.ts';
import { keptFeeds } from './kept-feeds.ts';
import { categoryPage, homePage, type PostListing, type ListView } from './list-page.ts';
import { nothingPage, postPage, tombstonePage } from './post-page.ts';
import type { Publisher } from './publisher.ts';
import { listedBy, type MediaReader, type PostReader, type ResponseReader } from './reader.ts';
import { responseCounts, responsePage, wordsOfCounts } from './responses.ts';
import { shownIn } from './shown-media.ts';
import { sitemapRoutes } from './sitemap.ts';
import { strangersTexts } from './strangers-text.ts';
import { isListed } from '../post/visibility.ts';

export interface SiteDeps {
  readonly posts: PostReader;
  readonly media: MediaReader;
  readonly responses: ResponseReader;
  readonly profile: () => Profile;
  /** The links with which apps and sites discover this server. */
  readonly links: () => readonly LinkTag[];
  /** The public origin, without a trailing slash. */
  readonly base: () => string;
  /** Returns the current time in ms. Posts with a later publication date are not visible yet. */
  readonly now: () => number;
}

/** The built-in site: a publisher that serves the posts. */
export interface Site extends Publisher {
  readonly routes: FastifyPluginCallback;
  /**
   * Returns whether a URL is that of a public page: the front page, a post (or its path before it moved), or a category
   * that has posts. Looks only at the URL's path.
   */
  isPublicPage(url: URL): Promise<boolean>;
}

const postsOnPage = 20;
const postsInFeed = 30;

/** The most characters in the cache of contents, about 16 MB: enough for twice the long articles of a feed. */
const keptCharacters = 12_000_000;
/** The most bytes of a feed's text to cache, in each of the three formats: thirty articles of 200 KB fit. */
const keptFeedBytes = 8_000_000;

interface Cursors {
  Querystring: { after?: unknown; before?: unknown };
}

interface PostRequest {
  Params: { '*': string };
  Querystring: { responses?: unknown };
}

/** Creates the owner's public site: front page, posts, categories, feeds and sitemap. */
export function createSite({ posts, media, responses, profile, links, base, now }: SiteDeps): Site {
  const contents = createContents({ most: keptCharacters });
  const textOf = strangersTexts();
  const feeds = keptFeeds({ most: keptFeedBytes });
  const frame = (): Frame => ({ base: base(), author: siteAuthor(profile(), base()), links: links() });
  const page = { config: { page: true } };

  /** Returns everything that a page with these posts needs, so that writing the page does not wait for anything. */
  async function viewOf(shownPosts: readonly Post[]): Promise<Frame & EntryView & { mediaVersion: string }> {
    const at = frame();
    const made = await contents.of(shownPosts, at.base);
    const found = await shownIn(shownPosts, made, { base: at.base, media });
    return { ...at, ...found, contentOf: (post) => made.get(post.path) ?? shownContent(post, at.base) };
  }

  /** Returns one page of a list; null if the requested newer page is the first page, which has a URL of its own. */
  async function listing(
    request: FastifyRequest<Cursors>,
    path: string,
    category?: string,
  ): Promise<PostListing | null> {
    const { query } = request;
    const after = cursorOf(query.after);
    const before = after === undefined ? cursorOf(query.before) : undefined;
    const found = await posts.list({
      limit: postsOnPage,
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      filter: { ...listedBy(now()), ...(category !== undefined && { category }) },
    });
    if (before !== undefined && found.items.length < postsOnPage) return null;
    const at = (name: string, cursor: string) => `${path}?${name}=${encodeURIComponent(cursor)}`;
    const isFirst = after === undefined && before === undefined;
    return {
      items: found.items.filter((post) => isListed(post, now())),
      ...(found.after !== undefined && { older: at('after', found.after) }),
      ...(!isFirst && { newer: found.before === undefined ? path : at('before', found.before) }),
    };
  }

  async function listViewOf(listed: readonly Post[]): Promise<ListView> {
    const view = await viewOf(listed);
    const told = await Promise.all(listed.map((post) => responses.of(addressOf(post, view))));
    const echoes = new Map(
      listed.map(({ path }, index) => [path, wordsOfCounts(responseCounts(told[index] ?? []))]),
    );
    return { ...view, echoOf: ({ path }) => echoes.get(path) };
  }

  async function sendPost(
    request: FastifyRequest<PostRequest>,
    reply: FastifyReply,
    path: string,
  ): Promise<FastifyReply> {
    const found = await foundPost({ posts, now }, path);
    switch (found?.kind) {
      case 'post': {
        const { post } = found;
        const view = await viewOf([post]);
        const said = await responsePage(await responses.of(addressOf(post, view)), request.query.responses, {
          picture: (url) => responses.picture(url),
          textOf,
        });
        // Responses change without changing the post's date, so a page with responses has only an ETag.
        const changed = said.items.length === 0 ? { changedAt: post.updatedAt } : {};
        return sendSitePage(request, reply, postPage(view, post, said), changed);
      }
      case 'gone':
        return sendSitePage(request, reply, tombstonePage(frame()), { status: 410 });
      case 'moved':
        return reply.header('cache-control', 'no-cache').redirect(new URL(found.path, base()).href, 301);
      case undefined:
        return sendSitePage(request, reply, nothingPage(frame()), { status: 404 });
    }
  }

  const routes: FastifyPluginCallback = (app, _options, done) => {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('link', linkHeader(links()));
      next();
    });

    app.get<Cursors>('/', page, async (request, reply) => {
      if (profile().me === null) return sendFirstStart(reply, links());
      const list = await listing(request, '/');
      if (list === null) return reply.header('cache-control', 'no-cache').redirect('/', 302);
      return sendSitePage(request, reply, homePage(await listViewOf(list.items), list));
    });

    app.get<PostRequest>('/posts/*', page, (request, reply) =>
      sendPost(request, reply, `/posts/${request.params['*']}`),
    );

    app.get<Cursors & { Params: { '*': string } }>('/categories/*', page, async (request, reply) => {
      const category = request.params['*'];
      const path = categoryPath(category);
      const list = category === '' ? undefined : await listing(request, path, category);
      if (list === null) return reply.header('cache-control', 'no-cache').redirect(path, 302);
      return list === undefined || list.items.length === 0
        ? sendSitePage(request, reply, nothingPage(frame()), { status: 404 })
        : sendSitePage(request, reply, categoryPage(await listViewOf(list.items), category, list));
    });

    for (const format of ['atom', 'rss', 'json'] as const satisfies readonly FeedFormat[]) {
      app.get(`/feed.${format}`, async (request, reply) => {
        const { items } = await posts.list({
          limit: postsInFeed,
          filter: listedBy(now()),
        });
        const open = items.filter((post) => isListed(post, now()));
        const text = feeds.text(format, open, await viewOf(open));
        return sendText(request, reply, { type: feedTypes[format], text });
      });
    }
    app.register(sitemapRoutes({ posts, base, now }));
    done();
  };

  function forget({ path }: Post): void {
    contents.drop(path);
    feeds.drop();
  }

  return {
    name: 'Your site',
    routes,
    isPublicPage: (url) => isPublicPage({ posts, now }, url),

    async publish(post) {
      forget(post);
      await contents.of([post], base());
    },

    remove(post) {
      forget(post);
      return Promise.resolve();
    },
  };
}

/** Returns a cursor parameter; a repeated parameter counts as absent. */
function cursorOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
