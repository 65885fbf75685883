import type { Log } from '../platform/log.ts';
import { monthsIn } from '../storage/folder-names.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import type { Versions } from '../storage/versions.ts';
import { compareMonth, removeFiles } from './media-compare.ts';
import { mediaPlace, type MediaPlace } from './media-name.ts';
import { mediaRows, putDeleted, putFileRow, type MediaRows } from './media-rows.ts';
import type { MediaFile } from './media-store.ts';
import { sweepIncoming } from './upload-file.ts';

export interface MediaMonthsOptions {
  /** The media folder. */
  readonly dir: string;
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly versions: Pick<Versions, 'changed'>;
  /** Returns the current time in ms. */
  readonly now: () => number;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** Functions that change the files of a month. Valid only during a call of MediaMonths.change. */
export interface MonthEditor {
  readonly rows: MediaRows;
  /** Writes the record of a file. */
  readonly put: (file: MediaFile) => Promise<void>;
  /** Writes that the file at a path is deleted. */
  readonly putDeleted: (path: string) => Promise<void>;
  /** Deletes a file and its thumbnail from the disk. If the deletion fails, the next start tries again. */
  readonly remove: (place: MediaPlace) => Promise<void>;
}

/** The months of files, and their records. */
export interface MediaMonths {
  /** Resolves with the records once they match the files. */
  rows(): Promise<MediaRows>;
  /**
   * Returns the result of `read`, which looks up a path. Returns undefined if no file can have that path.
   * @throws the error that made the month's records unreliable, if there is one and `read` finds nothing
   */
  find<T>(path: string, read: (rows: MediaRows) => T | undefined): Promise<T | undefined>;
  /**
   * Runs `work`, which changes the files of a month, while no other change runs.
   * @throws PorchlightError the errors of `work` and of `Records.write`; the error that prevents the month's folder from
   * being read
   */
  change<T>(month: string, work: (editor: MonthEditor) => Promise<T>): Promise<T>;
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
  if (!wasCompared()) compareAll().catch(() => undefined);

  function wasCompared(): boolean {
    try {
      return records.rows(() => true, 'SELECT 1 FROM media_state WHERE name = ?', compared).length > 0;
    } catch {
      return false; // The first query throws the error.
    }
  }

  /** Removes the mark of the last end, so that the next start compares the files if this process is killed. */
  async function unmark(): Promise<void> {
    if (isUnmarked) return;
    if (wasCompared())
      await records.write(({ run }) => run('DELETE FROM media_state WHERE name = ?', compared));
    isUnmarked = true;
  }

  async function write(change: (transaction: Transaction) => void): Promise<void> {
    await records.write(change);
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

    async change(month, work) {
      await compareAll(unusable.has(month));
      return turn(async () => {
        stopped.signal.throwIfAborted();
        if (unusable.has(month)) throw unusable.get(month);
        // Before the first change of a file, because its record is written only afterwards.
        await unmark();
        try {
          return await work({
            rows,
            put: (file) => write((transaction) => putFileRow(transaction, file)),
            putDeleted: (path) => write((transaction) => putDeleted(transaction, path)),
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
