import { PorchlightError } from '../../src-main/contract/error.ts';
import type { Post } from '../../src-main/contract/posts.ts';
import { mediaIn } from '../../src-main/posts/post-media.ts';
import { titleInWords } from '../../src-main/posts/content-text.ts';
import { postKindOf } from '../../src-main/posts/kind.ts';
import type { ListKind, PostFilter, PostStore } from '../../src-main/posts/post-store.ts';
import { publishedOf } from '../../src-main/posts/visibility.ts';

/** The URL on the owner's own site of the post with a slug. */
export const homeUrl = (slug: string) => `https://marlow.example/notes/${slug}/`;

/**
 * Posts without a disk. What goes in and comes out is a copy, as it is with rows. With `homes`, public posts get URLs of
 * their own on the owner's site.
 */
export function memoryPosts({ homes = false } = {}): PostStore & { readonly size: () => number } {
  const posts = new Map<string, Post>();
  const moves = new Map<string, string>();
  let made = 0;

  const free = (slug: string): string => {
    const path = `/posts/2026/11/${slug}`;
    return posts.has(path) || moves.has(path) ? free(`${slug}-2`) : path;
  };
  const cleaned = (slug: string) => slug.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const found = (path: string): Post => {
    const post = posts.get(path);
    if (!post) throw new PorchlightError('invalid_request', 'There is no such post.');
    return post;
  };
  const save = (post: Post): Post => {
    posts.set(post.path, structuredClone(post));
    return structuredClone(post);
  };
  /** Gives a post that is at a path its home, or the next one. */
  const housed = (post: Post): Post => {
    const { path, home, status, visibility } = post;
    const isPublic = status === 'published' && visibility !== 'private';
    if (!homes || (!isPublic && home === undefined)) return post;
    const url = homeUrl(path.split('/').at(-1) ?? '');
    const former = home && home.url !== url ? [home.url, ...home.former] : (home?.former ?? []);
    return { ...post, home: { url, file: 'notes/post.md', former, written: {}, liveAt: null } };
  };
  const housedAt = (url: string) =>
    [...posts.values()].find(({ home }) => home && [home.url, ...home.former].includes(url));
  const newest = () => [...posts.values()].sort((a, b) => (dateOf(a) < dateOf(b) ? 1 : -1));

  return {
    size: () => posts.size,
    progress: () => undefined,

    async create(content, { slug, now, createdBy }) {
      made += 1;
      const at = new Date(now).toISOString();
      const path = free(cleaned(slug ?? `post-${made}`));
      const post = { path, ...content, createdAt: at, updatedAt: at, deletedAt: null };
      return Promise.resolve(save(housed(createdBy === undefined ? post : { ...post, createdBy })));
    },

    get: (path) => Promise.resolve(structuredClone(posts.get(path))),
    movedTo: (path) => Promise.resolve(moves.get(path)),
    atHome: (url) => Promise.resolve(housedAt(url)?.path),
    pageAt: (address) => moves.get(address) ?? housedAt(address)?.path ?? address,
    homeUrl: (path) => posts.get(path)?.home?.url,
    titleOf: (path) => titleInWords(posts.get(path)?.properties ?? {}) || undefined,
    async setHome(path, edit) {
      const { home: before, ...rest } = found(path);
      const home = edit(structuredClone(before), { ...rest, ...(before && { home: before }) });
      return Promise.resolve(save({ ...rest, ...(home && { home }) }));
    },

    async change(path, edit, { slug, now }) {
      const before = found(path);
      const { type, properties, commands, status, visibility, markdown } = structuredClone(before);
      const content = edit(
        { type, properties, commands, status, visibility, ...(markdown !== undefined && { markdown }) },
        before,
        null,
      );
      const { markdown: _old, ...rest } = before;
      const wish = slug === undefined ? undefined : `/posts/2026/11/${cleaned(slug)}`;
      const next = wish === undefined || wish === path ? path : free(cleaned(slug ?? ''));
      if (next !== path) {
        posts.delete(path);
        moves.set(path, next);
      }
      return Promise.resolve(
        save(housed({ ...rest, ...content, path: next, updatedAt: new Date(now).toISOString() })),
      );
    },

    async setDeleted(path, deleted, now) {
      return Promise.resolve(
        save({ ...found(path), deletedAt: deleted ? new Date(now).toISOString() : null }),
      );
    },

    async list({ limit, offset = 0, after, before, filter = {} }) {
      const all = newest().filter((post) => passes(post, filter));
      const older = after === undefined ? 0 : all.findIndex(({ path }) => path === after) + 1;
      const end = before === undefined ? all.length : all.findIndex(({ path }) => path === before);
      const start = before === undefined ? older + offset : Math.max(0, end - limit);
      const items = all.slice(start, Math.min(start + limit, end));
      const [first, last] = [items[0], items.at(-1)];
      return Promise.resolve({
        items: structuredClone(items),
        ...(first && { before: first.path }),
        ...(last && all.at(-1) !== last && { after: last.path }),
      });
    },

    async categories(reader) {
      const shown = newest().filter((post) => passes(post, reader ? { readableBy: reader } : {}));
      const used = shown.flatMap(({ properties }) => properties['category'] ?? []);
      return Promise.resolve([...new Set(used.filter((one) => typeof one === 'string'))]);
    },

    async sizes(list, now, requested) {
      const filter = { readableBy: { app: '', now } };
      const names = newest()
        .filter((post) => passes(post, filter))
        .flatMap((post) => listNames(post)[list]);
      const counts = new Map(names.map((name) => [name, names.filter((other) => other === name).length]));
      const sizes = [...counts].map(([name, count]) => ({ name, count }));
      return Promise.resolve(sizes.filter(({ name }) => name === (requested ?? name)));
    },
    async search({ texts, limit, now }) {
      const found = newest().filter((post) =>
        texts.every((text) => passes(post, { text, readableBy: { app: '', now } })),
      );
      return Promise.resolve({ items: structuredClone(found.slice(0, limit)) });
    },
    nextPublication: () => Promise.resolve(undefined),
    neighbours: () => Promise.resolve({ older: undefined, newer: undefined }),
    cursorsEvery: () => Promise.resolve([]),
  };
}

function dateOf({ properties, createdAt }: Post): string {
  const published = properties['published']?.[0];
  return typeof published === 'string' ? published : createdAt;
}

/** The lists in which a public post is. */
export function listNames(post: Post): Record<ListKind, string[]> {
  const categories = (post.properties['category'] ?? []).filter((one) => typeof one === 'string');
  return {
    category: [...new Set(categories)],
    kind: [postKindOf(post)],
    month: [post.path.slice('/posts/'.length, '/posts/2026/11'.length)],
  };
}

/** Whether a filter lets a post pass, by what the post itself says. */
export function passes(post: Post, filter: PostFilter): boolean {
  const { kind, status, visibility, text, publishedBy = Infinity, publishedAfter = -Infinity } = filter;
  const { name = [], content = [], category = [] } = post.properties;
  const { at } = publishedOf(post.properties, Date.parse(post.createdAt));
  return (
    (post.deletedAt !== null) === (filter.deleted ?? false) &&
    (kind === undefined || postKindOf(post) === kind) &&
    (status === undefined || post.status === status) &&
    (visibility === undefined || post.visibility === visibility) &&
    (filter.category === undefined || category.includes(filter.category)) &&
    (filter.readableBy === undefined ||
      post.createdBy === filter.readableBy.app ||
      (post.status === 'published' && post.visibility === 'public' && at <= filter.readableBy.now)) &&
    at <= publishedBy &&
    at > publishedAfter &&
    post.path.startsWith(`/posts/${filter.month ?? filter.year ?? ''}`) &&
    post.path.startsWith(`/posts/${filter.year ?? ''}`) &&
    (filter.uses === undefined || mediaIn(post.properties).includes(filter.uses)) &&
    (text === undefined ||
      [...name, ...content, ...category].some(
        (value) => typeof value === 'string' && value.toLowerCase().includes(text.toLowerCase()),
      ))
  );
}
