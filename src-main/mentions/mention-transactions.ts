import type { Log } from '../platform/log.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import { isVirtualTableDamaged } from '../storage/sqlite.ts';
import { createWords } from './mention-table.ts';
import type { MentionReads } from './mention-reads.ts';
import { mentionWrites, type MentionFilingRules, type MentionWrites } from './mention-writes.ts';

/** The maximum number of mentions that change in one transaction, which takes about 20 ms then. */
export const mentionsAtOnce = 100;

interface TransactionOptions extends MentionFilingRules {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly reads: MentionReads;
  readonly log: Pick<Log, 'warn'>;
}

/** A change of mentions. With the transaction, it can also change the rows of other features. */
type Change<T> = (writes: MentionWrites, transaction: Transaction) => T;

export type MentionTransactions = ReturnType<typeof createMentionTransactions>;

/**
 * Creates the functions that change and search mentions. If the full-text table turns out to be damaged, they rebuild it
 * from the mentions and try again.
 */
export function createMentionTransactions({ records, reads, log, ...rules }: TransactionOptions) {
  let building: Promise<void> | undefined;

  const tried = <T>(change: Change<T>): Promise<T> =>
    records.write((transaction) => {
      const writes = mentionWrites(transaction, rules);
      const result = change(writes, transaction);
      writes.flushWords();
      return result;
    });

  /** Makes a new full-text table. Its rows follow in steps, and a kill leaves a note of how far they are. */
  async function renew(cause: unknown): Promise<void> {
    log.warn({ err: cause }, 'the full text of mentions is damaged and is built again');
    await records.write((transaction) => {
      transaction.run('DROP TABLE IF EXISTS mention_words');
      transaction.run(createWords);
      mentionWrites(transaction, rules).setState('words', '0');
    });
  }

  async function fill(): Promise<void> {
    for (let after = reads.state('words'); after !== undefined; after = reads.state('words')) {
      const last = Number(after);
      await tried((writes) => {
        const next = writes.addWords(last, mentionsAtOnce);
        writes.setState('words', next === undefined ? undefined : String(next));
      });
    }
  }

  /** Resolves once the full-text table has all mentions. `cause`: why it has to be built again. */
  function build(cause?: unknown): Promise<void> {
    building ??= (cause === undefined ? fill() : renew(cause).then(fill)).finally(() => {
      building = undefined;
    });
    return building;
  }

  /**
   * Makes a change in a transaction. Resolves with its result once that is on disk. Rejects with its error, and then
   * nothing has changed.
   */
  async function write<T>(change: Change<T>): Promise<T> {
    try {
      return await tried(change);
    } catch (error) {
      if (!isOfWords(error)) throw error;
      await build(error);
      return tried(change);
    }
  }

  /** Runs a query of the full-text table. */
  async function searched<T>(query: () => T): Promise<T> {
    await build();
    try {
      return query();
    } catch (error) {
      if (!isOfWords(error)) throw error;
      await build(error);
      return query();
    }
  }

  return { write, searched };
}

/** Returns whether an error of Records says that the full-text table is damaged. No other table is a virtual one. */
const isOfWords = (error: unknown): boolean => error instanceof Error && isVirtualTableDamaged(error.cause);
