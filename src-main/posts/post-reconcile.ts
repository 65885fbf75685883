import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { documentCodec } from '../storage/document-format.ts';
import { readJsonNow } from '../storage/file-content.ts';
import { stampNow } from '../storage/file-facts.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { postPlace, type PostPlace, readMonthFolder } from './post-path.ts';
import { emptyPostDocument, type PostDocument, postFormat, restOf } from './post-document.ts';
import { postIndex, type IndexedDocument } from './post-index.ts';
import { postMonths } from './post-months.ts';

/**
 * How many files are checked or read at a time. All of their rows are written in one transaction, for which the server's
 * own changes have to wait: about 15 ms.
 */
const batch = 32;
/** The pause after each transaction, in ms, in which another connection can begin one. */
const pauseMs = 1;

/** What the comparison of a batch of documents with their rows found. */
export interface ComparedBatch {
  readonly month: string;
  /** How many files were compared. */
  readonly files: number;
  /** Whether rows changed. */
  readonly isChanged: boolean;
  /** The addresses (see addressOfPage) at which there may be another page now. */
  readonly addresses: readonly string[];
  /** The locations of the documents that have to be opened: broken ones, and posts whose move was interrupted. */
  readonly left: readonly PostPlace[];
  /** The names of the other versions that programs which synchronize the folder kept. Only in a month's last batch. */
  readonly conflicts: readonly string[];
  /** Whether all documents of the month have been compared. */
  readonly isLast: boolean;
}

interface Reconciling {
  /** The folder that contains all posts. */
  readonly dir: string;
  readonly index: IndexDatabase;
  /** The months to compare, in this order. Takes each month from the array when it begins with it. */
  readonly months: string[];
  readonly signal: AbortSignal;
  /** Called after each batch. */
  readonly compared: (found: ComparedBatch) => void;
}

/**
 * Compares documents with the index, month by month, and updates the index. Reads only documents that have changed since
 * they were indexed, and reads them without using other threads. May run in a thread of its own, while the server changes
 * documents and their rows.
 */
export async function reconcilePosts({ dir, index, months, signal, compared }: Reconciling): Promise<void> {
  let addresses: string[] = [];
  const rows = postIndex(index, (changed) => void addresses.push(...changed));
  const recorded = postMonths(index);
  const indexPlace = placeOf(index);
  const isStopped = () => signal.aborted;
  const missing = new Set(recorded.missing());
  const fileOf = ({ month, slug }: PostPlace) => join(dir, month, `${slug}.json`);

  for (let month = months.shift(); month !== undefined && !isStopped(); month = months.shift()) {
    // The rows are read before the folder, so that a document that is added meanwhile doesn't count as deleted.
    const known = rows.stamps(month);
    const { documents, taken, conflicts } = await readMonthFolder(join(dir, month));
    // A folder that is gone has no documents, but they aren't deleted.
    if (placeOf(index) !== indexPlace)
      throw new Error('The folder with the posts is gone, or another is in its place.');
    const slugs = [...new Set([...known.keys(), ...taken])];
    // A month without documents ends too.
    for (let start = 0; start === 0 || start < slugs.length; start += batch) {
      if (isStopped()) return;
      const some = slugs.slice(start, start + batch);
      const found = await Promise.all(some.map((slug) => readPlace({ month, slug }, known.get(slug))));
      const isLast = start + batch >= slugs.length;
      const isChanged = write(found, isLast ? month : undefined);
      const left = found.flatMap((one) => (one?.isLeft === true ? [one.place] : []));
      compared({
        month,
        files: some.length,
        isChanged,
        addresses,
        left,
        isLast,
        conflicts: isLast ? conflicts.map((name) => `${month}/${name}`) : [],
      });
      addresses = [];
      await (isChanged ? pause(pauseMs) : nextTurn());
    }

    /** Reads a document, unless its row is up to date. */
    async function readPlace(
      place: PostPlace,
      stampOfRow: string | undefined,
    ): Promise<ReadPlace | undefined> {
      // The slug of a deleted document stays taken while its previous version or a broken one is there.
      if (!documents.has(place.slug))
        return taken.has(place.slug)
          ? stampOfRow === ''
            ? undefined
            : { place, stamp: '', document: emptyPostDocument }
          : { place, stamp: '', document: undefined };
      const stamp = stampIfReached(fileOf(place));
      if (stamp !== undefined && stamp !== '' && stamp === stampOfRow) return undefined;
      const document = read(place);
      const isLeft = stamp === undefined || document === undefined || isUnfinished(document);
      if (stamp === undefined || document === undefined)
        return { place, stamp: stamp ?? '', document: undefined, isLeft };
      return { place, stamp, document: { ...document, rest: await restOf(document) }, isLeft };
    }
  }

  /** Returns the content of a document; undefined if it can't be read. */
  function read(place: PostPlace): PostDocument | undefined {
    try {
      const json = readJsonNow(fileOf(place), codec.kind);
      const found = json.state === 'whole' ? codec.decode(json.value, fileOf(place)) : undefined;
      return found && 'data' in found ? found.data : undefined;
    } catch {
      return undefined;
    }
  }

  /** Returns whether the move of a post was interrupted, so that the post is still at its old path, too. */
  function isUnfinished({ post, movedFrom }: PostDocument): boolean {
    const from = post === null || movedFrom === null ? undefined : postPlace(movedFrom);
    return from !== undefined && (read(from)?.post ?? null) !== null;
  }

  /** Writes rows, unless their documents have changed since they were read. Returns whether rows changed. */
  function write(found: readonly (ReadPlace | undefined)[], ended: string | undefined): boolean {
    const changed = found.filter((one) => one !== undefined);
    const isEnd = ended !== undefined && missing.has(ended);
    if (changed.length === 0 && !isEnd) return false;
    return index.together(() => {
      let isChanged = false;
      for (const { place, stamp, document, isLeft = false } of changed) {
        const isUnread = isLeft && document === undefined;
        if (!isUnread && stampIfReached(fileOf(place)) !== stamp) continue;
        // A document that can't be read keeps its row or gets an empty row, so that its slug stays taken. A post whose
        // move isn't finished gets no row, so that the next start finds it again if this process ends.
        if (!isLeft && document === undefined) rows.remove(place);
        else if (!isLeft && document !== undefined) rows.put(place, stamp, document);
        else if (isUnread && !rows.has(place)) rows.put(place, '', emptyPostDocument);
        else continue;
        isChanged = true;
      }
      if (isEnd) recorded.complete(ended);
      return isChanged;
    });
  }
}

interface ReadPlace {
  readonly place: PostPlace;
  /** The file version; empty if there is no file. */
  readonly stamp: string;
  /** Undefined if there is no document, or if it can't be read. */
  readonly document: IndexedDocument | undefined;
  /** Whether the document must be opened before its row is written. */
  readonly isLeft?: boolean;
}

const codec = documentCodec(postFormat);

/** Returns the version of a file; empty if there is no file, and undefined if it can't be reached. */
function stampIfReached(file: string): string | undefined {
  try {
    return stampNow(file);
  } catch {
    return undefined;
  }
}

/** Returns what identifies the file of an index. */
function placeOf({ file }: IndexDatabase): string {
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.dev} ${stats.ino}`;
}
