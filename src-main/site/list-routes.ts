import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Post } from '../contract/posts.ts';
import type { Html } from '../http/html.ts';
import type { Making, SharedAnswer } from '../http/kept-answers.ts';
import { pageAnswer, type PublicAnswer, redirectAnswer } from '../http/page.ts';
import { paceOf } from '../http/visitor-cost.ts';
import type { Pace } from '../platform/cost-budget.ts';
import { oneSpelling } from '../posts/address.ts';
import type { EntryView } from '../posts/rendering/entry.ts';
import type { ListSize } from '../posts/post-store.ts';
import { listedBy, type PostReader } from '../posts/rendering/reader.ts';
import {
  feedAt,
  feedFormats,
  feedOf,
  homeList,
  listAt,
  type SiteFeed,
  type SiteList,
} from '../posts/rendering/site-list.ts';
import { isListed } from '../posts/visibility.ts';
import { archivePage, categoriesPage, monthsMarkup } from './archive-page.ts';
import { feedText } from './feeds.ts';
import { feedNames, type Frame } from './frame.ts';
import { homePage, type ListView, type PostListing, postListPage } from './list-page.ts';
import { firstStartPage } from './post-page.ts';
import { searchFormPage, searchQuery, searchResultsPage } from './search-page.ts';
import { subscribePage } from './subscribe-page.ts';

/**
 * Sends a response that shows posts. `key`: the cache key; without a key, the response is not cached. A key must be a
 * URL to which the site links. Strangers can request any number of other URLs, which would fill the cache.
 */
export type SendAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | undefined,
  make: (making: Making, frame: Frame) => Promise<PublicAnswer | SharedAnswer>,
) => Promise<FastifyReply>;

interface ListRequest {
  Querystring: Record<'after' | 'q', unknown>;
}

/** Adds the routes for the pages and feeds that list posts. */
export function addListRoutes(
  app: FastifyInstance,
  { send, answers, base }: { send: SendAnswer; answers: ListAnswers; base: () => string },
): void {
  const page = { config: { page: true } };

  const sendNothing = (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, undefined, (_making, frame) => Promise.resolve(answers.nothing(frame)));

  function sendFeed(request: FastifyRequest<ListRequest>, reply: FastifyReply, feed: SiteFeed) {
    const after = requestedCursor(request.query.after);
    return send(request, reply, after === undefined ? feed.path : undefined, (making, frame) =>
      answers.feed(feed, after, making, frame),
    );
  }

  /** Sends the list page or the feed at the request's path, or redirects to the one spelling of the path. */
  function sendAt(request: FastifyRequest<ListRequest>, reply: FastifyReply): Promise<FastifyReply> {
    const path = requestPath(request);
    const redirect = spellingRedirect(request, base(), (one) => isTidied(path, one));
    if (redirect) return send(request, reply, undefined, () => Promise.resolve(redirect));
    const feed = feedAt(path);
    if (feed) return sendFeed(request, reply, feed);
    const list = listAt(path);
    return list ? sendList(request, reply, list, answers, send) : sendNothing(request, reply);
  }

  app.get<ListRequest>('/', page, (request, reply) => sendList(request, reply, homeList, answers, send));
  app.get<ListRequest>('/categories/*', page, sendAt);
  app.get<ListRequest>('/kinds/*', page, sendAt);
  for (const feed of feedFormats.map((format) => feedOf(homeList, format)))
    app.get<ListRequest>(feed.path, (request, reply) => sendFeed(request, reply, feed));

  app.get('/archive', page, (request, reply) =>
    send(request, reply, '/archive', (making, frame) => answers.archive(making, frame)),
  );
  app.get('/categories', page, (request, reply) =>
    send(request, reply, '/categories', (making, frame) => answers.categories(making, frame)),
  );
  app.get<ListRequest>('/search', page, (request, reply) => {
    const { q, after } = request.query;
    return send(request, reply, undefined, (making, frame) =>
      answers.search({ q, after: requestedCursor(after) }, paceOf(request), making, frame),
    );
  });
}

/**
 * Returns whether `path` is the right spelling of `asked`, a list or feed with a trailing slash, or with another name of
 * a feed. A path with other escapes needs no redirect.
 */
function isTidied(asked: string, path: string): boolean {
  if (feedAt(path) !== undefined) return feedAt(asked) === undefined;
  return asked.endsWith('/') && (path === '/categories' || listAt(path) !== undefined);
}

/**
 * Sends the requested page of a list. If the URL only lacks the trailing slash of the list's path, redirects to that
 * path.
 */
export function sendList(
  request: FastifyRequest<ListRequest>,
  reply: FastifyReply,
  list: SiteList,
  answers: ListAnswers,
  send: SendAnswer,
): Promise<FastifyReply> {
  if (`${requestPath(request)}/` === list.path)
    return send(request, reply, undefined, () =>
      Promise.resolve(redirectAnswer(list.path + queryOf(request), 301)),
    );
  const after = requestedCursor(request.query.after);
  return send(request, reply, after === undefined ? list.path : undefined, (making, frame) =>
    answers.page(list, after, making, frame),
  );
}

interface ListAnswersDeps {
  readonly posts: PostReader;
  /** Returns whether the owner has set up the server. */
  readonly isSetUp: () => boolean;
  readonly viewOf: (shown: readonly Post[], frame: Frame) => Promise<Frame & EntryView>;
  /** Returns the page-not-found response. */
  readonly nothing: (frame: Frame) => SharedAnswer;
  /** Returns the owner's text about themselves. */
  readonly about: (frame: Frame) => Promise<Html | undefined>;
  readonly listViewOf: (listed: readonly Post[], making: Making, frame: Frame) => Promise<ListView>;
}

const postsInFeed = 30;
const resultsOnPage = 20;

export type ListAnswers = ReturnType<typeof listAnswers>;

/** Creates the functions that respond with many posts: lists, feeds, the archive, categories and searches. */
export function listAnswers({ posts, isSetUp, viewOf, nothing, about, listViewOf }: ListAnswersDeps) {
  return {
    /** Returns a page of a list, or a 404 response if the list has no posts. */
    async page(
      list: SiteList,
      after: string | undefined,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer | SharedAnswer> {
      const isHome = list.kind === 'home';
      if (isHome && !isSetUp()) return pageAnswer(firstStartPage(frame));
      const listing = await listingOf(posts, list, after, making.now);
      if (!isHome && listing.items.length === 0) return nothing(frame);
      const view = await listViewOf(listing.items, making, frame);
      if (isHome) return pageAnswer(homePage(view, listing, await about(frame)));
      const { year } = list.filter;
      // Only the first page shows the number of posts in each month, so that a new post doesn't change the other pages.
      const isFirst = listing.newer === undefined;
      const intro =
        year !== undefined && isFirst
          ? monthsMarkup(year, await posts.sizes('month', making.now))
          : undefined;
      return pageAnswer(postListPage(view, list, listing, intro));
    },

    /** Returns a page of a feed, or a 404 response if its list has no posts. The home page's feed can be empty. */
    async feed(
      feed: SiteFeed,
      after: string | undefined,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer | SharedAnswer> {
      const { list, format, path } = feed;
      const found = await posts.list({
        limit: postsInFeed,
        ...(after !== undefined && { after }),
        filter: { ...listedBy(making.now), ...list.filter },
        isBegun: true,
      });
      const open = found.items.filter((post) => isListed(post, making.now));
      if (open.length === 0 && list.kind !== 'home') return nothing(frame);
      const at = (cursor: string | undefined) =>
        cursor === undefined ? undefined : `${path}?after=${encodeURIComponent(cursor)}`;
      const page = { feed, path: at(after) ?? path, next: at(found.after) };
      const { text, modified } = feedText(page, open, await viewOf(open, frame));
      return {
        type: `${feedNames[format].type}; charset=utf-8`,
        text,
        ...(modified > 0 && { headers: { 'last-modified': new Date(modified).toUTCString() } }),
      };
    },

    async archive({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      const [months, kinds] = await Promise.all([posts.sizes('month', now), posts.sizes('kind', now)]);
      const articles = await newestArticles(posts, now);
      return pageAnswer(archivePage(frame, { months, kinds, articles }));
    },

    async subscribe({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      return pageAnswer(subscribePage(frame, await posts.sizes('kind', now)));
    },

    async categories({ now }: Making, frame: Frame): Promise<PublicAnswer> {
      return pageAnswer(categoriesPage(frame, await posts.sizes('category', now)));
    },

    /**
     * Returns search results. For an empty or invalid query, returns only the search form. `pace`: divides the search
     * into small steps, so that other work can run between them.
     */
    async search(
      { q, after }: { q: unknown; after: string | undefined },
      pace: Pace,
      making: Making,
      frame: Frame,
    ): Promise<PublicAnswer> {
      const query = searchQuery(q);
      const { texts, problem } = query;
      if (texts.length === 0)
        return pageAnswer(searchFormPage(frame, query), { status: problem === undefined ? 200 : 400 });
      const found = await posts.search({ texts, limit: resultsOnPage, after, now: making.now, pace });
      const items = found.items.filter((post) => isListed(post, making.now));
      const older =
        found.after === undefined
          ? {}
          : { older: `/search?${new URLSearchParams({ q: query.query, after: found.after }).toString()}` };
      const view = await listViewOf(items, making, frame);
      return pageAnswer(searchResultsPage(view, query, { items, ...older }, after === undefined));
    },

    nothing,
  };
}

/** How many titles the archive has at most, and how many posts it reads before other work gets a chance to run. */
const inArchive = { most: 200, atOnce: 25 };

/** Returns the newest articles at `now` (ms), newest first. */
async function newestArticles(posts: PostReader, now: number): Promise<Post[]> {
  const filter = { ...listedBy(now), kind: 'article' } as const;
  const found: Post[] = [];
  for (let after: string | undefined; found.length < inArchive.most;) {
    const page = await posts.list({
      limit: inArchive.atOnce,
      ...(after !== undefined && { after }),
      filter,
      isBegun: true,
    });
    found.push(...page.items.filter((post) => isListed(post, now)));
    after = page.after;
    if (after === undefined) break;
    await setImmediate();
  }
  return found;
}

/**
 * The number of posts on a page of a list. Every page except the first has `most` posts, counted from the oldest post,
 * so that a new post changes only the first page. The first page has all remaining posts, between `fewest` and `fewest
 * + most - 1`.
 */
const perPage = { most: 20, fewest: 10 };

/** Returns the cursor in a query parameter. A repeated parameter counts as absent. */
function requestedCursor(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns one page of a list at `now` (ms): the page after a cursor, or the first page.
 * @throws PorchlightError `invalid_request` for an invalid cursor
 */
export async function listingOf(
  posts: PostReader,
  list: SiteList,
  after: string | undefined,
  now: number,
): Promise<PostListing> {
  const { path } = list;
  const filter = { ...listedBy(now), ...list.filter };
  const url = (cursor: string) => `${path}?after=${encodeURIComponent(cursor)}`;

  /** Returns the URL of the next newer page. `cursor`: the cursor of the current page. */
  async function newerThan(cursor: string): Promise<string> {
    const page = (limit: number) => posts.list({ limit, before: cursor, filter, isBegun: true });
    // `page` returns only posts before the cursor. The post at the cursor is the last post of the next newer page, so
    // it is subtracted here.
    const rest = perPage.most + perPage.fewest - 1;
    if ((await page(rest)).items.length < rest) return path;
    const { before } = await page(perPage.most);
    return before === undefined ? path : url(before);
  }

  const size = after === undefined ? await sizeOf(posts, list, now) : undefined;
  if (size === 0) return { items: [] };
  const limit = size === undefined ? perPage.most : firstOf(size);
  const found = await posts.list({ limit, ...(after !== undefined && { after }), filter, isBegun: true });
  return {
    items: found.items.filter((post) => isListed(post, now)),
    ...(found.after !== undefined && { older: url(found.after) }),
    ...(after !== undefined && { newer: await newerThan(after) }),
  };
}

/** Returns the number of posts on the first page of a list. */
function firstOf(size: number): number {
  const { most, fewest } = perPage;
  return size < most + fewest ? most + fewest : fewest + ((size - fewest) % most);
}

/** Returns the number of posts in a list. */
async function sizeOf(posts: PostReader, { kind, filter }: SiteList, now: number): Promise<number> {
  const { category, year = '', month } = filter;
  const sum = (sizes: readonly ListSize[]) => sizes.reduce((all, { count }) => all + count, 0);
  if (kind === 'home') return sum(await posts.sizes('kind', now));
  if (kind === 'kind') return sum(await posts.sizes('kind', now, filter.kind));
  if (kind === 'category') return sum(await posts.sizes('category', now, category));
  if (month !== undefined) return sum(await posts.sizes('month', now, month));
  return sum((await posts.sizes('month', now)).filter(({ name }) => name.startsWith(`${year}/`)));
}

/** Returns the path of a request, percent-encoded, without its query. */
export const requestPath = (request: FastifyRequest): string => request.url.split('?', 1)[0] ?? '';

/** Returns the query of a request with its question mark; an empty string if there is none. */
export function queryOf(request: FastifyRequest): string {
  const at = request.url.indexOf('?');
  return at === -1 ? '' : new URL(request.url.slice(at), 'http://localhost').search;
}

/**
 * Returns the redirect to the one spelling of the requested path: without a trailing slash, or with this site's own name
 * of a feed. The query stays, because it can lead to a page of a list. Returns undefined if the path is spelled right,
 * or if there can be no page at the path. The redirect always leads to `base`, this server's public origin.
 */
export function spellingRedirect(
  request: FastifyRequest,
  base: string,
  isPage: (path: string) => boolean,
): PublicAnswer | undefined {
  const asked = requestPath(request);
  const path = oneSpelling(asked);
  const isOther = path !== asked && !path.startsWith('//') && isPage(path);
  return isOther ? redirectAnswer(base + path + queryOf(request), 301) : undefined;
}
