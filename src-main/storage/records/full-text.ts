import { isVirtualTableDamaged } from '../sqlite.ts';
import type { Transaction, WriteOptions } from './group-commit.ts';
import type { Records } from './records.ts';

/** What a feature's changes can do with its full-text table. */
interface WordWrites {
  /** Adds up to `most` rows after the row `after`. Returns the last one; undefined if there are no more. */
  addWords(after: number, most: number): number | undefined;
  /** Notes how far the table is, while it is built again. */
  setState(name: 'words', value: string | undefined): void;
  /** Called at the end of each change. */
  flush?(): void;
}

interface FullTextOptions<Writes extends WordWrites> {
  readonly records: Pick<Records, 'write'>;
  readonly log: { warn(about: { readonly err: unknown }, words: string): void };
  readonly table: string;
  /** The statement that creates the table. */
  readonly create: string;
  /** What the table has the words of, for the log, such as `mentions`. */
  readonly of: string;
  readonly writesIn: (transaction: Transaction) => Writes;
  /** Returns the noted state: how far the table is while it is built again, otherwise undefined. */
  readonly state: () => string | undefined;
  /** How many rows are added in one transaction, which takes about 20 ms then. */
  readonly atOnce: number;
}

/** A change of a feature's rows. With the transaction, it can also change the rows of other features. */
export type Change<Writes, T> = (writes: Writes, transaction: Transaction) => T;

/**
 * Creates the functions that change and search the rows of a feature with a full-text table. If that table turns out to
 * be damaged, they build it again from the rows and try again.
 */
export function fullText<Writes extends WordWrites>(options: FullTextOptions<Writes>) {
  const { records, log, table, create, state, writesIn, atOnce } = options;
  let building: Promise<void> | undefined;

  const tried = <T>(change: Change<Writes, T>, how?: WriteOptions): Promise<T> =>
    records.write((transaction) => {
      const writes = writesIn(transaction);
      const result = change(writes, transaction);
      writes.flush?.();
      return result;
    }, how);

  /** Makes a new table. Its rows follow in steps, and a kill leaves a note of how far they are. */
  async function renew(cause: unknown): Promise<void> {
    log.warn({ err: cause }, `the full text of ${options.of} is damaged and is built again`);
    await records.write((transaction) => {
      transaction.run(`DROP TABLE IF EXISTS ${table}`);
      transaction.run(create);
      writesIn(transaction).setState('words', '0');
    });
  }

  async function fill(): Promise<void> {
    for (let after = state(); after !== undefined; after = state()) {
      const last = Number(after);
      await tried((writes) => {
        const next = writes.addWords(last, atOnce);
        writes.setState('words', next === undefined ? undefined : String(next));
      });
    }
  }

  /** Resolves once the table has all rows. `cause`: why it has to be built again. */
  function build(cause?: unknown): Promise<void> {
    building ??= (cause === undefined ? fill() : renew(cause).then(fill)).finally(() => {
      building = undefined;
    });
    return building;
  }

  return {
    /**
     * Makes a change in a transaction. Resolves with its result once that is on disk. Rejects with its error, and then
     * nothing has changed.
     */
    write: async <T>(change: Change<Writes, T>, how?: WriteOptions): Promise<T> => {
      try {
        return await tried(change, how);
      } catch (error) {
        if (!isOfWords(error)) throw error;
        await build(error);
        return tried(change, how);
      }
    },

    /** Runs a query of the table. */
    searched: async <T>(query: () => T | Promise<T>): Promise<T> => {
      await build();
      try {
        return await query();
      } catch (error) {
        if (!isOfWords(error)) throw error;
        await build(error);
        return query();
      }
    },
  };
}

/** Returns whether an error of Records says that a full-text table is damaged. No other tables are virtual ones. */
const isOfWords = (error: unknown): boolean => error instanceof Error && isVirtualTableDamaged(error.cause);
