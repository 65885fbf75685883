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
import {
  mediaRows,
  type MediaRows,
  putDeleted,
  putFileRow,
  putMissing,
  type RecordedMedia,
} from './media-rows.ts';
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

/** How long to wait, in ms, before months that had errors are compared again. */
const retryMs = 10_000;
/** The name of the row that says that the records match the files. */
const compared = 'compared';

/**
 * The months of files in a folder, and their records. If Porchlight didn't end in order, immediately starts to compare the
 * records with the files. Partial uploads are deleted before.
 */
export class MediaMonths {
  readonly #options: MediaMonthsOptions;
  readonly #rows: MediaRows;
  // Runs one task at a time, because no file may change while its month is compared.
  readonly #turn = oneAtATime();
  readonly #stopped = new AbortController();
  /** The months whose records may not match the files, each with the error that made them unreliable. */
  readonly #unusable = new Map<string, unknown>();
  /** False if a file could not be added or removed. The next start then tries again. */
  #isWhole = true;
  #triedAt = 0;
  #isSwept = false;
  /** Whether the mark of the last end was removed. */
  #isUnmarked = false;
  #ready: Promise<void> | undefined;

  constructor(options: MediaMonthsOptions) {
    this.#options = options;
    this.#rows = mediaRows(options.records);
    options.records.whenSound(() => this.#compareAll()).catch(() => undefined);
  }

  /** Resolves with the records once they match the files. */
  async rows(): Promise<MediaRows> {
    await this.#compareAll();
    return this.#rows;
  }

  /**
   * Returns the result of `read`, which looks up a path. Returns undefined if no file can have that path.
   * @throws the error that made the month's records unreliable, if there is one and `read` finds nothing
   */
  async find<T>(path: string, read: (rows: MediaRows) => T | undefined): Promise<T | undefined> {
    // Strangers can request any path. Look up only paths that a file can have.
    const month = mediaPlace(path)?.month;
    if (month === undefined) return undefined;
    await this.#compareAll();
    const found = read(this.#rows);
    if (found === undefined && this.#unusable.has(month)) throw this.#unusable.get(month);
    return found;
  }

  /**
   * Runs `work`, which changes the files of a month, while no other change runs. `ends`: whether it deletes one.
   * @throws PorchlightError the errors of `work` and of `Records.write`; the error that prevents the month's folder from
   * being read
   */
  async change<T>(month: string, work: () => Promise<T>, how?: WriteOptions): Promise<T> {
    await this.#compareAll(this.#unusable.has(month));
    return this.#turn(async () => {
      this.#stopped.signal.throwIfAborted();
      if (this.#unusable.has(month)) throw this.#unusable.get(month);
      // Before the first change of a file, because its record is written only afterwards.
      await this.#unmark(how);
      try {
        return await work();
      } catch (error) {
        // Part of the change may be on disk.
        this.#unusable.set(month, error);
        this.#triedAt = -Infinity;
        throw error;
      }
    });
  }

  /** Returns the record of a file, during a change. */
  recorded(path: string): RecordedMedia | undefined {
    return this.#rows.get(path);
  }

  /** Writes the record of a file, during a change. */
  put(file: MediaFile): Promise<void> {
    return this.#write((transaction) => putFileRow(transaction, file));
  }

  /**
   * Writes that a file is deleted, and then deletes it and its thumbnail from the disk, during a change. If the process is
   * killed before, or the deletion fails, the next start deletes them.
   */
  async remove(place: MediaPlace): Promise<void> {
    await this.#write((transaction) => putDeleted(transaction, mediaPath(place)), { ends: true });
    if (!(await removeFiles(place, this.#options))) this.#isWhole = false;
  }

  /** Stops comparing records and files, and waits for changes in progress. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#turn(async () => {
      if (this.#ready === undefined || !this.#isWhole || this.#unusable.size > 0) return;
      const mark = 'INSERT OR REPLACE INTO media_state (name) VALUES (?)';
      await this.#ready
        .then(() => this.#options.records.write(({ run }) => run(mark, compared)))
        .catch(() => undefined);
    });
  }

  #wasCompared(): boolean {
    try {
      const sql = 'SELECT 1 FROM media_state WHERE name = ?';
      return this.#options.records.rows(() => true, sql, compared).length > 0;
    } catch {
      return false; // The first query throws the error.
    }
  }

  /** Removes the mark of the last end, so that the next start compares the files if this process is killed. */
  async #unmark(how?: WriteOptions): Promise<void> {
    if (this.#isUnmarked) return;
    if (this.#wasCompared())
      await this.#options.records.write(
        ({ run }) => run('DELETE FROM media_state WHERE name = ?', compared),
        how,
      );
    this.#isUnmarked = true;
  }

  async #write(change: (transaction: Transaction) => void, how?: WriteOptions): Promise<void> {
    await this.#options.records.write(change, how);
    this.#options.versions.changed('media');
  }

  /**
   * Resolves once the records match the files. Retries months that had errors, at most once per `retryMs`, because
   * strangers can cause these calls. `isUrgent`: retries those months immediately.
   */
  #compareAll(isUrgent = false): Promise<void> {
    const { now } = this.#options;
    if (this.#unusable.size > 0 && (isUrgent || Math.abs(now() - this.#triedAt) >= retryMs))
      this.#ready = undefined;
    if (this.#ready) return this.#ready;
    this.#triedAt = now();
    this.#ready = this.#turn(() => this.#compare()).catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  async #compare(): Promise<void> {
    const { dir, log } = this.#options;
    const { signal } = this.#stopped;
    if (!this.#isSwept) await sweepIncoming(dir);
    this.#isSwept = true; // any later partial upload belongs to this process, so keep it
    if (this.#unusable.size === 0 && !this.#isUnmarked && this.#wasCompared()) return;
    const all = async () => [...new Set([...(await monthsIn(dir)), ...this.#rows.months()])].sort().reverse();
    for (const month of this.#unusable.size > 0 ? [...this.#unusable.keys()] : await all()) {
      try {
        const work: Comparing = {
          dir,
          rows: this.#rows,
          write: (change) => this.#write(change),
          log,
          signal,
        };
        if (!(await compareMonth(month, work))) this.#isWhole = false;
        this.#unusable.delete(month);
      } catch (error) {
        signal.throwIfAborted();
        log?.warn({ err: error, month }, 'the files of a month could not be read');
        this.#unusable.set(month, error);
      }
    }
  }
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
