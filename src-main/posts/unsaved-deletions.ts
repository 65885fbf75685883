import type { Post } from '../contract/posts.ts';
import { categoriesOf } from './links.ts';
import { postKindOf } from './kind.ts';
import { isListed } from './visibility.ts';
import { type EndingRegister, filledPage } from '../storage/endings.ts';
import { storable } from '../storage/index/search-text.ts';
import type { Versions } from '../storage/caches.ts';
import type { OwnerPostStore } from './micropub/owner-post-store.ts';
import { postIsDeleted } from './address.ts';
import { postPlace } from './post-path.ts';
import type { ListKind, PostFilter, PostLists } from './post-store.ts';

/** A deletion that isn't on disk yet. */
interface Deletion {
  /** The post as it was before. */
  readonly post: Post;
  /** When it was deleted, in ms. */
  readonly at: number;
}

interface HoldOptions {
  readonly endings: EndingRegister;
  readonly versions: Pick<Versions, 'changed'>;
  /** Called with a deleted post whose deletion could not be saved at first, once it is on disk. */
  readonly saved: (post: Post, before: Post) => void;
}

/** The most posts of a month that are compared with a filter. */
const mostOfMonth = 1000;

/**
 * Makes deletions of posts apply at once, even if they can't be saved now. Everything that reads posts uses the
 * returned store.
 */
export function holdPostDeletions(store: OwnerPostStore, options: HoldOptions): OwnerPostStore {
  const deleted = options.endings.kind<Deletion>({
    write: (path, { at }) => store.setDeleted(path, true, at),
    changed: () => options.versions.changed('posts'),
    saved: (_path, { post, at }) => options.saved(deletedPost(post, at), post),
    words: (path) => `the post ${path} is deleted`,
  });

  /** Returns a post of the store as it counts now. */
  function current(post: Post): Post {
    const deletion = deleted.get(post.path);
    return deletion === undefined || post.deletedAt !== null ? post : deletedPost(post, deletion.at);
  }

  const isThere = ({ path }: Post) => deleted.get(path) === undefined;

  /** Refuses to change a post that is deleted. */
  function checkThere({ path }: Post): void {
    if (deleted.get(path) !== undefined) throw postIsDeleted();
  }

  async function get(path: string): Promise<Post | undefined> {
    const post = await store.get(path);
    return post && current(post);
  }

  /** Returns the posts whose deletion isn't on disk at all. */
  async function notWritten(): Promise<Post[]> {
    const found = await Promise.all([...deleted.all.keys()].map((path) => store.get(path)));
    return found.filter((post) => post !== undefined).filter(({ deletedAt }) => deletedAt === null);
  }

  /** Returns the lists of `store` without the posts whose deletion isn't on disk yet. */
  const listsOf = (store: PostLists): PostLists => {
    async function list(page: Parameters<PostLists['list']>[0]) {
      const { limit, offset, after, before, filter = {} } = page;
      if (deleted.all.size === 0 || limit < 1) return store.list(page);
      if (filter.deleted === true) {
        const found = await store.list(page);
        const isFirst = after === undefined && before === undefined && !offset;
        return isFirst ? { ...found, items: [...(await newIn(filter)), ...found.items] } : found;
      }
      const isBackwards = after === undefined && before !== undefined;
      let ends: Awaited<ReturnType<typeof store.list>> | undefined;
      const found = await filledPage(
        limit,
        async (most, cursor) => {
          const start = cursor === undefined ? { offset, after, before } : {};
          const at = cursor !== undefined && (isBackwards ? { before: cursor } : { after: cursor });
          const part = await store.list({ limit: most, filter, ...start, ...at });
          ends ??= part;
          return isBackwards
            ? { items: part.items.toReversed(), next: part.before }
            : { items: part.items, next: part.after };
        },
        isThere,
      );
      const [older, newer] = isBackwards ? [ends?.after, found.next] : [found.next, ends?.before];
      const items = isBackwards ? found.items.toReversed() : found.items;
      return {
        items,
        ...(older !== undefined && { after: older }),
        ...(newer !== undefined && items.length > 0 && { before: newer }),
      };
    }

    /** Returns the posts that belong to a list of deleted posts, but aren't in the store's list yet. */
    async function newIn(filter: PostFilter): Promise<Post[]> {
      const found: Post[] = [];
      for (const post of await notWritten()) {
        const month = postPlace(post.path)?.month;
        if (filter.month !== undefined && filter.month !== month) continue;
        const same = { ...filter, deleted: false, ...(month !== undefined && { month }) };
        const { items } = await store.list({ limit: mostOfMonth, filter: same });
        if (items.some(({ path }) => path === post.path)) found.push(current(post));
      }
      return found;
    }

    return {
      ...store,
      list,

      async categories(reader) {
        const names = await store.categories(reader);
        const doubtful = new Set((await notWritten()).flatMap((post) => listNames(post).category));
        const isUsed = async (name: string) => {
          const filter = { category: name, ...(reader && { readableBy: reader }) };
          return !doubtful.has(name) || (await list({ limit: 1, filter })).items.length > 0;
        };
        const used = await Promise.all(names.map(isUsed));
        return names.filter((_name, index) => used[index]);
      },

      async sizes(kind, now, name) {
        const sizes = await store.sizes(kind, now, name);
        const gone = (await notWritten())
          .filter((post) => isListed(post, now))
          .flatMap((post) => listNames(post)[kind]);
        if (gone.length === 0) return sizes;
        return sizes
          .map((size) => ({ ...size, count: size.count - gone.filter((one) => one === size.name).length }))
          .filter(({ count }) => count > 0);
      },

      async search(search) {
        if (deleted.all.size === 0) return store.search(search);
        const { items, next } = await filledPage(
          search.limit,
          async (limit, cursor) => {
            const part = await store.search({
              ...search,
              limit,
              ...(cursor !== undefined && { after: cursor }),
            });
            return { items: part.items, next: part.after };
          },
          isThere,
        );
        return { items, ...(next !== undefined && { after: next }) };
      },
    };
  };

  return {
    ...store,
    ...listsOf(store),
    soon: listsOf(store.soon),
    isSaved: (path) => deleted.isSaved(path),
    get,

    async setHome(path, edit) {
      return current(await store.setHome(path, (home, post) => edit(home, current(post))));
    },

    change: (path, edit, how) =>
      store.change(
        path,
        (content, before, kept) => {
          checkThere(before);
          return edit(content, before, kept);
        },
        how,
      ),

    restoreVersion: (path, id, { now, check }) =>
      store.restoreVersion(path, id, {
        now,
        check(before) {
          check(current(before));
          checkThere(before);
        },
      }),

    async renew(path, content, now, earlier) {
      const deletion = deleted.get(path);
      // The post can be replaced only once its deletion is on disk.
      if (deletion) await deleted.takeBack([path], () => store.setDeleted(path, true, deletion.at));
      return store.renew(path, content, now, earlier);
    },

    giveHome: async (path) => (deleted.get(path) && (await get(path))) ?? store.giveHome(path),

    async setDeleted(path, isDeleted, now) {
      const at = (await store.movedTo(path)) ?? path;
      const known = deleted.get(at);
      if (!isDeleted) {
        const undelete = () => store.setDeleted(at, false, now);
        return known ? deleted.takeBack([at], undelete) : undelete();
      }
      const post = known?.post ?? (await store.get(at));
      if (post === undefined || (post.deletedAt !== null && !known)) return store.setDeleted(at, true, now);
      const deletion = known ?? { post, at: now };
      const written = () => store.setDeleted(at, true, deletion.at);
      return (await deleted.end(new Map([[at, deletion]]), written)) ?? deletedPost(post, deletion.at);
    },
  };
}

function deletedPost(post: Post, at: number): Post {
  const moment = new Date(at).toISOString();
  return { ...post, deletedAt: moment, updatedAt: moment };
}

/** Returns the names of the lists that a post is in, by kind of list. */
function listNames(post: Post): Record<ListKind, string[]> {
  const month = postPlace(post.path)?.month;
  return {
    category: [...new Set(categoriesOf(post).map(storable))],
    kind: [postKindOf(post)],
    month: month === undefined ? [] : [month],
  };
}
