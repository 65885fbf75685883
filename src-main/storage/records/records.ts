import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import { folderGone, mustBeLocked, verifiedRoot } from '../held-folders.ts';
import { oneAtATime } from '../pacing.ts';
import { isVirtualTableDamaged } from '../sqlite.ts';
import { mustHaveReserve, releaseReserve } from '../reserve.ts';
import { isDiskFailure } from '../storage-error.ts';
import { createGroupCommit, recordsFailure, type Transaction, type WriteOptions } from './group-commit.ts';
import type { Cell, RecordTable, Row } from './record-table.ts';
import { createRecordsCopies, type RecordsCopies } from './records-copies.ts';
import { readKnown } from './known.ts';
import { openSound, type RepairOptions, repairRecords } from './repair.ts';
import { emptyLog, hasManyFreePages, recordsName, tryToChange } from './records-file.ts';
import { closePlace, placeAt, readingPlace, type Place } from './records-place.ts';

/** The size of the write-ahead log from which it is moved into the database, in bytes. */
const largestLog = 16 * 1024 * 1024;
/** How long nothing must have been saved before the log is moved into the database, in ms. */
const quietLogMs = 60_000;
/** How long the log may grow before it is moved into the database, in ms. */
const longestLogMs = 300_000;
/** How long to wait before trying again to make a checkpoint that could not be made, in ms. */
const checkpointPauseMs = 5000;
/** The maximum number of repairs until the next start, in case the disk itself is damaged. */
const mostRepairs = 3;
/** How long to wait between two steps in which the database shrinks, in ms. */
const shrinkPauseMs = 20;
const logGone =
  'The file records.sqlite-wal was deleted while Porchlight was using it. Try again in a moment.';

export interface RecordsOptions {
  /** The data folder, which this process has locked. */
  readonly dir: string;
  readonly tables: readonly RecordTable[];
  readonly log: { warn(about: { readonly err: unknown }, words: string): void };
  /** Writes what was repaired into the repaired database. Must be synchronous. */
  readonly recordRepair?: RepairOptions['record'];
  /** Called when a repaired database took the place of the one that was open. */
  readonly renewed?: () => void;
  /** Called if the database can only be read, with the reason. */
  readonly unwritable?: (reason: PorchlightError) => void;
  /** The size of the write-ahead log from which it is moved into the database, in bytes. */
  readonly largestLogBytes?: number;
  /** How long nothing must have been saved before the log is moved into the database, in ms. */
  readonly quietMs?: number;
  /** Returns whether the service is open. Until then, rows are only read by `whenSound`. By default, it is open. */
  readonly isServiceOpen?: () => boolean;
}

/** The database of everything that Porchlight records by itself (see openRecords). */
export interface Records extends RecordsCopies {
  /**
   * Runs a query and returns its rows, each converted by `read`. Call it only for queries whose time doesn't grow with
   * the data.
   * @throws PorchlightError `storage_gone`, `storage_damaged`; the error that kept the database from being opened
   * @throws TypeError outside of `whenSound` until the service is open
   */
  rows<T>(read: (row: Row) => T, sql: string, ...cells: readonly Cell[]): T[];
  /**
   * Makes a change in a transaction. Changes that arrive in the same turn of the event loop share one. `change` must be
   * synchronous. Resolves with its result once that is on disk. Rejects with its error, and then nothing has changed.
   * `mayWait`: for a change that nobody waits for, and that may be lost if the process is killed. It is made with the
   * next other change, or after 100 ms. `ends`: for a change that ends something. On a full disk, it is made in the room
   * of the reserve (see reserve.ts). A change that finds that the database is damaged is made in the repaired one.
   * @throws PorchlightError `storage_gone`, `storage_full`, `storage_unwritable`, `storage_damaged`
   */
  write<T>(change: (transaction: Transaction) => T, options?: WriteOptions): Promise<T>;
  /**
   * Runs `work`. If it fails because the database is damaged, waits for the repair and runs it again. For what no
   * request waits for, such as a start.
   * @throws the errors of `work`
   */
  whenSound<T>(work: () => T | Promise<T>): Promise<T>;
  /** How many rows were changed since the database was opened. */
  readonly changes: number;
  /** How often the database was opened. If that changes, what was read before may no longer be true. */
  readonly openings: number;
  /** Whether other files are at the paths of the open database. Nothing is written then. */
  readonly isReplaced: boolean;
  /** Resolves once everything that queries show now is on disk. Rejects like `write`. */
  settled(): Promise<void>;
  /**
   * Gives free pages back to the disk, if there are many: in steps, between which changes are made.
   * @throws PorchlightError as `write` does
   */
  shrink(): Promise<void>;
  /** Moves the write-ahead log into the database and closes it. */
  close(): Promise<void>;
}

/** Databases that stay open until the process ends. Without a reference, the garbage collector would close them. */
const left = new Set<Place>();

/**
 * Opens records.sqlite, the source of truth for everything that Porchlight records by itself. Creates it if it is
 * missing. The event loop never waits for the disk: SQLite doesn't sync on this thread, and checkpoints are made by
 * another one.
 *
 * A damaged database is repaired (see repair.ts), also while it is open. Meanwhile, queries are refused and changes
 * wait. If nothing can be written, the database only answers queries. If it can't be read either, they are refused.
 * @throws PorchlightError `storage_newer`, `storage_damaged`
 */
export async function openRecords(options: RecordsOptions): Promise<Records> {
  const { dir, tables, log, renewed, largestLogBytes = largestLog, quietMs = quietLogMs } = options;
  const { isServiceOpen = () => true, unwritable } = options;
  const file = join(dir, recordsName);
  const repairOptions = { tables, now: () => new Date(), record: options.recordRepair };
  const exclusive = oneAtATime();
  let place: Place | undefined;
  /** Why there is no `place`. */
  let reason: PorchlightError | undefined;
  /** The failure of a sync. Nothing is acknowledged until everything was written anew. */
  let distrust: PorchlightError | undefined;
  let opening: Promise<Place> | undefined;
  let checkpointing: Promise<void> | undefined;
  let noCheckpointBefore = 0;
  /** When the first of the changes that are only in the log was saved. */
  let logSince: number | undefined;
  let quiet: NodeJS.Timeout | undefined;
  /** Whether the data folder was found at its path since the process last waited. */
  let isVerified = false;
  let openings = 0;
  /** How many calls of `whenSound` are running. */
  let tries = 0;
  let isClosed = false;

  let repairs = 0;

  function failure(error: unknown): Error {
    const found = recordsFailure(file, error);
    // An error with this code that a change itself has thrown says nothing about the database.
    const isDamage = found !== error && found instanceof PorchlightError && found.code === 'storage_damaged';
    // A virtual table, such as one of full text, is derived. Its feature builds it again.
    if (isDamage && !isVirtualTableDamaged(error)) giveUp(found);
    return found;
  }

  const isReopening = (): boolean => place === undefined && opening !== undefined;

  const commits = createGroupCommit({
    target: () => (place && !place.reading && distrust === undefined ? place : writable()),
    failure,
    syncFailed: (error) => (distrust = error),
    mayWrite: () => mustHaveReserve(file),
    makeRoom: () => releaseReserve(file),
    synced: logged,
    isReopening,
  });

  async function opened(): Promise<Place> {
    const open = await openSound(file, repairOptions);
    const one = placeAt(file, open, {
      reading: undefined,
      knownFailed: (error) => log.warn({ err: error }, 'known.json can’t be written'),
      mustBeHere() {
        // If the folder is back later, its database is still open.
        verifiedRoot(dir);
        if (!open.isAtPath()) throw folderGone(dir);
        if (!open.isLogAtPath()) writeOut(one);
      },
    });
    // A folder of an earlier version has no known.json.
    if ((await readKnown(dir)) === undefined) await one.sync(one.known).catch(() => undefined);
    return one;
  }

  /** Gives up a damaged database, and repairs it in the background. */
  function giveUp(found: PorchlightError): void {
    const one = place;
    if (one === undefined || one.reading || isClosed || repairs === mostRepairs) return;
    repairs += 1;
    log.warn({ err: found }, 'the database is damaged and is being repaired');
    reopen(one, found, () => repairRecords(file, repairOptions));
  }

  /**
   * Moves a write-ahead log that was deleted into the database, through the connection that still has it open. Waits
   * for the disk, because a thread would open another log.
   * @throws PorchlightError if that is not possible now
   */
  function writeOut(one: Place): void {
    try {
      if (!emptyLog(one.database)) throw new PorchlightError('storage_busy', logGone, 503);
    } catch (error) {
      throw failure(error);
    }
    if (isClosed || place !== one) return;
    const found = new PorchlightError('storage_busy', logGone, 503);
    log.warn({ err: found }, 'the log of the database was deleted, and what it held was saved');
    reopen(one, found, () => Promise.resolve());
  }

  /** Closes a database for `work`, and opens the one at its path. Meanwhile, queries are refused and changes wait. */
  function reopen(one: Place, why: PorchlightError, work: () => Promise<void>): void {
    place = undefined;
    reason = why;
    opening ??= commits
      .synced()
      .then(() => closePlace(one))
      .then(work)
      .then(() => openHere())
      .then((opened) => {
        // What is told reads rows, at an opening too.
        tries += 1;
        try {
          renewed?.();
        } finally {
          tries -= 1;
        }
        return opened;
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the database could not be opened again');
        throw (reason = failure(error) as PorchlightError);
      })
      .finally(() => (opening = undefined));
    opening.catch(() => undefined);
  }

  /** Opens the database at its path, which takes the place of any other. */
  async function openHere(): Promise<Place> {
    await mustBeLocked(dir);
    if (place?.reading?.keepsOut === true) {
      // It is closed only if there is room for changes, because queries are refused meanwhile.
      tryToChange(place.database, tables);
      await place.reading.end();
      place = undefined;
    }
    const before = place;
    const one = await opened();
    place = one;
    openings += 1;
    reason = undefined;
    distrust = undefined;
    logged();
    // Closing a connection without locks would drop those of the new one.
    if (before?.reading?.isLockless === true) left.add(before);
    else await before?.reading?.end();
    return one;
  }

  /**
   * Returns the database, once it can be written to.
   * @throws PorchlightError why it can't
   */
  async function writable(): Promise<Place> {
    if (isClosed) throw new PorchlightError('storage_unwritable', `"${file}" is closed.`, 500);
    if (place === undefined || place.reading) {
      opening ??= openHere().finally(() => (opening = undefined));
      try {
        await opening;
      } catch (error) {
        throw failure(error);
      }
    }
    if (distrust !== undefined) await writeAnew();
    if (isReopening()) return writable();
    if (place === undefined) throw reason ?? folderGone(dir);
    return place;
  }

  /** Writes everything into the database, after a sync has failed. */
  async function writeAnew(): Promise<void> {
    const current = place;
    // The thread opens the database by its path.
    current?.mustBeHere();
    if (place !== current) return;
    const isDone = await exclusive(async () => current && writeWhole(current)).catch((error: unknown) => {
      throw failure(error);
    });
    if (isDone === true) distrust = undefined;
    else if (distrust) throw distrust;
  }

  /** Notes that the log has grown, and checks whether to move it into the database. */
  function logged(): void {
    logSince ??= performance.now();
    quiet = quiet?.refresh() ?? setTimeout(() => checkLog(true), quietMs).unref();
    checkLog(performance.now() - logSince >= longestLogMs);
  }

  function checkLog(isDue: boolean): void {
    if (place === undefined || performance.now() < noCheckpointBefore) return;
    checkpointing ??= checkpointIfDue(place, isDue)
      .catch((error: unknown) =>
        log.warn({ err: failure(error) }, 'the database could not be written in full'),
      )
      .finally(() => (checkpointing = undefined));
  }

  async function checkpointIfDue(current: Place, isDue: boolean): Promise<void> {
    // This runs after each sync, and asking the system in another thread would take longer than its answer.
    const { log } = current.file;
    if (log === undefined || (!isDue && fstatSync(log.fd).size < largestLogBytes)) return;
    current.mustBeHere();
    if (place === current) await exclusive(() => checkpoint(current));
  }

  /** Moves the write-ahead log into the database. Commits go on until only the last part is left. */
  async function checkpoint(current: Place): Promise<void> {
    noCheckpointBefore = performance.now() + checkpointPauseMs;
    try {
      await current.thread.run({ kind: 'checkpoint', whole: false });
      const isDone = await commits.holding(() => writeWhole(current));
      if (isDone) [noCheckpointBefore, logSince] = [0, undefined];
    } finally {
      await current.thread.run({ kind: 'end' });
    }
  }

  /** Moves the whole write-ahead log into the database, while nothing is committed. Returns whether that was possible. */
  async function writeWhole(current: Place): Promise<boolean> {
    return current.thread.run({ kind: 'checkpoint', whole: true });
  }

  /** Returns the open database. Tries to open it again in the background if its folder was gone. */
  function readable(): Place {
    if (!isVerified) {
      verifiedRoot(dir);
      // One look serves all queries that are made before the process waits again. For each, it takes as long as the query.
      isVerified = true;
      setImmediate(() => (isVerified = false));
    }
    if (place) return place;
    if (!isClosed) void writable().catch(() => undefined);
    throw reason ?? folderGone(dir);
  }

  try {
    await openHere();
  } catch (error) {
    reason = failure(error) as PorchlightError;
    if (!isDiskFailure(reason)) throw failure(error);
    log.warn({ err: error }, 'the database can only be read');
    unwritable?.(reason);
    place = await readingPlace(file, repairOptions).catch((cause: unknown) => {
      log.warn({ err: cause }, 'the database can’t be read either');
      return undefined;
    });
  }

  const copies = createRecordsCopies({ dir, tables, commits, exclusive, failure, readable, writable });
  return {
    rows(read, sql, ...cells) {
      if (tries === 0 && !isServiceOpen()) throw new TypeError('Rows are read by `whenSound` at an opening.');
      const { prepared } = readable();
      try {
        return (prepared(sql).all(...cells) as Row[]).map(read);
      } catch (error) {
        throw failure(error);
      }
    },

    async whenSound(work) {
      tries += 1;
      try {
        for (;;) {
          const before = openings;
          try {
            return await work();
          } catch (error) {
            const isDamage = error instanceof PorchlightError && error.code === 'storage_damaged';
            if (!isDamage || (opening === undefined && openings === before)) throw error;
            await writable();
          }
        }
      } finally {
        tries -= 1;
      }
    },

    get changes() {
      return commits.changes;
    },

    get openings() {
      return openings;
    },

    get isReplaced() {
      return place !== undefined && !place.reading && !place.file.isAtPath();
    },

    write: (change, how) => commits.write(change, how),
    settled: () => commits.settled(),

    ...copies,

    async shrink() {
      if (!hasManyFreePages(readable().database)) return;
      (await writable()).mustBeHere();
      const current = await writable();
      try {
        for (let isDone = false; !isDone;) {
          isDone = await exclusive(async () => {
            current.mustBeHere();
            return place !== current || current.thread.run({ kind: 'shrink' });
          });
          await pause(shrinkPauseMs);
        }
        // The file gets shorter when the log is moved into it.
        if (place === current) await exclusive(() => checkpoint(current));
      } catch (error) {
        throw failure(error);
      }
    },

    async close() {
      await commits.idle();
      clearTimeout(quiet);
      isClosed = true;
      await checkpointing;
      await opening?.catch(() => undefined);
      const current = place;
      place = undefined;
      if (current === undefined) return;
      if (current.reading) return current.reading.end();
      try {
        current.mustBeHere();
      } catch {
        // Closing the database would delete the write-ahead log at its path, which may belong to another folder.
        left.add(current);
        return current.thread.close();
      }
      await exclusive(() => writeWhole(current)).catch(() => false);
      await closePlace(current);
    },
  };
}
