import { join } from 'node:path';
import type { Log } from '../platform/log.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { readDocument } from '../storage/unopened.ts';
import { readMonthFolder } from './month-folder.ts';
import { emptyPostDocument, postFormat, type PostDocument } from './post-document.ts';
import { stampOf } from '../storage/index/file-stamp.ts';
import type { PostIndex } from './post-index.ts';
import type { PostPlace } from './post-path.ts';
import { monthsIn } from '../storage/folder-names.ts';

/** How many files are checked or read at a time. The number keeps the disk busy without delaying other work. */
const batch = 64;

interface Reconciling {
  readonly dir: string;
  readonly rows: PostIndex;
  readonly index: Pick<IndexDatabase, 'together'>;
  /**
   * Returns whether a post has changed since the comparison began. If so, its row is newer than the version that the
   * comparison read.
   */
  readonly isTouched: (place: PostPlace) => boolean;
  /** Opens a document, and recovers it if it is broken. */
  readonly open: (place: PostPlace) => Promise<PostDocument>;
  /** If the move of a post was interrupted, completes it. */
  readonly settle: (place: PostPlace, document: PostDocument) => Promise<void>;
  readonly log: Pick<Log, 'warn'> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Updates the index from the documents. Reads only documents that have changed since they were indexed. Returns false
 * if a document could not be read, or if `signal` stopped the comparison.
 */
export async function reconcilePosts(work: Reconciling): Promise<boolean> {
  const { dir, rows, signal } = work;
  const months = new Set([...(await monthsIn(dir)), ...rows.months()]);
  let whole = true;
  for (const month of months) {
    const { documents, taken } = await readMonthFolder(join(dir, month));
    const known = rows.stamps(month);
    for (const slug of known.keys()) if (!taken.has(slug)) rows.remove({ month, slug });
    for (const slug of taken)
      if (!documents.has(slug) && !known.has(slug)) rows.put({ month, slug }, '', emptyPostDocument);
    for (const slugs of batches([...documents])) {
      if (signal.aborted) return false;
      const places = slugs.map((slug) => ({ month, slug }));
      if (!(await compareBatch(places, known, work))) whole = false;
    }
  }
  return whole;
}

async function compareBatch(
  places: readonly PostPlace[],
  known: ReadonlyMap<string, string>,
  work: Reconciling,
): Promise<boolean> {
  const { rows, log } = work;
  const read = await Promise.all(
    places.map(async (place) => {
      try {
        const stamp = await stampOf(fileIn(work.dir, place));
        if (stamp === known.get(place.slug)) return undefined;
        const document = await documentAt(place, work);
        await work.settle(place, document);
        return { place, stamp, document };
      } catch (error) {
        log?.warn({ err: error, ...place }, 'a post could not be read');
        return { place, stamp: '', document: undefined };
      }
    }),
  );
  const found = read.filter((one) => one !== undefined);
  if (found.length === 0) return true;
  work.index.together(() => {
    for (const { place, stamp, document } of found) {
      if (work.isTouched(place)) continue;
      // An unreadable document keeps its row or gets an empty row, so that its slug stays taken.
      if (document) rows.put(place, stamp, document);
      else if (!rows.has(place)) rows.put(place, stamp, emptyPostDocument);
    }
  });
  return found.every(({ document }) => document !== undefined);
}

/**
 * Reads a document's file directly, which is much faster than opening the document. Opens the document only if the file
 * is broken, because opening a document recovers it.
 */
const documentAt = async (place: PostPlace, { dir, open }: Reconciling): Promise<PostDocument> =>
  (await readDocument(fileIn(dir, place), postFormat)) ?? (await open(place));

const fileIn = (dir: string, { month, slug }: PostPlace) => join(dir, month, `${slug}.json`);

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += batch) yield items.slice(start, start + batch);
}
