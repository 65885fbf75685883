import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { stampOf } from '../storage/index/file-stamp.ts';
import { updateForGood, type Document } from '../storage/document.ts';
import { openPostDocument, type PostDocument, type StoredPost } from './post-document.ts';
import { postIndex, postTables, type PostIndex } from './post-index.ts';
import { pathOf, placeOf, type Place } from './post-path.ts';
import type { Recovery } from '../storage/recovery.ts';
import { reconcilePosts } from './post-reconcile.ts';
import { numberedSlug } from './slug.ts';

const openDocuments = 200;

export interface PostFilesOptions extends Pick<
  DurableFileOptions<unknown>,
  'onRecovered' | 'now' | 'operations'
> {
  /** The folder of all posts. */
  dir: string;
  index: IndexDatabase;
  log?: Pick<Log, 'warn'> | undefined;
}

/** The documents of posts, and the index that follows them: a change is on disk first, then it is in the index. */
export interface PostFiles {
  read(place: Place): Promise<PostDocument>;
  /** Files a new post under a slug like `wish` that no other has or had. */
  add(month: string, wish: string, post: StoredPost): Promise<Place>;
  replace(place: Place, post: StoredPost): Promise<void>;
  /** Files the post elsewhere; a redirect stays. */
  move(from: Place, to: { month: string; wish: string }, post: StoredPost): Promise<Place>;
  /** The index, once it agrees with the documents. */
  index(): Promise<PostIndex>;
  /** Ends the comparison of index and documents. */
  close(): Promise<void>;
}

/** Returns whether the public may not read a post: no older version of it may return. */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

const empty: PostDocument = { post: null, movedTo: null, movedFrom: null };

/** Opens the files in `dir`. If the index is not to be trusted, its comparison with the documents begins at once. */
export function createPostFiles({ dir, index, log, onRecovered, ...rest }: PostFilesOptions): PostFiles {
  const fileOf = ({ month, slug }: Place) => join(dir, month, `${slug}.json`);
  /** By path. */
  const documents = boundedCache(openDocuments, openAt);
  const rows = postIndex(index);
  const closing = new AbortController();
  /** Slugs that are being given away, by path. */
  const reserved = new Set<string>();
  /** Places whose row could not be written, by path. */
  const missed = new Map<string, Place>();
  /** What changed while the comparison runs, which therefore knows less of it. */
  let touched: Set<string> | undefined;
  /** False where a document could not be read, so that the next start compares again. */
  let isWhole = index.isTrusted(postTables);
  let compared = index.isTrusted(postTables) ? Promise.resolve() : compare();
  compared.catch(() => undefined);

  async function openAt(path: string): Promise<Document<PostDocument>> {
    const place = placeOf(path);
    if (place === undefined) throw new TypeError(`No post can be at ${path}.`);
    const recoveries: Recovery[] = [];
    const document = await openPostDocument({
      ...rest,
      file: fileOf(place),
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
        isTouched: (place) => touched?.has(pathOf(place)) ?? false,
        open: read,
        settle: finishMove,
      });
      isWhole = whole;
      index.setTrusted(postTables, isWhole && missed.size === 0);
    } finally {
      touched = undefined;
    }
  }

  /** Resolves once the index agrees with the documents: it knows which slugs are taken, and all that lists show. */
  async function agreed(): Promise<void> {
    await compared.catch(() => {
      compared = compare();
      return compared;
    });
    for (const [path, place] of [...missed]) await documents.use(path, (document) => follow(place, document));
  }

  const read = (place: Place) => documents.use(pathOf(place), ({ data }) => data);

  /** Changes a document, then its row. */
  function write(
    place: Place,
    change: (draft: PostDocument) => void,
    save: typeof updateForGood = (document, edit) => document.update(edit),
  ): Promise<void> {
    return documents.use(pathOf(place), async (document) => {
      await save(document, change);
      await follow(place, document);
    });
  }

  /** Never fails: the document is on disk, and the row can be made from it later. */
  async function follow(place: Place, document: { readonly data: PostDocument }): Promise<void> {
    touched?.add(pathOf(place));
    try {
      const stamp = await stampOf(fileOf(place));
      rows.put(place, stamp, document.data.post);
      if (missed.delete(pathOf(place))) index.setTrusted(postTables, isWhole && missed.size === 0);
    } catch (error) {
      index.setTrusted(postTables, false);
      missed.set(pathOf(place), place);
      log?.warn({ err: error, path: pathOf(place) }, 'the index of posts could not be written');
    }
  }

  /** A post that a kill left in both places of its move stays in the new one. */
  async function finishMove(place: Place, { post, movedFrom }: PostDocument): Promise<void> {
    const from = post === null || movedFrom === null ? undefined : placeOf(movedFrom);
    if (from === undefined || (await read(from)).post === null) return;
    await write(from, (draft) => void Object.assign(draft, { ...empty, movedTo: pathOf(place) }));
  }

  /** Takes a slug that nobody has or had: `base`, or `base-2`, ... */
  function reserve(month: string, base: string): Place {
    const isFree = (turn: number) => {
      const place = { month, slug: numberedSlug(base, turn) };
      return !reserved.has(pathOf(place)) && !rows.has(place);
    };
    // Doubling, then halving: a base that thousands have costs few questions.
    let high = 1;
    while (!isFree(high)) high *= 2;
    let low = Math.floor(high / 2);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (isFree(middle)) high = middle;
      else low = middle;
    }
    const place = { month, slug: numberedSlug(base, high) };
    reserved.add(pathOf(place));
    return place;
  }

  /** Writes a document only where there is none. Its row follows `then`, so a kill before the end is seen. */
  async function addDocument(
    { month, wish }: { month: string; wish: string },
    data: PostDocument,
    then: (place: Place) => Promise<void> = () => Promise.resolve(),
  ): Promise<Place> {
    const place = reserve(month, wish);
    try {
      const isNew = await documents.use(pathOf(place), async (document) => {
        const added = await document.update((draft) => {
          const isFree = draft.post === null && draft.movedTo === null;
          if (isFree) Object.assign(draft, data);
          return isFree;
        });
        if (added) await then(place);
        await follow(place, document);
        return added;
      });
      if (isNew) return place;
    } finally {
      reserved.delete(pathOf(place));
    }
    // Somebody put a file there by hand. It has a row now, so its slug is taken.
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
      const leave = (at: Place, movedTo: Place) =>
        write(at, (draft) => void Object.assign(draft, { ...empty, movedTo: pathOf(movedTo) }));
      return addDocument(to, { post, movedTo: null, movedFrom: pathOf(from) }, async (place) => {
        try {
          await leave(from, place);
        } catch (error) {
          // The post is where it was, and must not be in two places: the next start makes sure.
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
