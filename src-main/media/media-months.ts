import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { monthsIn } from '../storage/file-facts.ts';
import { oneAtATime } from '../storage/pacing.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import type { Versions } from '../storage/caches.ts';
import { errorCode } from '../storage/storage-error.ts';
import { removeDerived } from './derived-files.ts';
import { mediaFilesIn, mediaPath, mediaPlace, type MediaPlace, partsOfFileName } from './media-name.ts';
import { mediaRows, type MediaRows, putDeleted, putFileRow, putMissing } from './media-rows.ts';
import type { MediaFile } from './media-store.ts';
import { mediaKindOf, sniffFile } from './media-types.ts';
import { sweepIncoming } from './upload-file.ts';

export interface MediaMonthsOptions {
  /** The media folder. */
  readonly dir: string;
  readonly records: Pick<Records, 'rows' | 'write' | 'whenSound'>;
  readonly versions: Pick<Versions, 'changed'>;
  /** Returns the current time in ms. */
  readonly now: () => number;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** Functions that change the files of a month. Valid only during a call of MediaMonths.change. */
interface MonthEditor {
  readonly rows: MediaRows;
  /** Writes the record of a file. */
  readonly put: (file: MediaFile) => Promise<void>;
  /** Writes that the file at a path is deleted. */
  readonly putDeleted: (path: string) => Promise<void>;
  /** Deletes a file and its thumbnail from the disk. If the deletion fails, the next start tries again. */
  readonly remove: (place: MediaPlace) => Promise<void>;
}

/** The months of files, and their records. */
interface MediaMonths {
  /** Resolves with the records once they match the files. */
  rows(): Promise<MediaRows>;
  /**
   * Returns the result of `read`, which looks up a path. Returns undefined if no file can have that path.
   * @throws the error that made the month's records unreliable, if there is one and `read` finds nothing
   */
  find<T>(path: string, read: (rows: MediaRows) => T | undefined): Promise<T | undefined>;
  /**
   * Runs `work`, which changes the files of a month, while no other change runs. `ends`: whether it deletes one.
   * @throws PorchlightError the errors of `work` and of `Records.write`; the error that prevents the month's folder from
   * being read
   */
  change<T>(month: string, work: (editor: MonthEditor) => Promise<T>, how?: WriteOptions): Promise<T>;
  /** Stops comparing records and files, and waits for changes in progress. */
  close(): Promise<void>;
}

/** How long to wait, in ms, before months that had errors are compared again. */
const retryMs = 10_000;
/** The name of the row that says that the records match the files. */
const compared = 'compared';

/**
 * Opens the months in `dir`. If Porchlight didn't end in order, immediately starts to compare the records with the
 * files. Partial uploads are deleted before.
 */
export function openMediaMonths(options: MediaMonthsOptions): MediaMonths {
  const { dir, records, versions, now, log } = options;
  const rows = mediaRows(records);
  // Runs one task at a time, because no file may change while its month is compared.
  const turn = oneAtATime();
  const stopped = new AbortController();
  /** The months whose records may not match the files, each with the error that made them unreliable. */
  const unusable = new Map<string, unknown>();
  /** False if a file could not be added or removed. The next start then tries again. */
  let isWhole = true;
  let triedAt = 0;
  let isSwept = false;
  /** Whether the mark of the last end was removed. */
  let isUnmarked = false;
  let ready: Promise<void> | undefined;
  records.whenSound(() => compareAll()).catch(() => undefined);

  function wasCompared(): boolean {
    try {
      return records.rows(() => true, 'SELECT 1 FROM media_state WHERE name = ?', compared).length > 0;
    } catch {
      return false; // The first query throws the error.
    }
  }

  /** Removes the mark of the last end, so that the next start compares the files if this process is killed. */
  async function unmark(how?: WriteOptions): Promise<void> {
    if (isUnmarked) return;
    if (wasCompared())
      await records.write(({ run }) => run('DELETE FROM media_state WHERE name = ?', compared), how);
    isUnmarked = true;
  }

  async function write(change: (transaction: Transaction) => void, how?: WriteOptions): Promise<void> {
    await records.write(change, how);
    versions.changed('media');
  }

  /**
   * Resolves once the records match the files. Retries months that had errors, at most once per `retryMs`, because
   * strangers can cause these calls. `isUrgent`: retries those months immediately.
   */
  function compareAll(isUrgent = false): Promise<void> {
    if (unusable.size > 0 && (isUrgent || Math.abs(now() - triedAt) >= retryMs)) ready = undefined;
    if (ready) return ready;
    triedAt = now();
    ready = turn(compare).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  }

  async function compare(): Promise<void> {
    if (!isSwept) await sweepIncoming(dir);
    isSwept = true; // any later partial upload belongs to this process, so keep it
    if (unusable.size === 0 && !isUnmarked && wasCompared()) return;
    const all = async () => [...new Set([...(await monthsIn(dir)), ...rows.months()])].sort().reverse();
    for (const month of unusable.size > 0 ? [...unusable.keys()] : await all()) {
      try {
        const work = { dir, rows, write, log, signal: stopped.signal };
        if (!(await compareMonth(month, work))) isWhole = false;
        unusable.delete(month);
      } catch (error) {
        stopped.signal.throwIfAborted();
        log?.warn({ err: error, month }, 'the files of a month could not be read');
        unusable.set(month, error);
      }
    }
  }

  return {
    rows: () => compareAll().then(() => rows),

    async find(path, read) {
      // Strangers can request any path. Look up only paths that a file can have.
      const month = mediaPlace(path)?.month;
      if (month === undefined) return undefined;
      await compareAll();
      const found = read(rows);
      if (found === undefined && unusable.has(month)) throw unusable.get(month);
      return found;
    },

    async change(month, work, how) {
      await compareAll(unusable.has(month));
      return turn(async () => {
        stopped.signal.throwIfAborted();
        if (unusable.has(month)) throw unusable.get(month);
        // Before the first change of a file, because its record is written only afterwards.
        await unmark(how);
        try {
          return await work({
            rows,
            put: (file) => write((transaction) => putFileRow(transaction, file)),
            putDeleted: (path) => write((transaction) => putDeleted(transaction, path), { ends: true }),
            async remove(place) {
              if (!(await removeFiles(place, options))) isWhole = false;
            },
          });
        } catch (error) {
          // Part of the change may be on disk.
          unusable.set(month, error);
          triedAt = -Infinity;
          throw error;
        }
      });
    },

    async close() {
      stopped.abort();
      await turn(async () => {
        if (ready === undefined || !isWhole || unusable.size > 0) return;
        const mark = 'INSERT OR REPLACE INTO media_state (name) VALUES (?)';
        await ready.then(() => records.write(({ run }) => run(mark, compared))).catch(() => undefined);
      });
    },
  };
}

interface Comparing {
  /** The media folder. */
  readonly dir: string;
  readonly rows: MediaRows;
  readonly write: (change: (transaction: Transaction) => void) => Promise<void>;
  readonly log?: Pick<Log, 'warn'> | undefined;
  readonly signal: AbortSignal;
}

/** How many files to compare before other work can run. */
const filesAtOnce = 50;

/**
 * Makes the records of a month match its files. Adds files without a record, because the process may have been killed
 * before it wrote the record, or the owner has put them there. Completes interrupted deletions. Returns false if a file
 * could not be added or removed.
 * @throws the errors of reading the folder and of `write`
 */
async function compareMonth(month: string, work: Comparing): Promise<boolean> {
  const { dir, rows, write, signal } = work;
  const known = rows.ofMonth(month);
  const present = await mediaFilesIn(join(dir, month));
  const files = [...new Set([...known.keys(), ...present])];
  let isWhole = true;
  for (let start = 0; start < files.length; start += filesAtOnce) {
    const added: MediaFile[] = [];
    const missing = new Map<string, boolean>();
    for (const file of files.slice(start, start + filesAtOnce)) {
      const [place, state] = [{ month, file }, known.get(file)];
      if (!present.has(file)) {
        if (state === 'there') missing.set(mediaPath(place), true);
      } else if (state === undefined) {
        const found = await describedFile(place, work);
        if (found) added.push(found);
        else isWhole = false;
      } else if (state === 'missing') missing.set(mediaPath(place), false);
      else if (state === 'deleted' && !(await removeFiles(place, work))) isWhole = false;
    }
    if (added.length + missing.size > 0) {
      await write((transaction) => {
        for (const file of added) putFileRow(transaction, file, false);
        for (const [path, isMissing] of missing) putMissing(transaction, path, isMissing);
      });
    }
    await nextTurn();
    signal.throwIfAborted();
  }
  return isWhole;
}

/** Deletes a file and what was derived from it. Returns false, and logs the error, if they cannot be deleted. */
async function removeFiles(
  { month, file }: MediaPlace,
  { dir, log }: Pick<Comparing, 'dir' | 'log'>,
): Promise<boolean> {
  try {
    await nodeOperations.remove(join(dir, month, file));
    await removeDerived(join(dir, month), file);
    // Otherwise, a power cut could bring the file back, and nothing would look for it any more.
    await nodeOperations.syncFolder(join(dir, month)).catch(ignoreMissing);
    return true;
  } catch (error) {
    log?.warn({ err: error, file, month }, 'a deleted file could not be removed');
    return false;
  }
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** Describes a file without a record. Returns undefined if the file's content doesn't match its name. */
async function describedFile(place: MediaPlace, { dir, log }: Comparing): Promise<MediaFile | undefined> {
  const { month, file } = place;
  const parts = partsOfFileName(file);
  if (parts === undefined) return undefined;
  try {
    const type = await sniffFile(join(dir, month, file), parts.type);
    if (type !== parts.type) throw new Error(`its content is ${type}`);
    const { size, mtime } = await stat(join(dir, month, file));
    return {
      path: mediaPath(place),
      name: parts.name,
      type,
      kind: mediaKindOf(type),
      bytes: size,
      width: null,
      height: null,
      uploadedAt: withinMonth(mtime, month),
      copyOf: null,
    };
  } catch (error) {
    log?.warn({ err: error, file, month }, 'a file could not be added to the list');
    return undefined;
  }
}

/**
 * Returns a file's modification time, or the start of `month` if the file was modified in another month. Copying a
 * folder can change its files' times, and a time outside `month` would put the file in the wrong place in lists.
 */
function withinMonth(moment: Date, month: string): string {
  const start = `${month.replace('/', '-')}-01T00:00:00.000Z`;
  const text = moment.toISOString();
  return text.startsWith(start.slice(0, 8)) ? text : start;
}
