import { setImmediate as nextTurn } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { fullText } from '../storage/records/full-text.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import type { Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import type { Versions } from '../storage/caches.ts';
import type { Blocks } from './blocked.ts';
import { createWords, type MentionReads } from './mention-table.ts';
import type { Mention } from './mention.ts';
import { type MentionFilingRules, MentionWrites } from './mention-writes.ts';

/** How many addresses are compared with the posts, or mentions with the blocks, before other work can run. */
const comparedAtOnce = 500;
/** How long reading goes on without another attempt after the disk has refused a change, in ms. */
const pauseMs = 5000;

interface FilingOptions {
  readonly records: Pick<Records, 'rows' | 'openings'>;
  readonly versions: Pick<Versions, 'allChanged'>;
  readonly reads: MentionReads;
  readonly write: MentionTransactions['write'];
  readonly log: Pick<Log, 'warn'>;
  readonly blocks: Pick<Blocks, 'covers' | 'version'>;
  /** Called with each mention that a block hides, or that is shown again without it. */
  readonly blockApplied: (mention: Mention) => void;
}

/**
 * Keeps each mention at its page, and hidden while its author or its site is blocked. Which page that is depends on this
 * server's address and on the posts. A change of these only notes the addresses, and the mentions follow before they are
 * read: in steps, because a post can have many of them. Blocks are applied in the same way.
 */
export class MentionFiling {
  readonly #options: FilingOptions;
  /** Addresses at which there may be another page now. */
  readonly #moved = new Set<string>();
  /** What everything is filed for (see `#filingKey`). */
  #filedFor: string | undefined;
  /** The version of the blocks that are applied. */
  #appliedBlocks: string | undefined;
  #working: Promise<void> | undefined;
  #pausedUntil = 0;
  #isStopped = false;

  constructor(options: FilingOptions) {
    this.#options = options;
  }

  /**
   * Resolves once each mention is at its page. If the disk refuses that, mentions stay where they are for now,
   * because visitors can read on a full disk, too.
   */
  ready(): Promise<void> {
    if (!this.#working && (this.#isUpToDate() || performance.now() < this.#pausedUntil))
      return Promise.resolve();
    this.#working ??= this.#work()
      .catch((error: unknown) => {
        if (!isDiskFailure(error)) throw error;
        this.#pausedUntil = performance.now() + pauseMs;
        this.#options.log.warn({ err: error }, 'mentions could not be moved to their pages');
      })
      .finally(() => (this.#working = undefined));
    return this.#working;
  }

  /**
   * Applies the blocks to all mentions now.
   * @throws PorchlightError if the disk refuses that
   */
  async applyBlocks(): Promise<void> {
    await this.ready();
    // The disk may have refused that a moment ago, so this is tried again, and not left for later.
    if (!this.#isUpToDate()) await this.#work();
  }

  /** Notes in a transaction that there may be another page at these addresses. */
  addressesChanged(addresses: readonly string[], { run }: Pick<Transaction, 'run'>): void {
    for (const address of addresses) {
      run('INSERT OR IGNORE INTO mention_moves VALUES (?)', address);
      this.#moved.add(address);
    }
  }

  /** Stops filing. The next start goes on with it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working?.catch(() => undefined);
    this.#isStopped = false;
    if (this.#filedFor === this.#filingKey()) await this.#moveAll().catch(() => undefined);
    this.#isStopped = true;
  }

  async #step<T>(change: (writes: MentionWrites) => T, how?: WriteOptions): Promise<T> {
    if (this.#isStopped) throw new DOMException('The mentions are being closed.', 'AbortError');
    return this.#options.write(change, how);
  }

  /** Returns what everything has to be filed for: if the database was repaired, its mentions aren't filed yet. */
  #filingKey(): string {
    return `${this.#options.records.openings} ${this.#options.reads.pages.base()}`;
  }

  #isUpToDate(): boolean {
    const { blocks } = this.#options;
    const isFiled = this.#filedFor === this.#filingKey() && this.#moved.size === 0;
    return isFiled && this.#appliedBlocks === blocks.version();
  }

  async #work(): Promise<void> {
    const { reads, versions, blocks } = this.#options;
    while (!this.#isUpToDate()) {
      const goal = this.#filingKey();
      if (this.#filedFor !== goal) {
        await this.#fileRestored();
        await this.#readdress(reads.pages.base());
        for (const address of reads.moves()) this.#moved.add(address);
        if (this.#filedFor !== undefined) versions.allChanged();
        this.#filedFor = goal;
      }
      if (this.#appliedBlocks !== blocks.version()) await this.#applyBlocks();
      await this.#moveAll();
    }
  }

  /** Files the mentions that were restored. */
  async #fileRestored(): Promise<void> {
    const { records, log } = this.#options;
    const isAny = () =>
      records.rows(() => true, 'SELECT 1 FROM mentions WHERE author IS NULL LIMIT 1').length > 0;
    let most = mentionsAtOnce;
    while (isAny()) {
      try {
        await this.#step((writes) => writes.fileRestored(most));
        most = mentionsAtOnce;
      } catch (error) {
        if (this.#isStopped || error instanceof PorchlightError) throw error;
        // One mention that can't be filed, from a backup that somebody made up, must not keep the others away.
        log.warn({ err: error }, 'a restored mention could not be filed');
        if (most === 1) await this.#step((writes) => writes.leaveOut());
        most = 1;
      }
    }
  }

  /** Determines the address of each mention again, if this server's own address has changed. */
  async #readdress(base: string): Promise<void> {
    if (this.#options.reads.state('base') === base) return;
    let last: number | undefined = 0;
    while (last !== undefined) {
      const after: number = last;
      last = await this.#step((writes) => {
        const next = writes.readdress(after, mentionsAtOnce);
        if (next === undefined) writes.setState('base', base);
        return next;
      });
    }
  }

  /** Hides all mentions that are blocked, and shows those again that were hidden only by a block. */
  async #applyBlocks(): Promise<void> {
    const { records, reads, blocks, blockApplied } = this.#options;
    const version = blocks.version();
    const isDone = (reads.state('blocks') ?? '') === version;
    let last: number | undefined = isDone ? undefined : 0;
    while (last !== undefined) {
      const sql = `SELECT seq, id, host, origin, author, blocked FROM mentions WHERE seq > ? ORDER BY seq LIMIT ?`;
      const found: ComparedRow[] = records.rows(comparedRow, sql, last, comparedAtOnce);
      const ids = found.filter((row) => blocks.covers(row) !== row.isBlocked).map(({ id }) => id);
      for (let start = 0; start < ids.length; start += mentionsAtOnce) {
        const some = ids.slice(start, start + mentionsAtOnce);
        const changed = await this.#step((writes) => some.map((id) => writes.applyBlocks(id)), {
          ends: true,
        });
        for (const mention of changed) if (mention) blockApplied(mention);
      }
      last = found.length < comparedAtOnce ? undefined : found.at(-1)?.seq;
      if (last !== undefined) await nextTurn();
    }
    // A part of the block that it completes.
    const isApplied = (writes: MentionWrites): void =>
      writes.setState('blocks', version === '' ? undefined : version);
    if (!isDone) await this.#step(isApplied, { ends: true });
    this.#appliedBlocks = version;
  }

  /** Moves the mentions of all addresses in `#moved` to the pages that are there now. */
  async #moveAll(): Promise<void> {
    const moved = this.#moved;
    let checked = 0;
    for (const address of moved) {
      // The address may be added again meanwhile.
      moved.delete(address);
      try {
        for (const one of this.#misfiledAt(address))
          while ((await this.#step((writes) => writes.move(one, mentionsAtOnce))) > 0);
        await this.#step((writes) => {
          if (!moved.has(address)) writes.endMove(address);
        });
      } catch (error) {
        moved.add(address);
        throw error;
      }
      checked += 1;
      if (checked % comparedAtOnce === 0) await nextTurn();
    }
  }

  #misfiledAt(address: string): FiledAddress[] {
    const { records, reads } = this.#options;
    const sql = `SELECT DISTINCT address, page FROM mentions WHERE address = ?1
      UNION SELECT DISTINCT address, page FROM mentions WHERE page = ?1`;
    const found = records.rows(filedAddress, sql, address);
    return found.filter((one) => reads.pages.pageAt(one.address) !== one.page);
  }
}

interface FiledAddress {
  readonly address: string;
  readonly page: string;
}

const filedAddress = ({ address, page }: Row): FiledAddress => ({
  address: String(address),
  page: String(page),
});

/** What a mention is compared with the blocks by. */
interface ComparedRow {
  readonly seq: number;
  readonly id: string;
  readonly source: string;
  readonly readAt: string;
  readonly author: string;
  readonly isBlocked: boolean;
}

const comparedRow = ({ seq, id, host, origin, author, blocked }: Row): ComparedRow => ({
  seq: Number(seq),
  id: String(id),
  source: `http://${host}/`,
  // The identity of a source is its URL without the scheme.
  readAt: `http:${origin}`,
  author: String(author),
  isBlocked: blocked === 1,
});

/** The maximum number of mentions that change in one transaction, which takes about 20 ms then. */
export const mentionsAtOnce = 100;

interface TransactionOptions extends MentionFilingRules {
  readonly records: Pick<Records, 'rows' | 'write'>;
  readonly reads: MentionReads;
  readonly log: Pick<Log, 'warn'>;
}

type MentionTransactions = ReturnType<typeof createMentionTransactions>;

/** Creates the functions that change and search mentions. */
export const createMentionTransactions = ({ records, reads, log, ...rules }: TransactionOptions) =>
  fullText({
    records,
    log,
    table: 'mention_words',
    create: createWords,
    of: 'mentions',
    writesIn: (transaction) => new MentionWrites(transaction, rules),
    state: () => reads.state('words'),
    atOnce: mentionsAtOnce,
  });
