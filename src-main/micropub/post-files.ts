import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { stampOf } from '../storage/index/file-stamp.ts';
import { updateForGood, type Document } from '../storage/document.ts';
import { openPostDocument, type PostDocument, type StoredPost } from './post-document.ts';
import { postIndex, postTables, type PostIndex } from './post-index.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { Recovery } from '../storage/recovery.ts';
import { reconcilePosts } from './post-reconcile.ts';
import { numberedSlug } from './slug.ts';

const openDocuments = 200;

export interface PostFilesOptions extends Pick<
  DurableFileOptions<unknown>,
  'onRecovered' | 'now' | 'operations'
> {
  /** The folder that contains all posts. */
  dir: string;
  index: IndexDatabase;
  log?: Pick<Log, 'warn'> | undefined;
}

/** The documents of posts, and their index. A change is written to the document first, and then to the index. */
export interface PostFiles {
  read(place: PostPlace): Promise<PostDocument>;
  /** Stores a new post under a slug that no other post has or had: `wish`, or `wish` with a number. */
  add(month: string, wish: string, post: StoredPost): Promise<PostPlace>;
  replace(place: PostPlace, post: StoredPost): Promise<void>;
  /** Moves a post to another place and leaves a redirect at its old place. */
  move(from: PostPlace, to: { month: string; wish: string }, post: StoredPost): Promise<PostPlace>;
  /** Resolves with the index once it agrees with the documents. */
  index(): Promise<PostIndex>;
  /** Stops comparing the index with the documents. */
  close(): Promise<void>;
}

/** Returns whether the public may not read a post. If so, no older version of the post may ever return. */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

const empty: PostDocument = { post: null, movedTo: null, movedFrom: null };

/** Opens the posts in `dir`. If the index cannot be trusted, starts comparing it with the documents at once. */
export function createPostFiles({ dir, index, log, onRecovered, ...rest }: PostFilesOptions): PostFiles {
  const fileOf = ({ month, slug }: PostPlace) => join(dir, month, `${slug}.json`);
  /** Open documents, by path. */
  const documents = boundedCache(openDocuments, openAt);
  const rows = postIndex(index);
  const closing = new AbortController();
  /** Paths that are being assigned to new posts. */
  const reserved = new Set<string>();
  /** The slug that was assigned last, and its number: an app may send many posts that begin alike. */
  let latest = { month: '', base: '', turn: 0 };
  /** Places whose row in the index could not be written, by path. */
  const missed = new Map<string, PostPlace>();
  /** The changes of the index that share the next transaction. */
  let group: ReturnType<typeof newGroup> | undefined;
  /**
   * Paths that have changed since the running comparison began, and for which its results are therefore out of date.
   * Undefined while no comparison is running.
   */
  let touched: Set<string> | undefined;
  /**
   * False until all documents have been read and compared with the index. If one could not be read, the index stays
   * untrusted, and the server compares again at its next start.
   */
  let isWhole = index.isTrusted(postTables);
  let compared = index.isTrusted(postTables) ? Promise.resolve() : compare();
  compared.catch(() => undefined);

  async function openAt(path: string): Promise<Document<PostDocument>> {
    const place = postPlace(path);
    if (place === undefined) throw new TypeError(`No post can be at ${path}.`);
    const recoveries: Recovery[] = [];
    const document = await openPostDocument({
      ...rest,
      file: fileOf(place),
      // The index knows every name that begins like this one, except that of a file that was just put there manually.
      isNew: reserved.has(path) && !existsSync(fileOf(place)),
      ...(onRecovered && {
        onRecovered(recovery) {
          recoveries.push(recovery);
          return onRecovered(recovery);
        },
      }),
    });
    if (recoveries.length > 0) await follow(place, document);
    return document;
  }

  async function compare(): Promise<void> {
    touched = new Set();
    try {
      const whole = await reconcilePosts({
        ...{ dir, rows, log, signal: closing.signal, index },
        isTouched: (place) => touched?.has(postPath(place)) ?? false,
        open: read,
        settle: finishMove,
      });
      isWhole = whole;
      index.setTrusted(postTables, isWhole && missed.size === 0);
    } finally {
      touched = undefined;
    }
  }

  /** Resolves once the index agrees with the documents, and so knows all taken slugs and everything that lists show. */
  async function agreed(): Promise<void> {
    await compared.catch(() => {
      compared = compare();
      return compared;
    });
    for (const [path, place] of [...missed]) await documents.use(path, (document) => follow(place, document));
  }

  const read = (place: PostPlace) => documents.use(postPath(place), ({ data }) => data);

  /** Changes a document, then its row in the index. */
  function write(
    place: PostPlace,
    change: (draft: PostDocument) => void,
    save: typeof updateForGood = (document, edit) => document.update(edit),
  ): Promise<void> {
    return documents.use(postPath(place), async (document) => {
      try {
        await save(document, change);
      } catch (error) {
        // A deletion is saved twice. If only the second save fails, the document says that the post is deleted.
        index.versions.changed('posts');
        throw error;
      }
      await follow(place, document);
    });
  }

  /**
   * Updates a document's row in the index. Never fails: the document is on disk, and the row can be rebuilt from it
   * later.
   */
  async function follow(place: PostPlace, document: { readonly data: PostDocument }): Promise<void> {
    touched?.add(postPath(place));
    try {
      const stamp = await stampOf(fileOf(place));
      await together(() => rows.put(place, stamp, document.data.post));
      if (missed.delete(postPath(place))) index.setTrusted(postTables, isWhole && missed.size === 0);
    } catch (error) {
      index.versions.changed('posts');
      index.setTrusted(postTables, false);
      missed.set(postPath(place), place);
      log?.warn({ err: error, path: postPath(place) }, 'the index of posts could not be written');
    }
  }

  /** Runs a change of the index in one transaction with those of other requests that come at the same moment. */
  function together(change: () => void): Promise<void> {
    group ??= newGroup();
    group.changes.push(change);
    return group.done;
  }

  function newGroup() {
    const changes: (() => void)[] = [];
    const done = nextTurn().then(() => {
      group = undefined;
      index.together(() => changes.forEach((change) => change()));
    });
    return { changes, done };
  }

  /**
   * Completes a move that was interrupted while the post was in both places: replaces the post at the old place with a
   * redirect.
   */
  async function finishMove(place: PostPlace, { post, movedFrom }: PostDocument): Promise<void> {
    const from = post === null || movedFrom === null ? undefined : postPlace(movedFrom);
    if (from === undefined || (await read(from)).post === null) return;
    await write(from, (draft) => void Object.assign(draft, { ...empty, movedTo: postPath(place) }));
  }

  /** Reserves a slug that no post has or had: `base`, or else `base-2`, `base-3`, and so on. */
  function reserve(month: string, base: string): { place: PostPlace; turn: number } {
    const isFree = (turn: number) => {
      const place = { month, slug: numberedSlug(base, turn) };
      return !reserved.has(postPath(place)) && !rows.has(place);
    };
    // Doubling and then a binary search take few look-ups, even for a slug that thousands of posts share.
    let low = latest.month === month && latest.base === base ? latest.turn : 0;
    let high = low + 1;
    while (!isFree(high)) [low, high] = [high, high * 2];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isFree(middle)) high = middle;
      else low = middle;
    }
    const place = { month, slug: numberedSlug(base, high) };
    reserved.add(postPath(place));
    return { place, turn: high };
  }

  /**
   * Writes a new document at the first free slug. The index row is written after `then`, so an interrupted addition is
   * detected at the next comparison.
   */
  async function addDocument(
    { month, wish }: { month: string; wish: string },
    data: PostDocument,
    then: (place: PostPlace) => Promise<void> = () => Promise.resolve(),
  ): Promise<PostPlace> {
    const { place, turn } = reserve(month, wish);
    try {
      const isNew = await documents.use(postPath(place), async (document) => {
        const added = await document.update((draft) => {
          const isFree = draft.post === null && draft.movedTo === null;
          if (isFree) Object.assign(draft, data);
          return isFree;
        });
        if (added) await then(place);
        await follow(place, document);
        return added;
      });
      if (isNew) {
        latest = { month, base: wish, turn };
        return place;
      }
    } finally {
      reserved.delete(postPath(place));
    }
    // Someone put a file at this path manually. The file has an index row now, so its slug counts as taken.
    return addDocument({ month, wish }, data, then);
  }

  return {
    read,

    async add(month, wish, post) {
      await agreed();
      return addDocument({ month, wish }, { ...empty, post });
    },

    async replace(place, post) {
      const change = (draft: PostDocument) => void (draft.post = post);
      await write(place, change, isWithdrawn(post) ? updateForGood : undefined);
    },

    async move(from, to, post) {
      await agreed();
      const leave = (at: PostPlace, movedTo: PostPlace) =>
        write(at, (draft) => void Object.assign(draft, { ...empty, movedTo: postPath(movedTo) }));
      return addDocument(to, { post, movedTo: null, movedFrom: postPath(from) }, async (place) => {
        try {
          await leave(from, place);
        } catch (error) {
          // The post stays at its old place and must not exist twice. The server checks this at its next start.
          isWhole = false;
          index.setTrusted(postTables, false);
          await leave(place, from);
          throw error;
        }
      });
    },

    async index() {
      await agreed();
      return rows;
    },

    async close() {
      closing.abort();
      await compared.catch(() => undefined);
    },
  };
}
