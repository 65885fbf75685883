import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { PorchlightError } from '../../contract/error.ts';
import { type Database, sqliteFailure, type Statement } from '../sqlite.ts';
import { endingRefused } from '../reserve.ts';
import { isDiskFull } from '../storage-error.ts';
import { countCommit, type Known } from './known.ts';
import type { Cell, Row } from './record-table.ts';

/** What a change may do inside its transaction. */
export interface Transaction {
  /** Runs a query and returns its rows, with the changes of this transaction. */
  readonly rows: (sql: string, ...cells: readonly Cell[]) => Row[];
  /** Runs a statement. Returns the number of rows that it changed. */
  readonly run: (sql: string, ...cells: readonly Cell[]) => number;
  /** Calls a function once the change is on disk. The function must not throw. */
  readonly after: (done: () => void) => void;
}

type Statements = Pick<Transaction, 'rows' | 'run'>;

/** The database, as the commits need it. */
export interface CommitTarget {
  readonly database: Database;
  /** Returns a prepared statement. */
  readonly prepared: (sql: string) => Statement;
  /** What the database knows, with everything that is committed. */
  known: Known;
  /** Syncs the write-ahead log to disk, without blocking the event loop. `reached`: what the database knows then. */
  sync(reached: Known): Promise<void>;
  /**
   * Checks that the database is still at its path.
   * @throws PorchlightError `storage_gone`
   */
  readonly mustBeHere: () => void;
}

interface GroupCommitOptions {
  /**
   * Returns the database, once it can be written to.
   * @throws PorchlightError if it can't
   */
  readonly target: () => CommitTarget | Promise<CommitTarget>;
  /** Converts an error of SQLite or of the file system. */
  readonly failure: (error: unknown) => Error;
  /**
   * Called when a sync has failed. After that, a later sync proves nothing, because the system may have dropped the
   * unwritten pages.
   */
  readonly syncFailed: (reason: PorchlightError) => void;
  /** Called after each sync that succeeded. Must not throw. */
  readonly synced: () => void;
  /**
   * Refuses changes that end nothing while only endings may be written.
   * @throws PorchlightError
   */
  readonly mayWrite: () => void;
  /** Makes room for endings on a full disk. Resolves with whether there is more room now. */
  readonly makeRoom: () => Promise<boolean>;
  /** Returns whether the database is being repaired or opened again. A change that failed is made again after that. */
  readonly isReopening: () => boolean;
}

interface Change {
  /** Whether the change ends something. */
  readonly ends: boolean;
  readonly refuse: (reason: unknown) => void;
}

interface Waiting extends Change {
  /** Runs inside the transaction. Returns what to call once the change is on disk. */
  readonly run: (statements: Statements) => () => void;
}

interface Committed extends Change {
  readonly done: () => void;
}

/** What became of the changes of a group: committed, failed alone, or to be made again after a repair. */
interface Made {
  readonly done: Committed[];
  readonly failed: Set<Waiting>;
  readonly again: Waiting[];
}

/** The maximum number of changes in one transaction, and how long it goes on with another one, in ms. */
const mostInGroup = 500;
const longestGroupMs = 10;
/** How long to wait before the next attempt if another connection is writing, in ms. */
const busyPauseMs = 10;
/** How long a change that may wait is held for others that share its transaction, in ms. */
const mostWaitMs = 100;

/** How a change is made. */
export interface WriteOptions {
  /** Whether the change may wait for others; see Records.write. */
  readonly mayWait?: boolean;
  /** Set if the change ends something: a revocation, a block, a hiding or a deletion. */
  readonly ends?: true;
}

/**
 * Commits changes in groups. Changes that arrive in the same turn of the event loop share a transaction, and so do those
 * that arrive during a sync, because all of them have to wait for the next one: each page that they change is then
 * written once. A change is settled only after the sync that covers it. If the disk is full, a group is tried once more
 * with its endings only, in the room that is made for them.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: Waiting[] = [];
  /** Settled by the next sync: what is committed, and what only waits for what is committed. */
  #committed: Committed[] = [];
  /** Settled by the sync that is being made. */
  #covered: Committed[] = [];
  #working: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;
  /** The sync that is being made. */
  #sync: Promise<void> | undefined;
  /** Whether the last transaction took so long that changes were left for the next one, which then waits for nothing. */
  #isBehind = false;
  /** Runs while only changes that may wait are waiting. */
  #patience: NodeJS.Timeout | undefined;
  /** While this promise is there, nothing is committed. */
  #held: Promise<void> | undefined;
  /** Whether changes were committed that no sync has covered yet. */
  #isAhead = false;
  #changes = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** How many rows were changed so far. */
  get changes(): number {
    return this.#changes;
  }

  /** Makes a change in a transaction; see Records.write. */
  write<T>(
    change: (transaction: Transaction) => T,
    { mayWait = false, ends }: WriteOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        run(statements) {
          const after: (() => void)[] = [];
          const result = change({ ...statements, after: (done) => void after.push(done) });
          return () => {
            for (const done of after) done();
            resolve(result);
          };
        },
        refuse: reject,
        ends: ends === true,
      });
      if (mayWait) this.#patience ??= setTimeout(() => this.#start(), mostWaitMs).unref();
      else this.#start();
    });
  }

  /** Resolves once everything that queries show now is on disk. Rejects like `write`. */
  async settled(): Promise<void> {
    const place = await this.#options.target();
    place.mustBeHere();
    if (!this.#isAhead && this.#sync === undefined) return;
    await new Promise<void>((resolve, reject) => {
      const wait = { done: resolve, refuse: reject, ends: false };
      (this.#isAhead ? this.#committed : this.#covered).push(wait);
      this.#startSync(place);
    });
  }

  /** Runs `work` while nothing is committed. Changes wait for its end. */
  async holding<T>(work: () => Promise<T>): Promise<T> {
    while (this.#held) await this.#held;
    let release: () => void = () => undefined;
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    try {
      return await work();
    } finally {
      this.#held = undefined;
      release();
    }
  }

  /** Resolves when no commit waits for a sync. */
  async synced(): Promise<void> {
    await nextTurn();
    while (this.#syncing) await this.#syncing;
  }

  /** Resolves when nothing waits to be committed or synced. */
  async idle(): Promise<void> {
    if (this.#waiting.length > 0) this.#start();
    while (this.#working || this.#syncing) await Promise.all([this.#working, this.#syncing]);
  }

  #start(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async #work(): Promise<void> {
    // Waits for the changes of the same turn.
    await nextTurn();
    while (this.#waiting.length > 0) {
      // Whoever waits for this sync may have another change.
      if (this.#sync && !this.#isBehind) await this.#sync.then(nextTurn, nextTurn);
      while (this.#held) await this.#held;
      let place: CommitTarget;
      try {
        place = await this.#options.target();
        if (this.#isHeld()) continue;
      } catch (error) {
        await this.#refuse(this.#waiting.splice(0), error);
        continue;
      }
      const group = this.#admitted(this.#waiting.splice(0, mostInGroup));
      if (group.length > 0) await this.#commit(place, group);
      await nextTurn();
    }
  }

  /** Returns whether commits are held back. If code read it directly, the type checker would assume that it stays. */
  #isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Returns the changes of a group that may be written now, and refuses the others. */
  #admitted(group: Waiting[]): Waiting[] {
    try {
      this.#options.mayWrite();
      return group;
    } catch (error) {
      return group.filter((one) => one.ends || one.refuse(error));
    }
  }

  /** Makes changes again, before those that wait. */
  #again(changes: readonly Waiting[]): void {
    this.#waiting = [...changes, ...this.#waiting];
  }

  /** Refuses changes that could not be made. If room could be made, the endings among them are tried again. */
  async #refuse(group: readonly Waiting[], error: unknown): Promise<void> {
    const isRoom = await this.#couldMakeRoom(group, error);
    const isAgain = (one: Waiting): boolean => isRoom && one.ends;
    refuseAll(
      group.filter((one) => !isAgain(one)),
      error,
    );
    this.#again(group.filter(isAgain));
  }

  async #couldMakeRoom(changes: readonly Change[], error: unknown): Promise<boolean> {
    return isDiskFull(error) && changes.some(({ ends }) => ends) && (await this.#options.makeRoom());
  }

  /** Commits a group. Refuses the changes that fail, or makes them again later. */
  async #commit(place: CommitTarget, group: Waiting[]): Promise<void> {
    this.#isBehind = false;
    const { failure, isReopening } = this.#options;
    const { database } = place;
    const made: Made = { done: [], failed: new Set(), again: [] };
    try {
      place.mustBeHere();
      if (isReopening()) {
        this.#again(group);
        return;
      }
      this.#transact(place, group, made);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      const rest = group.filter((one) => !made.failed.has(one));
      if (isBusy(error)) {
        this.#again([...made.again, ...rest]);
        await pause(busyPauseMs);
        return;
      }
      const reason = failure(error);
      // A database that is damaged is being repaired now.
      if (isReopening()) this.#again([...made.again, ...rest]);
      else await this.#refuse(rest, reason);
      return;
    }
    this.#again(made.again);
    if (made.done.length === 0) return;
    const { commits, endings } = place.known;
    place.known = { commits: commits + 1, endings: endings + endingsIn(made.done) };
    this.#committed.push(...made.done);
    this.#isAhead = true;
    this.#startSync(place);
  }

  /** Makes the changes of a group in a transaction. Notes in `made` what became of each. */
  #transact({ database, prepared }: CommitTarget, group: Waiting[], made: Made): void {
    const { failure, isReopening } = this.#options;
    const statements: Statements = {
      rows: (sql, ...cells) => prepared(sql).all(...cells) as Row[],
      run: (sql, ...cells) => {
        const changed = Number(prepared(sql).run(...cells).changes);
        this.#changes += changed;
        return changed;
      },
    };
    const make = ({ run, refuse, ends }: Waiting) => made.done.push({ done: run(statements), refuse, ends });

    /** Makes a change whose failure doesn't concern the others of the group. */
    function runAmongOthers(one: Waiting): void {
      database.exec('SAVEPOINT change');
      try {
        make(one);
      } catch (error) {
        // SQLite may have rolled back the whole transaction. On a full disk, all changes are refused.
        if (!database.isTransaction || sqliteFailure(error) === 'full') throw error;
        database.exec('ROLLBACK TO change');
        made.failed.add(one);
        const reason = failure(error);
        if (isReopening()) made.again.push(one);
        else refuseAll([one], reason);
      }
      database.exec('RELEASE change');
    }

    database.exec('BEGIN IMMEDIATE');
    // A change that is alone needs no savepoint, for which SQLite would copy each page that it changes.
    if (group.length === 1) group.forEach(make);
    else for (const one of this.#inTime(group)) runAmongOthers(one);
    if (made.done.length > 0) prepared(countCommit).run(endingsIn(made.done));
    database.exec('COMMIT');
  }

  /** Yields the changes of a group. If that takes too long, leaves the last ones for the next transaction. */
  *#inTime(group: Waiting[]): Generator<Waiting> {
    const end = performance.now() + longestGroupMs;
    for (const [index, one] of group.entries()) {
      if (performance.now() > end) {
        this.#isBehind = true;
        this.#again(group.splice(index));
        return;
      }
      yield one;
    }
  }

  #startSync(place: CommitTarget): void {
    this.#syncing ??= this.#syncAll(place).finally(() => (this.#syncing = undefined));
  }

  async #syncAll(place: CommitTarget): Promise<void> {
    while (this.#committed.length > 0) {
      this.#covered = this.#committed;
      this.#committed = [];
      this.#isAhead = false;
      try {
        this.#sync = place.sync(place.known);
        await this.#sync;
        place.mustBeHere();
      } catch (error) {
        await this.#failed(this.#options.failure(error) as PorchlightError);
        return;
      } finally {
        this.#sync = undefined;
      }
      for (const { done } of this.#covered) done();
      this.#options.synced();
    }
  }

  /** Refuses what a sync should have covered. No later sync would prove that the other commits are on disk either. */
  async #failed(reason: PorchlightError): Promise<void> {
    const all = [...this.#covered, ...this.#committed];
    this.#committed = [];
    this.#options.syncFailed(reason);
    const isRoom = await this.#couldMakeRoom(all, reason);
    // The target is there again once everything was written again.
    const isWritten =
      isRoom &&
      (await Promise.resolve(this.#options.target()).then(
        () => true,
        () => false,
      ));
    if (isWritten) for (const { ends, done } of all) if (ends) done();
    refuseAll(isWritten ? all.filter(({ ends }) => !ends) : all, reason);
  }
}

const endingsIn = (changes: readonly Change[]): number => changes.filter(({ ends }) => ends).length;

function refuseAll(changes: readonly Change[], error: unknown): void {
  for (const { ends, refuse } of changes) refuse(ends ? endingRefused(error) : error);
}
/** Returns whether another connection was writing. The same change may succeed a moment later. */
const isBusy = (error: unknown): boolean => sqliteFailure(error) === 'busy';
