import { setTimeout as pause } from 'node:timers/promises';
import type { WriteOptions, Transaction } from './group-commit.ts';
import type { Cell, Row } from './record-table.ts';
import { createRecordsCopies, type RecordsCopies } from './records-copies.ts';
import { hasManyFreePages } from './records-file.ts';
import { RecordsDatabase, type RecordsOptions } from './records-database.ts';

/** How long to wait between two steps in which the database shrinks, in ms. */
const shrinkPauseMs = 20;

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
  const database = new RecordsDatabase(options);
  await database.open();
  const { commits } = database;
  const copies = createRecordsCopies({
    dir: options.dir,
    tables: options.tables,
    commits,
    exclusive: database.exclusive,
    failure: (error) => database.failure(error),
    readable: () => database.readable(),
    writable: () => database.writable(),
  });
  return {
    ...copies,

    rows(read, sql, ...cells) {
      const { prepared } = database.queried();
      try {
        return (prepared(sql).all(...cells) as Row[]).map(read);
      } catch (error) {
        throw database.failure(error);
      }
    },

    whenSound: (work) => database.whenSound(work),
    write: (change, how) => commits.write(change, how),
    settled: () => commits.settled(),
    close: () => database.close(),

    get changes() {
      return commits.changes;
    },

    get openings() {
      return database.openings;
    },

    get isReplaced() {
      return database.isReplaced;
    },

    async shrink() {
      if (!hasManyFreePages(database.readable().database)) return;
      (await database.writable()).mustBeHere();
      const current = await database.writable();
      try {
        for (let isDone = false; !isDone;) {
          isDone = await database.exclusive(async () => {
            current.mustBeHere();
            return !database.isOpen(current) || current.thread.run({ kind: 'shrink' });
          });
          await pause(shrinkPauseMs);
        }
        // The file gets shorter when the log is moved into it.
        await database.checkpoint(current);
      } catch (error) {
        throw database.failure(error);
      }
    },
  };
}
