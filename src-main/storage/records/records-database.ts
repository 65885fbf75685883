import { join } from 'node:path';
import { setImmediate } from 'node:timers';
import { PorchlightError } from '../../contract/error.ts';
import { folderGone, mustBeLocked, verifiedRoot } from '../held-folders.ts';
import { oneAtATime } from '../pacing.ts';
import { isVirtualTableDamaged } from '../sqlite.ts';
import { mustHaveReserve, releaseReserve } from '../reserve.ts';
import { isDiskFailure } from '../storage-error.ts';
import { Checkpoints, writeWhole } from './checkpoints.ts';
import { GroupCommit } from './group-commit.ts';
import { recordsFailure } from './records-failure.ts';
import { readKnown } from './known.ts';
import type { RecordTable } from './record-table.ts';
import { emptyLog, recordsName, tryToChange } from './records-file.ts';
import { closePlace, type Place, placeAt, readingPlace } from './records-place.ts';
import { openSound, repairRecords, type RepairOptions } from './repair.ts';

/** The maximum number of repairs until the next start, in case the disk itself is damaged. */
const mostRepairs = 3;
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

/** Databases that stay open until the process ends. Without a reference, the garbage collector would close them. */
const left = new Set<Place>();

/** The open database, which is repaired, written again or opened again while others use it. */
export class RecordsDatabase {
  readonly #options: RecordsOptions;
  readonly #file: string;
  readonly #repairOptions: RepairOptions;
  readonly #checkpoints: Checkpoints;
  readonly commits: GroupCommit;
  /** Runs jobs of the database's thread, one at a time. */
  readonly exclusive = oneAtATime();
  #place: Place | undefined;
  /** Why there is no place. */
  #reason: PorchlightError | undefined;
  /** The failure of a sync. Nothing is acknowledged until everything was written again. */
  #distrust: PorchlightError | undefined;
  #opening: Promise<Place> | undefined;
  /** Whether the data folder was found at its path since the process last waited. */
  #isVerified = false;
  /** How often the database was opened. */
  openings = 0;
  /** How many calls of `whenSound` are running. */
  #tries = 0;
  #repairs = 0;
  #isClosed = false;

  constructor(options: RecordsOptions) {
    this.#options = options;
    this.#file = join(options.dir, recordsName);
    this.#repairOptions = { tables: options.tables, now: () => new Date(), record: options.recordRepair };
    this.commits = new GroupCommit({
      target: () => {
        const place = this.#place;
        return place && !place.reading && this.#distrust === undefined ? place : this.writable();
      },
      failure: (error) => this.failure(error),
      syncFailed: (error) => (this.#distrust = error),
      mayWrite: () => mustHaveReserve(this.#file),
      makeRoom: () => releaseReserve(this.#file),
      synced: () => this.#checkpoints.logged(),
      isReopening: () => this.#isReopening(),
    });
    this.#checkpoints = new Checkpoints({
      ...options,
      place: () => this.#place,
      commits: this.commits,
      exclusive: this.exclusive,
      failure: (error) => this.failure(error),
    });
  }

  /** Opens the database for the first time. If nothing can be written, opens it only for queries. */
  async open(): Promise<void> {
    const { log, unwritable } = this.#options;
    try {
      await this.#openHere();
    } catch (error) {
      const reason = this.failure(error);
      if (!isDiskFailure(reason)) throw reason;
      this.#reason = reason;
      log.warn({ err: error }, 'the database can only be read');
      unwritable?.(reason);
      this.#place = await readingPlace(this.#file, this.#repairOptions).catch((cause: unknown) => {
        log.warn({ err: cause }, 'the database can’t be read either');
        return undefined;
      });
    }
  }

  /** Converts an error of SQLite or of the file system. Repairs the database if the error says that it is damaged. */
  failure(error: unknown): Error {
    const found = recordsFailure(this.#file, error);
    // An error with this code that a change itself has thrown says nothing about the database.
    const isDamage = found !== error && found instanceof PorchlightError && found.code === 'storage_damaged';
    // A virtual table, such as one of full text, is derived. Its feature builds it again.
    if (isDamage && !isVirtualTableDamaged(error)) this.#giveUp(found);
    return found;
  }

  get isReplaced(): boolean {
    const place = this.#place;
    return place !== undefined && !place.reading && !place.file.isAtPath();
  }

  /** Returns whether a database is still the open one. */
  isOpen(place: Place): boolean {
    return this.#place === place;
  }

  /** Returns the open database for a query. */
  queried(): Place {
    const { isServiceOpen = () => true } = this.#options;
    if (this.#tries === 0 && !isServiceOpen())
      throw new TypeError('Rows are read by `whenSound` at an opening.');
    return this.readable();
  }

  /** Returns the open database. Tries to open it again in the background if its folder was gone. */
  readable(): Place {
    const { dir } = this.#options;
    if (!this.#isVerified) {
      verifiedRoot(dir);
      // One look serves all queries that are made before the process waits again. For each, it takes as long as the query.
      this.#isVerified = true;
      setImmediate(() => (this.#isVerified = false));
    }
    if (this.#place) return this.#place;
    if (!this.#isClosed) void this.writable().catch(() => undefined);
    throw this.#reason ?? folderGone(dir);
  }

  /**
   * Returns the database, once it can be written to.
   * @throws PorchlightError why it can't
   */
  async writable(): Promise<Place> {
    if (this.#isClosed) throw new PorchlightError('storage_unwritable', `"${this.#file}" is closed.`, 500);
    if (this.#place === undefined || this.#place.reading) {
      this.#opening ??= this.#openHere().finally(() => (this.#opening = undefined));
      try {
        await this.#opening;
      } catch (error) {
        throw this.failure(error);
      }
    }
    if (this.#distrust !== undefined) await this.#writeAgain();
    if (this.#isReopening()) return this.writable();
    if (this.#place === undefined) throw this.#reason ?? folderGone(this.#options.dir);
    return this.#place;
  }

  /** Runs `work`, and again after a repair if it finds damage; see Records.whenSound. */
  async whenSound<T>(work: () => T | Promise<T>): Promise<T> {
    this.#tries += 1;
    try {
      for (;;) {
        const before = this.openings;
        try {
          return await work();
        } catch (error) {
          const isDamage = error instanceof PorchlightError && error.code === 'storage_damaged';
          if (!isDamage || (this.#opening === undefined && this.openings === before)) throw error;
          await this.writable();
        }
      }
    } finally {
      this.#tries -= 1;
    }
  }

  /** Moves the write-ahead log into the database. */
  async checkpoint(current: Place): Promise<void> {
    if (this.#place === current) await this.exclusive(() => this.#checkpoints.make(current));
  }

  async close(): Promise<void> {
    await this.commits.idle();
    this.#isClosed = true;
    await this.#checkpoints.stop();
    await this.#opening?.catch(() => undefined);
    const current = this.#place;
    this.#place = undefined;
    if (current === undefined) return;
    if (current.reading) return current.reading.end();
    try {
      current.mustBeHere();
    } catch {
      // Closing the database would delete the write-ahead log at its path, which may belong to another folder.
      left.add(current);
      return current.thread.close();
    }
    await this.exclusive(() => writeWhole(current)).catch(() => false);
    await closePlace(current);
  }

  #isReopening(): boolean {
    return this.#place === undefined && this.#opening !== undefined;
  }

  async #opened(): Promise<Place> {
    const { dir, log } = this.#options;
    const open = await openSound(this.#file, this.#repairOptions);
    const one = placeAt(this.#file, open, {
      reading: undefined,
      knownFailed: (error) => log.warn({ err: error }, 'known.json can’t be written'),
      mustBeHere: () => {
        // If the folder is back later, its database is still open.
        verifiedRoot(dir);
        if (!open.isAtPath()) throw folderGone(dir);
        if (!open.isLogAtPath()) this.#writeOut(one);
      },
    });
    // A folder of an earlier version has no known.json.
    if ((await readKnown(dir)) === undefined) await one.sync(one.known).catch(() => undefined);
    return one;
  }

  /** Gives up a damaged database, and repairs it in the background. */
  #giveUp(found: PorchlightError): void {
    const one = this.#place;
    if (one === undefined || one.reading || this.#isClosed || this.#repairs === mostRepairs) return;
    this.#repairs += 1;
    this.#options.log.warn({ err: found }, 'the database is damaged and is being repaired');
    this.#reopen(one, found, () => repairRecords(this.#file, this.#repairOptions));
  }

  /**
   * Moves a write-ahead log that was deleted into the database, through the connection that still has it open. Waits
   * for the disk, because a thread would open another log.
   * @throws PorchlightError if that is not possible now
   */
  #writeOut(one: Place): void {
    try {
      if (!emptyLog(one.database)) throw new PorchlightError('storage_busy', logGone, 503);
    } catch (error) {
      throw this.failure(error);
    }
    if (this.#isClosed || this.#place !== one) return;
    const found = new PorchlightError('storage_busy', logGone, 503);
    this.#options.log.warn({ err: found }, 'the log of the database was deleted, and what it held was saved');
    this.#reopen(one, found, () => Promise.resolve());
  }

  /** Closes a database for `work`, and opens the one at its path. Meanwhile, queries are refused and changes wait. */
  #reopen(one: Place, why: PorchlightError, work: () => Promise<void>): void {
    this.#place = undefined;
    this.#reason = why;
    this.#opening ??= this.commits
      .synced()
      .then(() => closePlace(one))
      .then(work)
      .then(() => this.#openHere())
      .then((opened) => {
        // What is told reads rows, at an opening too.
        this.#tries += 1;
        try {
          this.#options.renewed?.();
        } finally {
          this.#tries -= 1;
        }
        return opened;
      })
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the database could not be opened again');
        throw (this.#reason = this.failure(error) as PorchlightError);
      })
      .finally(() => (this.#opening = undefined));
    this.#opening.catch(() => undefined);
  }

  /** Opens the database at its path, which takes the place of any other. */
  async #openHere(): Promise<Place> {
    const { dir, tables } = this.#options;
    await mustBeLocked(dir);
    if (this.#place?.reading?.keepsOut === true) {
      // It is closed only if there is room for changes, because queries are refused meanwhile.
      tryToChange(this.#place.database, tables);
      await this.#place.reading.end();
      this.#place = undefined;
    }
    const before = this.#place;
    const one = await this.#opened();
    this.#place = one;
    this.openings += 1;
    this.#reason = undefined;
    this.#distrust = undefined;
    this.#checkpoints.logged();
    // Closing a connection without locks would drop those of the new one.
    if (before?.reading?.isLockless === true) left.add(before);
    else await before?.reading?.end();
    return one;
  }

  /** Writes everything into the database, after a sync has failed. */
  async #writeAgain(): Promise<void> {
    const current = this.#place;
    // The thread opens the database by its path.
    current?.mustBeHere();
    if (this.#place !== current) return;
    const isDone = await this.exclusive(async () => current && writeWhole(current)).catch(
      (error: unknown) => {
        throw this.failure(error);
      },
    );
    if (isDone === true) this.#distrust = undefined;
    else if (this.#distrust) throw this.#distrust;
  }
}
