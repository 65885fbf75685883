import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/bounded-cache.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { stampOf } from '../storage/index/file-stamp.ts';
import { updateForGood, type Document } from '../storage/document.ts';
import { emptyPostDocument, openPostDocument, type PostDocument, type StoredPost } from './post-document.ts';
import { postIndex, postTables, type PostIndex } from './post-index.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { Recovery } from '../storage/recovery.ts';
import { reconcilePosts } from './post-reconcile.ts';
import { createSlugReservations, type WishedPlace } from './slug-reservations.ts';

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

/** What else happens when a document is added: before it is written, and before its row in the index is. */
interface AdditionSteps {
  readonly placing?: (path: string) => Promise<void>;
  readonly then?: (place: PostPlace) => Promise<void>;
}

/** Returns whether the public may not read a post. If so, no older version of the post may ever return. */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

/**
 * Opens the documents of posts in `dir`, and their index. A change is written to the document first, and then to the
 * index. If the index cannot be trusted, starts comparing it with the documents at once.
 */
export function createPostFiles({ dir, index, log, onRecovered, ...rest }: PostFilesOptions) {
  const fileOf = ({ month, slug }: PostPlace) => join(dir, month, `${slug}.json`);
  /** Open documents, by path. */
  const documents = boundedCache(openDocuments, openAt);
  const rows = postIndex(index);
  const closing = new AbortController();
  const slugs = createSlugReservations(rows);
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
      isNew: slugs.isReserved(path) && !existsSync(fileOf(place)),
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
        // A deletion is saved twice. If only the second save fails, the document says that the post is deleted, and
        // lists must agree. A post that moves is saved once, and its row must not hide an unfinished move.
        if (save === updateForGood) await follow(place, document);
        throw error;
      }
      await follow(place, document);
    });
  }

  /**
   * Updates a document's row in the index. Never fails: the document is on disk, and the row can be rebuilt from it
   * later.
   */
  async function follow(
    place: PostPlace,
    document: { readonly data: PostDocument },
    put = (stamp: string) => rows.put(place, stamp, document.data.post),
  ): Promise<void> {
    touched?.add(postPath(place));
    try {
      const stamp = await stampOf(fileOf(place));
      await together(() => put(stamp));
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
    await write(
      from,
      (draft) => void Object.assign(draft, { ...emptyPostDocument, movedTo: postPath(place) }),
    );
  }

  /**
   * Writes a new document at the first free slug. The index row is written after `steps.then`, so an interrupted addition is
   * detected at the next comparison.
   */
  async function addDocument(
    wish: WishedPlace,
    data: PostDocument,
    steps: AdditionSteps = {},
  ): Promise<PostPlace> {
    const place = slugs.reserve(wish);
    try {
      await steps.placing?.(postPath(place));
      const isNew = await documents.use(postPath(place), async (document) => {
        const added = await document.update((draft) => {
          const isFree = draft.post === null && draft.movedTo === null;
          if (isFree) Object.assign(draft, data);
          return isFree;
        });
        if (added) await steps.then?.(place);
        await follow(place, document);
        return added;
      });
      if (isNew) return place;
    } finally {
      slugs.release(place);
    }
    // Someone put a file at this path manually. The file has an index row now, so its slug counts as taken.
    return addDocument(wish, data, steps);
  }

  return {
    read,

    /** Stores a new post under a slug that no other post has or had: `wish`, or `wish` with a number. */
    async add(
      wish: WishedPlace,
      post: StoredPost,
      placing?: (path: string) => Promise<void>,
    ): Promise<PostPlace> {
      await agreed();
      return addDocument(wish, { ...emptyPostDocument, post }, placing && { placing });
    },

    /** Replaces a post, and the given other parts of its document. */
    async replace(place: PostPlace, part: { post: StoredPost } & Partial<PostDocument>): Promise<void> {
      const change = (draft: PostDocument) => void Object.assign(draft, part);
      await write(place, change, isWithdrawn(part.post) ? updateForGood : undefined);
    },

    /** Keeps the owner's unsaved edits of a post in its document. No list or page shows them. */
    keepEdits: (place: PostPlace, edits: PostDocument['edits']): Promise<void> =>
      documents.use(postPath(place), async (document) => {
        // A row that isn't up to date must not look as if it were.
        const isCurrent =
          touched === undefined &&
          !missed.has(postPath(place)) &&
          rows.stampOf(place) === (await stampOf(fileOf(place)));
        await document.update((draft) => void (draft.edits = edits));
        await follow(place, document, isCurrent ? (stamp) => rows.restamp(place, stamp) : undefined);
      }),

    /** Moves a post to another place and leaves a redirect at its old place. */
    async move(
      from: PostPlace,
      to: WishedPlace,
      part: { post: StoredPost } & Partial<PostDocument>,
      placing?: (path: string) => Promise<void>,
    ): Promise<PostPlace> {
      await agreed();
      const leave = (at: PostPlace, movedTo: PostPlace) =>
        write(at, (draft) => void Object.assign(draft, { ...emptyPostDocument, movedTo: postPath(movedTo) }));
      const document = { ...emptyPostDocument, ...part, movedFrom: postPath(from) };
      const then = async (place: PostPlace) => {
        try {
          await leave(from, place);
        } catch (error) {
          // The post stays at its old place and must not exist twice. The server checks this at its next start.
          isWhole = false;
          index.setTrusted(postTables, false);
          await leave(place, from);
          throw error;
        }
      };
      return addDocument(to, document, { then, ...(placing && { placing }) });
    },

    /** Resolves with the index once it agrees with the documents. */
    async index(): Promise<PostIndex> {
      await agreed();
      return rows;
    },

    /** Stops comparing the index with the documents. */
    async close(): Promise<void> {
      closing.abort();
      await compared.catch(() => undefined);
    },
  };
}
