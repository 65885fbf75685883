import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Post, Properties } from '../../src-main/contract/posts.ts';
import type { Profile } from '../../src-main/contract/settings.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { linkTagsOf } from '../../src-main/owner/setup.ts';
import type { PostReader } from '../../src-main/site/reader.ts';
import { siteRoutes } from '../../src-main/site/site.ts';

export const ann: Profile = {
  me: 'https://ann.example/',
  name: 'Ann',
  url: '',
  photo: 'https://ann.example/me.jpg',
  email: '',
};

const when = '2026-11-21T14:05:00.000Z';

/** A public post at `/posts/2026/11/<slug>`. */
export function postOf(properties: Properties, over: Partial<Post> & { slug?: string } = {}): Post {
  const { slug = 'one', ...rest } = over;
  return {
    path: `/posts/2026/11/${slug}`,
    type: ['h-entry'],
    properties,
    commands: {},
    status: 'published',
    visibility: 'public',
    createdAt: when,
    updatedAt: when,
    deletedAt: null,
    ...rest,
  };
}

/** `posts`: newest first. `moved`: old paths and new ones. */
export function memoryPosts(
  posts: readonly Post[],
  moved: Readonly<Record<string, string>> = {},
): PostReader {
  /** A cursor is the path of the post beside which the page ends. */
  const placeOf = (all: readonly Post[], cursor: string): number => {
    const place = all.findIndex(({ path }) => path === cursor);
    if (place === -1) throw new PorchlightError('invalid_request', 'This page of the list is not there.');
    return place;
  };
  return {
    get: (path) => Promise.resolve(posts.find((post) => post.path === path)),
    movedTo: (path) => Promise.resolve(moved[path]),
    async list({ limit, after, before, filter = {} }) {
      const all = posts.filter(
        (post) =>
          post.deletedAt === null &&
          (filter.status === undefined || post.status === filter.status) &&
          (filter.visibility === undefined || post.visibility === filter.visibility) &&
          (filter.category === undefined || post.properties['category']?.includes(filter.category) === true),
      );
      const end = before === undefined ? all.length : placeOf(all, before);
      const start =
        after === undefined ? Math.max(0, before === undefined ? 0 : end - limit) : placeOf(all, after) + 1;
      const items = all.slice(start, Math.min(end, start + limit));
      const last = items.at(-1);
      await Promise.resolve();
      return {
        items,
        ...(last && start + items.length < all.length && { after: last.path }),
        ...(items[0] && { before: items[0].path }),
      };
    },
  };
}

export interface SiteServer {
  readonly base: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** The site as the public app serves it, with these posts, on a free loopback port. */
export async function serveSite(
  reader: PostReader | readonly Post[],
  profile: Profile = ann,
): Promise<SiteServer> {
  let base = '';
  const posts = 'get' in reader ? reader : memoryPosts(reader);
  const routes = siteRoutes({
    posts,
    profile: () => profile,
    links: () => linkTagsOf(base),
    base: () => base,
  });
  const app = await buildPublicApp({
    log: pino({ level: 'silent' }),
    features: [routes],
    closing: () => undefined,
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    base,
    get: (path, init = {}) => fetch(new URL(path, base), { redirect: 'manual', ...init }),
    close: () => app.close(),
  };
}
