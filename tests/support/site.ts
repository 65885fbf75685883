import type { AddressInfo } from 'node:net';
import type { FastifyPluginCallback } from 'fastify';
import { pino } from 'pino';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Post, Properties } from '../../src-main/contract/posts.ts';
import { postKindOf } from '../../src-main/posts/kind.ts';
import { isListed, publishedAt } from '../../src-main/posts/visibility.ts';
import type { Profile, Settings } from '../../src-main/contract/settings.ts';
import { buildPublicApp } from '../../src-main/http/app.ts';
import { linkTagsOf } from '../../src-main/address/public-address.ts';
import type {
  MediaReader,
  PostReader,
  ResponseReader,
  ShownMedia,
} from '../../src-main/posts/rendering/reader.ts';
import { createSite, type Site, type SiteDeps } from '../../src-main/site/site.ts';
import { keepNothing } from './keep-nothing.ts';
import { listNames, passes } from './memory-posts.ts';
import { markdownHere } from './folder-reading.ts';

export const ann: Profile = {
  me: 'https://ann.example/',
  name: 'Ann',
  url: '',
  photo: 'https://ann.example/me.jpg',
  email: '',
};

/** The settings of a site that its owner hasn't changed, with times in UTC. */
export const plainSite: Settings['site'] = {
  title: '',
  tagline: '',
  about: '',
  photo: '',
  replyEmail: '',
  accent: '',
  timeZone: 'UTC',
  links: [],
  pages: [],
  theme: 'porch',
  css: '',
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
    sizes(list, now, requested) {
      const names = posts.filter((post) => isListed(post, now)).flatMap((post) => listNames(post)[list]);
      const counts = new Map(names.map((name) => [name, names.filter((other) => other === name).length]));
      const sizes = [...counts].map(([name, count]) => ({ name, count }));
      return Promise.resolve(sizes.filter(({ name }) => name === (requested ?? name)));
    },
    search: ({ texts, limit, now }) =>
      Promise.resolve({
        items: posts
          .filter((post) => isListed(post, now) && texts.every((text) => passes(post, { text })))
          .slice(0, limit),
      }),
    nextPublication: (now) => {
      const later = posts.map(publishedAt).filter((at) => at > now);
      return Promise.resolve(later.length === 0 ? undefined : Math.min(...later));
    },
    neighbours: (path, now) => {
      const listed = posts.filter((post) => isListed(post, now));
      const at = listed.findIndex((post) => post.path === path);
      return Promise.resolve({
        older: at === -1 ? undefined : listed[at + 1],
        newer: at === -1 ? undefined : listed[at - 1],
      });
    },
    cursorsEvery: (count, now) => {
      const listed = posts.filter((post) => isListed(post, now)).map(({ path }) => path);
      return Promise.resolve(
        listed.filter((_, index) => (index + 1) % count === 0 && index + 1 < listed.length),
      );
    },
    async list({ limit, after, before, filter = {} }) {
      const all = posts.filter(
        (post) =>
          post.deletedAt === null &&
          (filter.status === undefined || post.status === filter.status) &&
          (filter.publishedBy === undefined || publishedAt(post) <= filter.publishedBy) &&
          (filter.visibility === undefined || post.visibility === filter.visibility) &&
          (filter.kind === undefined || postKindOf(post) === filter.kind) &&
          post.path.startsWith(`/posts/${filter.month ?? filter.year ?? ''}`) &&
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

const types: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  webm: 'video/webm',
};

/**
 * Knows every file below `/media/` of any origin, by its ending, 1200 by 900 pixels where it is a picture; none whose
 * name begins with `lost`. `copies`: addresses elsewhere, and the paths of their copies.
 */
export function memoryMedia(copies: Readonly<Record<string, string>> = {}): MediaReader {
  const fileAt = (path: string): ShownMedia | undefined => {
    const type = types[path.split('.').at(-1) ?? ''];
    if (type === undefined || !path.startsWith('/media/') || path.includes('/lost')) return undefined;
    const [width, height] = type.startsWith('image/') ? [1200, 900] : [null, null];
    return { path, type, bytes: 4321, width, height };
  };
  return { shown: (url) => Promise.resolve(fileAt(copies[url] ?? new URL(url).pathname)) };
}

/** Nobody said anything. */
const noResponses: ResponseReader = {
  of: () => Promise.resolve([]),
  picture: () => Promise.resolve(undefined),
};

export interface SiteServer {
  readonly base: string;
  readonly site: Site;
  get(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** Two days after the posts of these tests were made. */
export const twoDaysLater = Date.parse('2026-11-23T14:05:00.000Z');

interface Serving {
  readonly profile?: Profile;
  readonly settings?: Partial<Settings['site']>;
  readonly photo?: SiteDeps['photo'];
  readonly media?: MediaReader;
  readonly responses?: ResponseReader;
  readonly now?: () => number;
  /** What is served beside the site. */
  readonly beside?: FastifyPluginCallback;
}

/** The site as the public app serves it, with these posts, on a free loopback port. */
export async function serveSite(
  reader: PostReader | readonly Post[],
  {
    profile = ann,
    settings = {},
    photo = () => Promise.resolve(null),
    media = memoryMedia(),
    responses = noResponses,
    now = () => twoDaysLater,
    beside,
  }: Serving = {},
): Promise<SiteServer> {
  let base = '';
  const site = createSite({
    markdown: markdownHere,
    posts: 'get' in reader ? reader : memoryPosts(reader),
    media,
    responses,
    kept: keepNothing(now),
    profile: () => profile,
    settings: () => ({ ...plainSite, ...settings }),
    photo,
    links: () => linkTagsOf(base),
    base: () => base,
    now,
  });
  const app = await buildPublicApp({
    log: pino({ level: 'silent' }),
    features: [site.routes, ...(beside ? [beside] : [])],
    closing: () => undefined,
    sendRest: site.sendRest,
    ownerLook: () => site.look(false),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  return {
    base,
    site,
    get: (path, init = {}) => fetch(new URL(path, base), { redirect: 'manual', ...init }),
    close: () => app.close(),
  };
}
