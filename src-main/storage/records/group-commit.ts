import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import { type Database, sqliteFailure, type SqliteFailure, type Statement } from '../sqlite.ts';
import { endingRefused } from '../reserve.ts';
import { errorCode, isDiskFull, writeFailure } from '../storage-error.ts';
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
  /** Syncs the write-ahead log to disk, without blocking the event loop. */
  sync(): Promise<void>;
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
export function createGroupCommit({ target, failure, syncFailed, synced, ...reserve }: GroupCommitOptions) {
  let waiting: Waiting[] = [];
  /** Settled by the next sync: what is committed, and what only waits for what is committed. */
  let committed: Committed[] = [];
  /** Settled by the sync that is being made. */
  let covered: Committed[] = [];
  let working: Promise<void> | undefined;
  let syncing: Promise<void> | undefined;
  /** The sync that is being made. */
  let sync: Promise<void> | undefined;
  /** Whether the last transaction took so long that changes were left for the next one, which then waits for nothing. */
  let isBehind = false;
  /** Runs while only changes that may wait are waiting. */
  let patience: NodeJS.Timeout | undefined;
  /** While this promise is there, nothing is committed. */
  let held: Promise<void> | undefined;
  /** Whether changes were committed that no sync has covered yet. */
  let isAhead = false;

  function start(): void {
    clearTimeout(patience);
    patience = undefined;
    working ??= work().finally(() => (working = undefined));
  }

  async function work(): Promise<void> {
    // Waits for the changes of the same turn.
    await nextTurn();
    while (waiting.length > 0) {
      // Whoever waits for this sync may have another change.
      if (sync && !isBehind) await sync.then(nextTurn, nextTurn);
      while (held) await held;
      let place: CommitTarget;
      try {
        place = await target();
        if (isHeld()) continue;
      } catch (error) {
        await refuse(waiting.splice(0), error);
        continue;
      }
      const group = admitted(waiting.splice(0, mostInGroup));
      try {
        if (group.length > 0) commit(place, group);
      } catch (error) {
        if (isBusy(error)) {
          waiting = [...group, ...waiting];
          await pause(busyPauseMs);
        } else await refuse(group, failure(error));
      }
      await nextTurn();
    }
  }

  /** Returns the changes of a group that may be written now, and refuses the others. */
  function admitted(group: Waiting[]): Waiting[] {
    try {
      reserve.mayWrite();
      return group;
    } catch (error) {
      return group.filter((one) => one.ends || one.refuse(error));
    }
  }

  /** Refuses changes that could not be made. If room could be made, the endings among them are tried again. */
  async function refuse(group: readonly Waiting[], error: unknown): Promise<void> {
    const isRoom = await couldMakeRoom(group, error);
    const again = isRoom ? group.filter(({ ends }) => ends) : [];
    refuseAll(group.filter((one) => !again.includes(one)), error); // prettier-ignore
    waiting = [...again, ...waiting];
  }

  const couldMakeRoom = async (changes: readonly Change[], error: unknown): Promise<boolean> =>
    isDiskFull(error) && changes.some(({ ends }) => ends) && (await reserve.makeRoom());

  /** Returns whether commits are held back. If code read it directly, the type checker would assume that it stays. */
  const isHeld = (): boolean => held !== undefined;

  /**
   * Commits a group.
   * @throws what kept the whole group from being committed
   */
  function commit(place: CommitTarget, group: Waiting[]): void {
    isBehind = false;
    const { database, prepared } = place;
    const statements: Statements = {
      rows: (sql, ...cells) => prepared(sql).all(...cells) as Row[],
      run: (sql, ...cells) => Number(prepared(sql).run(...cells).changes),
    };
    const done: Committed[] = [];

    /** Makes a change whose failure doesn't concern the others of the group. */
    function runAmongOthers(one: Waiting): void {
      database.exec('SAVEPOINT change');
      try {
        done.push(committedBy(one));
      } catch (error) {
        // SQLite may have rolled back the whole transaction. On a full disk, all changes are refused.
        if (!database.isTransaction || sqliteFailure(error) === 'full') throw error;
        database.exec('ROLLBACK TO change');
        refuseAll([one], failure(error));
      }
      database.exec('RELEASE change');
    }

    const committedBy = ({ run, ends, refuse: no }: Waiting): Committed => ({
      done: run(statements),
      ends,
      refuse: no,
    });

    try {
      place.mustBeHere();
      database.exec('BEGIN IMMEDIATE');
      // A change that is alone needs no savepoint, for which SQLite would copy each page that it changes.
      if (group.length === 1) done.push(...group.map(committedBy));
      else for (const one of inTime(group)) runAmongOthers(one);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
    committed.push(...done);
    isAhead = true;
    startSync(place);
  }

  /** Yields the changes of a group. If that takes too long, leaves the last ones for the next transaction. */
  function* inTime(group: Waiting[]): Generator<Waiting> {
    const end = performance.now() + longestGroupMs;
    for (const [index, one] of group.entries()) {
      if (performance.now() > end) {
        isBehind = true;
        waiting = [...group.splice(index), ...waiting];
        return;
      }
      yield one;
    }
  }

  function startSync(place: CommitTarget): void {
    syncing ??= syncAll(place).finally(() => (syncing = undefined));
  }

  async function syncAll(place: CommitTarget): Promise<void> {
    while (committed.length > 0) {
      covered = committed;
      committed = [];
      isAhead = false;
      try {
        sync = place.sync();
        await sync;
        place.mustBeHere();
      } catch (error) {
        const reason = failure(error) as PorchlightError;
        // No later sync would prove that the other commits are on disk either.
        const all = [...covered, ...committed];
        committed = [];
        syncFailed(reason);
        const isRoom = await couldMakeRoom(all, reason);
        // The target is there again once everything was written anew.
        const isWritten = isRoom && (await Promise.resolve(target()).then(() => true, () => false)); // prettier-ignore
        if (isWritten) for (const { ends, done } of all) if (ends) done();
        refuseAll(isWritten ? all.filter(({ ends }) => !ends) : all, reason);
        return;
      } finally {
        sync = undefined;
      }
      for (const { done } of covered) done();
      synced();
    }
  }

  return {
    /** Makes a change in a transaction; see Records.write. */
    write<T>(
      change: (transaction: Transaction) => T,
      { mayWait = false, ends }: WriteOptions = {},
    ): Promise<T> {
      return new Promise((resolve, reject) => {
        waiting.push({
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
        if (mayWait) patience ??= setTimeout(start, mostWaitMs).unref();
        else start();
      });
    },

    /** Resolves once everything that queries show now is on disk. Rejects like `write`. */
    async settled(): Promise<void> {
      const place = await target();
      place.mustBeHere();
      if (!isAhead && sync === undefined) return;
      await new Promise<void>((resolve, reject) => {
        (isAhead ? committed : covered).push({ done: resolve, refuse: reject, ends: false });
        startSync(place);
      });
    },

    /** Runs `work` while nothing is committed. Changes wait for its end. */
    async holding<T>(work: () => Promise<T>): Promise<T> {
      while (held) await held;
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      try {
        return await work();
      } finally {
        held = undefined;
        release();
      }
    },

    /** Resolves when no commit waits for a sync. */
    async synced(): Promise<void> {
      await nextTurn();
      while (syncing) await syncing;
    },

    /** Resolves when nothing waits to be committed or synced. */
    async idle(): Promise<void> {
      if (waiting.length > 0) start();
      while (working || syncing) await Promise.all([working, syncing]);
    },
  };
}

function refuseAll(changes: readonly Change[], error: unknown): void {
  for (const { ends, refuse } of changes) refuse(ends ? endingRefused(error) : error);
}

/** The codes of the file system for what SQLite says about a disk. */
const systemCodes: Partial<Record<SqliteFailure, string>> = { full: 'ENOSPC', readonly: 'EROFS', io: 'EIO' };

/** Returns whether another connection was writing. The same change may succeed a moment later. */
const isBusy = (error: unknown): boolean => sqliteFailure(error) === 'busy';

/**
 * Converts an error of SQLite: `storage_damaged` (503) for a damaged database, and the errors of `writeFailure` for the
 * disk. Returns all other errors unchanged.
 */
export function recordsFailure(file: string, error: unknown): Error {
  const failure = sqliteFailure(error);
  if (failure === undefined) return isOfFiles(error) ? writeFailure(file, error) : asError(error);
  if (failure === 'damaged')
    return new PorchlightError('storage_damaged', damagedWords(file), 503, { cause: error });
  return writeFailure(
    file,
    Object.assign(new Error(String(error)), { code: systemCodes[failure] ?? 'EBUSY' }),
  );
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Returns whether the file system has thrown an error. */
const isOfFiles = (error: unknown): boolean => /^E[A-Z0-9]+$/.test(errorCode(error) ?? '');

const damagedWords = (file: string) =>
  `The database “${file}” is damaged. Porchlight is repairing it. Try again in a moment. If that doesn’t help, restart Porchlight.`;
