import { fstatSync } from 'node:fs';
import { join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { folderGone, mustBeLocked, verifiedRoot } from '../held-folders.ts';
import { oneAtATime } from '../pacing.ts';
import { isVirtualTableDamaged } from '../sqlite.ts';
import { isDiskFailure } from '../storage-error.ts';
import { createGroupCommit, recordsFailure, type Transaction, type WriteOptions } from './group-commit.ts';
import { tablesInLines, type Cell, type LinesFor, type RecordTable, type Row } from './record-table.ts';
import type { RecordsJob } from './records-worker.ts';
import { markUsed, openSound, type RepairOptions, repairRecords, takeSnapshot } from './repair.ts';
import { recordsName, tryToChange } from './records-file.ts';
import { closePlace, placeAt, readingPlace, type Place } from './records-place.ts';

/** The size of the write-ahead log from which it is moved into the database, in bytes. */
const largestLog = 16 * 1024 * 1024;
/** How long to wait before trying again to make a checkpoint that could not be made, in ms. */
const checkpointPauseMs = 5000;
/** The maximum number of repairs until the next start, in case the disk itself is damaged. */
const mostRepairs = 3;

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
}

/** The rows of the database at one moment. Call `end` in any case. */
export interface RecordLines {
  /** Begins to read all rows as they are now. */
  begin(): Promise<void>;
  /** Writes `<table>.jsonl` for each table into a folder, which is created. */
  write(dir: string): Promise<void>;
  end(): void;
}

/** The database of everything that Porchlight records by itself (see openRecords). */
export interface Records {
  /**
   * Runs a query and returns its rows, each converted by `read`. Call it only for queries whose time doesn't grow with
   * the data.
   * @throws PorchlightError `storage_gone`, `storage_damaged`; the error that kept the database from being opened
   */
  rows<T>(read: (row: Row) => T, sql: string, ...cells: readonly Cell[]): T[];
  /**
   * Makes a change in a transaction. Changes that arrive in the same turn of the event loop share one. `change` must be
   * synchronous. Resolves with its result once that is on disk. Rejects with its error, and then nothing has changed.
   * `mayWait`: for a change that nobody waits for, and that may be lost if the process is killed. It is made with the
   * next other change, or after 100 ms.
   * @throws PorchlightError `storage_gone`, `storage_full`, `storage_unwritable`, `storage_damaged`
   */
  write<T>(change: (transaction: Transaction) => T, options?: WriteOptions): Promise<T>;
  /** How often the database was opened. If that changes, what was read before may no longer be true. */
  readonly openings: number;
  /** Whether other files are at the paths of the open database. Nothing is written then. */
  readonly isReplaced: boolean;
  /** Resolves once everything that queries show now is on disk. Rejects like `write`. */
  settled(): Promise<void>;
  /**
   * Prepares to read all rows. Waits for a copy or a checkpoint of the database that is being made, so don't call it
   * during a write pause, for which a copy may be waiting.
   */
  lines(purpose: LinesFor): Promise<RecordLines>;
  /**
   * Makes a copy of the database in the data folder (see snapshots.ts).
   * @throws PorchlightError as `write` does
   */
  snapshot(): Promise<void>;
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
  const { dir, tables, log, renewed, unwritable, largestLogBytes = largestLog } = options;
  const file = join(dir, recordsName);
  const repairOptions = { tables, now: () => new Date(), record: options.recordRepair };
  const exclusive = oneAtATime();
  const snapshots = oneAtATime();
  let place: Place | undefined;
  /** Why there is no `place`. */
  let reason: PorchlightError | undefined;
  /** The failure of a sync. Nothing is acknowledged until everything was written anew. */
  let distrust: PorchlightError | undefined;
  let opening: Promise<Place> | undefined;
  let checkpointing: Promise<void> | undefined;
  let noCheckpointBefore = 0;
  let openings = 0;
  let isClosed = false;

  let repairs = 0;
  let isMarked = false;

  function failure(error: unknown): Error {
    const found = recordsFailure(file, error);
    // A virtual table, such as one of full text, is derived. Its feature builds it again.
    if (found instanceof PorchlightError && found.code === 'storage_damaged' && !isVirtualTableDamaged(error))
      giveUp(found);
    return found;
  }

  const commits = createGroupCommit({
    target: () => (place && !place.reading && distrust === undefined ? place : writable()),
    failure,
    syncFailed: (error) => (distrust = error),
    synced: checkLog,
  });

  async function opened(): Promise<Place> {
    const open = await openSound(file, repairOptions);
    return placeAt(file, open, {
      reading: undefined,
      mustBeHere() {
        // If the folder is back later, its database is still open.
        verifiedRoot(dir);
        if (!open.isAtPath()) throw folderGone(dir);
      },
    });
  }

  /** Gives up a damaged database, and repairs it in the background. */
  function giveUp(found: PorchlightError): void {
    const one = place;
    if (one === undefined || one.reading || isClosed || repairs === mostRepairs) return;
    repairs += 1;
    log.warn({ err: found }, 'the database is damaged and is being repaired');
    place = undefined;
    reason = found;
    opening ??= commits
      .synced()
      .then(() => closePlace(one))
      .then(() => repairRecords(file, repairOptions))
      .then(() => openHere())
      .then((opened) => {
        renewed?.();
        return opened;
      })
      .catch((error: unknown) => {
        log.warn({ err: error }, 'the database could not be repaired');
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
    if (place === undefined) throw reason ?? folderGone(dir);
    return place;
  }

  /** Writes everything into the database, after a sync has failed. */
  async function writeAnew(): Promise<void> {
    const current = place;
    // The thread opens the database by its path.
    current?.mustBeHere();
    const isDone = await exclusive(async () => current && writeWhole(current)).catch((error: unknown) => {
      throw failure(error);
    });
    if (isDone === true) distrust = undefined;
    else if (distrust) throw distrust;
  }

  function checkLog(): void {
    if (place === undefined || performance.now() < noCheckpointBefore) return;
    checkpointing ??= checkpointIfLarge(place)
      .catch((error: unknown) =>
        log.warn({ err: failure(error) }, 'the database could not be written in full'),
      )
      .finally(() => (checkpointing = undefined));
  }

  async function checkpointIfLarge(current: Place): Promise<void> {
    // This runs after each sync, and asking the system in another thread would take longer than its answer.
    const { log } = current.file;
    if (log === undefined || fstatSync(log.fd).size < largestLogBytes) return;
    current.mustBeHere();
    await exclusive(() => checkpoint(current));
  }

  /** Moves the write-ahead log into the database. Commits go on until only the last part is left. */
  async function checkpoint(current: Place): Promise<void> {
    noCheckpointBefore = performance.now() + checkpointPauseMs;
    try {
      await current.thread.run({ kind: 'checkpoint', whole: false });
      const isDone = await commits.holding(() => writeWhole(current));
      if (isDone) noCheckpointBefore = 0;
    } finally {
      await current.thread.run({ kind: 'end' });
    }
  }

  /** Moves the whole write-ahead log into the database, while nothing is committed. Returns whether that was possible. */
  async function writeWhole(current: Place): Promise<boolean> {
    const isDone = await current.thread.run({ kind: 'checkpoint', whole: true });
    if (isDone && !isMarked)
      await markUsed(file)
        .then(() => (isMarked = true))
        .catch(() => undefined);
    return isDone;
  }

  /** Returns the open database. Tries to open it again in the background if its folder was gone. */
  function readable(): Place {
    verifiedRoot(dir);
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
    place = await readingPlace(file, tables).catch((cause: unknown) => {
      log.warn({ err: cause }, 'the database can’t be read either');
      return undefined;
    });
  }

  return {
    rows(read, sql, ...cells) {
      const { prepared } = readable();
      try {
        return (prepared(sql).all(...cells) as Row[]).map(read);
      } catch (error) {
        throw failure(error);
      }
    },

    get openings() {
      return openings;
    },

    get isReplaced() {
      return place !== undefined && !place.reading && !place.file.isAtPath();
    },

    write: (change, how) => commits.write(change, how),
    settled: () => commits.settled(),

    async lines(purpose): Promise<RecordLines> {
      const { file: open, thread, mustBeHere } = readable();
      mustBeHere();
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      await new Promise<void>((resolve) => {
        void exclusive(async () => {
          resolve();
          await ended;
          await thread.run({ kind: 'end' }).catch(() => undefined);
        });
      });
      const run = async (job: RecordsJob): Promise<void> => {
        await thread.run(job).catch((error: unknown) => {
          throw failure(error);
        });
      };
      const dumped = tablesInLines(tables, purpose);
      return {
        async begin() {
          if (open.isAlone)
            await new Promise<void>((resolve) => {
              void commits.holding(() => (resolve(), ended));
            });
          await run({ kind: 'begin' });
        },
        write: (folder) => run({ kind: 'dump', dir: folder, tables: dumped }),
        end,
      };
    },

    async snapshot() {
      const current = await writable();
      current.mustBeHere();
      // Only the job itself is exclusive: a backup pauses changes of files, and waits for its own turn at the thread.
      const take = () =>
        snapshots(() => takeSnapshot(dir, (job) => exclusive(() => current.thread.run(job))));
      try {
        // The folder may have been away for a moment, such as a disk that was mounted again.
        await take().catch(() => (current.mustBeHere(), take()));
      } catch (error) {
        current.mustBeHere();
        throw failure(error);
      }
    },

    async close() {
      await commits.idle();
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
