import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { boundedCache } from '../storage/caches.ts';
import { sizeUpTo } from '../storage/json-value.ts';
import { type Document, type DurableFileOptions, updateForGood } from '../storage/document.ts';
import { type IndexDatabase, sharedTransactions } from '../storage/index/index-database.ts';
import { stampNow } from '../storage/file-facts.ts';
import { verifiedRoot } from '../storage/held-folders.ts';
import { withReserve } from '../storage/reserve.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import {
  emptyPostDocument,
  openPostDocument,
  withVersion,
  type EarlierPost,
  type PostDocument,
  type StoredPost,
} from './post-document.ts';
import { isDamage, trackDamage, type DamagedDocument } from './damaged-posts.ts';
import { rowFollowing } from './row-following.ts';
import { postIndex, type PostIndex } from './post-index.ts';
import { postPath, postPlace, type PostPlace } from './post-path.ts';
import type { Recovery } from '../storage/recovery.ts';
import { startComparison } from './post-comparison.ts';
import { createSlugReservations, type WishedPlace } from './slug-reservations.ts';

const openDocuments = 200;
/** Longer posts aren't kept in memory, in characters. */
const longestKept = 100_000;

export interface PostFilesOptions extends Pick<
  DurableFileOptions<unknown>,
  'onRecovered' | 'now' | 'operations'
> {
  /** The folder that contains all posts. */
  dir: string;
  index: IndexDatabase;
  log?: Pick<Log, 'warn'> | undefined;
  /**
   * Called within each change to the index, with the addresses (see addressOfPage) at which there may be another page
   * now.
   */
  addressesChanged?: ((addresses: readonly string[]) => void) | undefined;
  /** Called when the progress of the comparison with the index has changed. */
  progressed?: (() => void) | undefined;
}

/**
 * Callbacks for the addition of a document. `placing` runs before the document is written. `then` runs after the
 * document is written and before its row in the index is written.
 */
interface AdditionSteps {
  readonly placing?: (path: string) => Promise<void>;
  readonly then?: (place: PostPlace) => Promise<void>;
}

/**
 * Returns whether a post must stay hidden from the public. If so, recovering its damaged file must not restore an older
 * version.
 */
const isWithdrawn = ({ deletedAt, visibility, status }: StoredPost) =>
  deletedAt !== null || visibility === 'private' || status === 'draft';

/**
 * Opens the documents of posts in `dir`, and their index. Each change is written to the document first, and then to the
 * index. Immediately starts comparing the index with the documents.
 */
export function createPostFiles(options: PostFilesOptions) {
  const { dir, index, log, onRecovered, progressed = () => undefined, ...rest } = options;
  const { addressesChanged = () => undefined, ...file } = rest;
  const { now = () => new Date() } = file;
  const fileOf = ({ month, slug }: PostPlace) => join(dir, month, `${slug}.json`);
  /** The open documents, by path. */
  const documents = boundedCache(openDocuments, openAt, {
    isKept: ({ data }) => sizeUpTo(data, longestKept) < longestKept,
  });
  const rows = postIndex(index, addressesChanged);
  const slugs = createSlugReservations(rows);
  /** The paths of posts whose previous version lacks a final change, because only the first of its two saves worked. */
  const halfSaved = new Set<string>();
  const together = sharedTransactions(index);
  const damage = trackDamage({ rows, together, isMissing, log });
  const following = rowFollowing({ index, rows, together, fileOf, log });
  const follow: typeof following.follow = (...about) => following.follow(...about);
  const comparison = startComparison({
    dir,
    index,
    rows,
    addressesChanged,
    log,
    settle,
    changed: progressed,
    ended: (isWhole) => following.setWhole(isWhole),
  });

  async function openAt(path: string): Promise<Document<PostDocument>> {
    const place = postPlace(path);
    if (place === undefined) throw new TypeError(`No post can be at ${path}.`);
    const recoveries: Recovery[] = [];
    const document = await openPostDocument({
      ...file,
      file: fileOf(place),
      isNew: isMissing(place),
      whenLost: (error) => damage.whenLost(path, error),
      ...(onRecovered && {
        onRecovered(recovery) {
          recoveries.push(recovery);
          return onRecovered(recovery);
        },
      }),
    }).catch(async (error: unknown) => {
      if (isDamage(error)) await damage.found(place);
      throw error;
    });
    if (damage.isOver(path) || recoveries.length > 0) await follow(place, document);
    return document;
  }

  /**
   * Returns whether a post has no file. Then somebody has deleted it, and its previous version must not come back.
   * @throws PorchlightError `storage_gone`
   */
  function isMissing(place: PostPlace): boolean {
    try {
      return stampNow(fileOf(place)) === '';
    } catch {
      return false; // Opening the document reports why the file can't be reached.
    } finally {
      verifiedRoot(fileOf(place)); // The file isn't missing if the whole folder is.
    }
  }

  /** Brings the row of a document up to date, and finishes the move of its post if it was interrupted. */
  async function settle(place: PostPlace): Promise<void> {
    if (isMissing(place)) {
      // The comparison removes the row of a deleted post, if its slug is free.
      await together(() => rows.put(place, '', emptyPostDocument));
      return;
    }
    const document = await read(place).catch((error: unknown) => {
      // The row of a damaged document is up to date, too.
      if (isDamage(error)) return undefined;
      throw error;
    });
    if (document === undefined) return;
    await finishMove(place, document);
    await documents.use(postPath(place), (document) => follow(place, document));
  }

  /** Resolves once the index matches the documents. Rejects if the comparison was stopped before that. */
  async function agreed(): Promise<void> {
    await comparison.whole();
    await writeMissed();
  }

  async function writeMissed(): Promise<void> {
    for (const place of following.missed())
      await documents.use(postPath(place), (document) => follow(place, document));
  }

  /** Reads a document. If another program has changed its file, updates its row. */
  const read = (place: PostPlace) =>
    documents.use(postPath(place), async (document) => {
      if (await document.refresh()) await follow(place, document);
      return document.data;
    });

  /** Changes a document, and then its row in the index. */
  function write(
    place: PostPlace,
    change: (draft: PostDocument) => void,
    save: typeof updateForGood = (document, edit) => document.update(edit),
  ): Promise<void> {
    return documents.use(postPath(place), async (document) => {
      const { post: known } = document.data;
      try {
        await save(document, (draft) => {
          // Another program may have changed the file a moment ago.
          const isOther = draft.post !== null && !isDeepStrictEqual(draft.post, known);
          const other = isOther ? draft.post : null;
          change(draft);
          if (other !== null && draft.post !== null)
            draft.history = withVersion(draft.history, other, { now: now().getTime(), by: null });
        });
      } catch (error) {
        // `updateForGood` saves a change twice. If only the second save fails, the document already contains the
        // change, so the index must contain it too. After any other failure, the index stays as it was, so that the
        // next comparison detects an unfinished move.
        if (save === updateForGood) {
          halfSaved.add(postPath(place));
          await follow(place, document);
        }
        throw error;
      }
      if (save === updateForGood) halfSaved.delete(postPath(place));
      const missing = await follow(place, document, { isSaved: true });
      // Until the row is written too, lists still show the post.
      if (save === updateForGood && isDiskFailure(missing)) throw missing;
    });
  }

  /** Withdraws a post from the public, also if the disk is full. */
  const writeForGood = (place: PostPlace, change: (draft: PostDocument) => void): Promise<void> =>
    withReserve(fileOf(place), () => write(place, change, updateForGood));

  /**
   * Completes the interrupted move of a post that is still at both paths, by replacing the post at the old path with a
   * redirect.
   */
  async function finishMove(place: PostPlace, { post, movedFrom }: PostDocument): Promise<void> {
    const from = post === null || movedFrom === null ? undefined : postPlace(movedFrom);
    if (from === undefined || (await read(from)).post === null) return;
    await write(
      from,
      (draft) => void Object.assign(draft, { ...emptyPostDocument, movedTo: postPath(place) }),
    );
    await leaveForGood(from);
  }

  /**
   * Saves the redirect of a post that moved once more. Otherwise, its previous version is the post, and a recovery would
   * bring that back, even if it was deleted since. A failure is not one of the move.
   */
  async function leaveForGood(from: PostPlace): Promise<void> {
    await write(from, () => undefined).catch((error: unknown) =>
      log?.warn({ err: error, path: postPath(from) }, 'the former path of a post could not be saved again'),
    );
  }

  /**
   * Writes a new document at the first free slug. Adds its row to the index last, so that the next comparison detects
   * an interrupted addition.
   */
  async function addDocument(
    wish: WishedPlace,
    data: PostDocument,
    steps: AdditionSteps = {},
  ): Promise<PostPlace> {
    const place = slugs.reserve(wish);
    try {
      await steps.placing?.(postPath(place));
      const isNew = await documents
        .use(postPath(place), async (document) => {
          const added = await document.update((draft) => {
            const isFree = draft.post === null && draft.movedTo === null;
            if (isFree) Object.assign(draft, data);
            return isFree;
          });
          if (added) await steps.then?.(place);
          await follow(place, document, { isSaved: added });
          return added;
        })
        .catch((error: unknown) => {
          if (isDamage(error)) return false;
          throw error;
        });
      if (isNew) return place;
    } finally {
      slugs.release(place);
    }
    // Someone put a file at this path manually, which may be damaged. It now has a row in the index, so the next attempt uses another slug.
    return addDocument(wish, data, steps);
  }

  return {
    read,
    /** Returns the id of the page at an address; see PageFinder.pageAt. Doesn't wait for the index. */
    pageAt: (address: string) => rows.pageAt(address),
    /** Returns the current URL of a post on the owner's own site; see PostIndex.homeUrl. */
    homeUrl: (path: string) => rows.homeUrl(path),

    /** Stores a new post under a slug that no post has or had: the requested slug, or that slug with a number. */
    async add(
      wish: WishedPlace,
      post: StoredPost,
      placing?: (path: string) => Promise<void>,
      history: readonly EarlierPost[] = [],
    ): Promise<PostPlace> {
      await comparison.month(wish.month);
      const document = { ...emptyPostDocument, post, history: [...history] };
      return addDocument(wish, document, placing && { placing });
    },

    /** Makes a path lead to the post at another path. Does nothing if a post has or had the path. */
    async lead(from: PostPlace, to: string): Promise<void> {
      await comparison.month(from.month);
      if (rows.has(from)) return;
      try {
        await addDocument(
          { month: from.month, wish: from.slug, isExact: true },
          { ...emptyPostDocument, movedTo: to },
        );
      } catch (error) {
        if (!(error instanceof PorchlightError && error.code === 'slug_taken')) throw error;
      }
    },

    /** Replaces parts of a document, such as its post. */
    async replace(place: PostPlace, part: { post: StoredPost } & Partial<PostDocument>): Promise<void> {
      const change = (draft: PostDocument) => void Object.assign(draft, part);
      const isEnding = isWithdrawn(part.post);
      await (isEnding ? writeForGood(place, change) : write(place, change));
    },

    /**
     * Completes an earlier call of `replace` that failed: saves the document again, and writes its row in the index.
     * @throws PorchlightError `storage_…` if nothing can be written now
     */
    async complete(place: PostPlace): Promise<void> {
      if (halfSaved.has(postPath(place))) await writeForGood(place, () => undefined);
      if (!following.isMissed(place)) return;
      await withReserve(fileOf(place), async () => {
        const missing = await documents.use(postPath(place), (document) => follow(place, document));
        if (isDiskFailure(missing)) throw missing;
      });
    },

    /** Stores the owner's unsaved edits to a post in the post's document. No list or page shows these edits. */
    keepEdits: (place: PostPlace, edits: PostDocument['edits']): Promise<void> =>
      documents.use(postPath(place), async (document) => {
        // The row doesn't contain the edits. If the row is up to date, only the file version in the row has to change.
        const isCurrent = following.isCurrent(place);
        await document.update((draft) => void (draft.edits = edits));
        await follow(place, document, { isSaved: true, isPostSame: isCurrent });
      }),

    /** Returns up to `most` posts whose documents are damaged. */
    async damaged(most: number): Promise<DamagedDocument[]> {
      await comparison.whole();
      return damage.list(most);
    },

    /** Restores the document of a post from its copy in the index, if the document is damaged; see trackDamage. */
    restoreCopy: (place: PostPlace): Promise<void> =>
      damage.restore(place, () => documents.use(postPath(place), () => undefined)),

    /** Moves a post to another path and leaves a redirect at its old path. */
    async move(
      from: PostPlace,
      to: WishedPlace,
      part: { post: StoredPost } & Partial<PostDocument>,
      placing?: (path: string) => Promise<void>,
    ): Promise<PostPlace> {
      await comparison.month(to.month);
      const leave = (at: PostPlace, movedTo: PostPlace) =>
        write(at, (draft) => void Object.assign(draft, { ...emptyPostDocument, movedTo: postPath(movedTo) }));
      const document = { ...emptyPostDocument, ...part, movedFrom: postPath(from) };
      const then = async (place: PostPlace) => {
        try {
          await leave(from, place);
        } catch (error) {
          // If the redirect at the old path can't be written, the post stays at that path. To prevent two copies, the
          // new document becomes a redirect to the old path. If that write fails too, the comparison at the next start
          // completes the move.
          following.setWhole(false);
          await leave(place, from);
          throw error;
        }
      };
      const place = await addDocument(to, document, { then, ...(placing && { placing }) });
      await leaveForGood(from);
      return place;
    },

    /** Resolves with the index once it matches the documents. Rejects if `close` stops the comparison before that. */
    async index(): Promise<PostIndex> {
      await agreed();
      return rows;
    },

    /** The index as it is now. Posts may be missing in it; see `comparison`. */
    rows,
    comparison,
    writeMissed,

    /** Stops comparing the index with the documents. */
    close: () => comparison.close(),
  };
}
