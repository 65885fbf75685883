import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Profile } from '../contract/settings.ts';
import type { LinkTag } from '../contract/setup.ts';
import { sendSitePage, sendText } from './answer.ts';
import { authorOf } from './author.ts';
import { categoryPath } from './entry.ts';
import { feedText, feedTypes, type FeedFormat } from './feeds.ts';
import { linkHeader, type Frame } from './frame.ts';
import { sendFirstStart } from './home.ts';
import { categoryPage, homePage, type Listing } from './list-page.ts';
import { nothingPage, postPage, tombstonePage } from './post-page.ts';
import type { PostReader } from './reader.ts';
import { isListed, isReadable, isTombstone, listed } from './visibility.ts';

export interface SiteDeps {
  readonly posts: PostReader;
  readonly profile: () => Profile;
  /** The links by which apps and sites find this server. */
  readonly links: () => readonly LinkTag[];
  /** The public origin, without a slash at its end. */
  readonly base: () => string;
}

const postsOnPage = 20;
const postsInFeed = 30;

/** The only addresses that the reader is asked for: none climbs out of where posts are. */
const postPath = /^\/posts\/\d{4}\/\d\d\/(?!\.)[^/\\\0]+$/;

interface Cursors {
  Querystring: { after?: unknown; before?: unknown };
}

/** The owner's own site: front page, posts, categories and feeds, for everybody to read. */
export function siteRoutes({ posts, profile, links, base }: SiteDeps): FastifyPluginCallback {
  const frame = (): Frame => ({ base: base(), author: authorOf(profile(), base()), links: links() });
  const page = { config: { page: true } };

  /** One page of a list; null where what is newer is the first page, which has its own address. */
  async function listing(
    { query }: FastifyRequest<Cursors>,
    path: string,
    category?: string,
  ): Promise<Listing | null> {
    const after = cursorOf(query.after);
    const before = after === undefined ? cursorOf(query.before) : undefined;
    const found = await posts.list({
      limit: postsOnPage,
      ...(after !== undefined && { after }),
      ...(before !== undefined && { before }),
      filter: { ...listed, ...(category !== undefined && { category }) },
    });
    if (before !== undefined && found.items.length < postsOnPage) return null;
    const at = (name: string, cursor: string) => `${path}?${name}=${encodeURIComponent(cursor)}`;
    const isFirst = after === undefined && before === undefined;
    return {
      items: found.items.filter(isListed),
      ...(found.after !== undefined && { older: at('after', found.after) }),
      ...(!isFirst && { newer: found.before === undefined ? path : at('before', found.before) }),
    };
  }

  async function sendPost(request: FastifyRequest, reply: FastifyReply, path: string): Promise<FastifyReply> {
    const post = postPath.test(path) ? await posts.get(path) : undefined;
    if (post && isReadable(post))
      return sendSitePage(request, reply, postPage(frame(), post), { changedAt: post.updatedAt });
    if (post && isTombstone(post))
      return sendSitePage(request, reply, tombstonePage(frame()), { status: 410 });
    const moved = post || !postPath.test(path) ? undefined : await posts.movedTo(path);
    const there = moved === undefined ? undefined : await posts.get(moved);
    // The new address of a draft or a private post is nobody's to know.
    if (moved !== undefined && there && (isReadable(there) || isTombstone(there)))
      return reply.header('cache-control', 'no-cache').redirect(new URL(moved, base()).href, 301);
    return sendSitePage(request, reply, nothingPage(frame()), { status: 404 });
  }

  return (app, _options, done) => {
    app.addHook('onRequest', (_request, reply, next) => {
      reply.header('link', linkHeader(links()));
      next();
    });

    app.get<Cursors>('/', page, async (request, reply) => {
      if (profile().me === null) return sendFirstStart(reply, links());
      const list = await listing(request, '/');
      if (list === null) return reply.header('cache-control', 'no-cache').redirect('/', 302);
      return sendSitePage(request, reply, homePage(frame(), list));
    });

    app.get<{ Params: { '*': string } }>('/posts/*', page, (request, reply) =>
      sendPost(request, reply, `/posts/${request.params['*']}`),
    );

    app.get<Cursors & { Params: { '*': string } }>('/categories/*', page, async (request, reply) => {
      const category = request.params['*'];
      const path = categoryPath(category);
      const list = category === '' ? undefined : await listing(request, path, category);
      if (list === null) return reply.header('cache-control', 'no-cache').redirect(path, 302);
      return list === undefined || list.items.length === 0
        ? sendSitePage(request, reply, nothingPage(frame()), { status: 404 })
        : sendSitePage(request, reply, categoryPage(frame(), category, list));
    });

    for (const format of ['atom', 'rss', 'json'] as const satisfies readonly FeedFormat[]) {
      app.get(`/feed.${format}`, async (request, reply) => {
        const { items } = await posts.list({ limit: postsInFeed, filter: listed });
        const text = feedText(format, items.filter(isListed), frame());
        return sendText(request, reply, { type: feedTypes[format], text });
      });
    }
    done();
  };
}

/** A repeated parameter is no cursor. */
function cursorOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
