import { setImmediate as nextTurn } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import type { Row } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import type { Versions } from '../storage/versions.ts';
import type { MentionPages } from './mention-pages.ts';
import type { MentionReads } from './mention-reads.ts';
import { mentionsAtOnce, type MentionTransactions } from './mention-transactions.ts';
import type { MentionWrites } from './mention-writes.ts';

/** How many addresses are compared with the posts before other work can run. */
const addressesAtOnce = 500;
/** How long reading goes on without another attempt after the disk has refused a change, in ms. */
const pauseMs = 5000;

interface FilingOptions {
  readonly records: Pick<Records, 'rows' | 'openings'>;
  readonly versions: Pick<Versions, 'allChanged'>;
  readonly reads: MentionReads;
  readonly write: MentionTransactions['write'];
  readonly pages: MentionPages;
  readonly log: Pick<Log, 'warn'>;
  /** Whether all mentions are at the pages that the posts had when Porchlight was closed. */
  readonly arePagesKnown: boolean;
}

/**
 * Keeps each mention at its page. Which page that is depends on this server's address, which can change, and on the
 * posts, which are in another database. So a change of these only notes the addresses, and the mentions follow before
 * they are read: in steps, because a post can have many of them.
 */
export function createMentionFiling(options: FilingOptions) {
  const { records, versions, reads, write, pages, log, arePagesKnown } = options;
  /** Addresses at which there may be another page now. */
  const moved = new Set<string>();
  /** What everything is filed for (see `wanted`). */
  let filedFor: string | undefined;
  let arePagesCompared = arePagesKnown;
  let working: Promise<void> | undefined;
  let pausedUntil = 0;
  let isStopped = false;

  async function step<T>(change: (writes: MentionWrites) => T): Promise<T> {
    if (isStopped) throw new DOMException('The mentions are being closed.', 'AbortError');
    return write(change);
  }
  /** What everything has to be filed for: if the database was repaired, its mentions aren't filed yet. */
  const wanted = () => `${records.openings} ${pages.base()}`;
  const isUpToDate = () => filedFor === wanted() && moved.size === 0;

  async function work(): Promise<void> {
    while (!isUpToDate()) {
      const goal = wanted();
      if (filedFor !== goal) {
        await fileRestored();
        await readdress(pages.base());
        if (!arePagesCompared) await comparePages();
        if (filedFor !== undefined) versions.allChanged();
        filedFor = goal;
      }
      await moveAll();
    }
  }

  /** Files the mentions that were restored. */
  async function fileRestored(): Promise<void> {
    const isAny = () =>
      records.rows(() => true, 'SELECT 1 FROM mentions WHERE page IS NULL LIMIT 1').length > 0;
    let most = mentionsAtOnce;
    while (isAny()) {
      try {
        await step((writes) => writes.fileRestored(most));
        most = mentionsAtOnce;
      } catch (error) {
        if (isStopped || error instanceof PorchlightError) throw error;
        // One mention that can't be filed, from a backup that somebody made up, must not keep the others away.
        log.warn({ err: error }, 'a restored mention could not be filed');
        if (most === 1) await step((writes) => writes.leaveOut());
        most = 1;
      }
    }
  }

  /** Determines the address of each mention again, if this server's own address has changed. */
  async function readdress(base: string): Promise<void> {
    if (reads.state('base') === base) return;
    let last: number | undefined = 0;
    while (last !== undefined) {
      const after: number = last;
      last = await step((writes) => {
        const next = writes.readdress(after, mentionsAtOnce);
        if (next === undefined) writes.setState('base', base);
        return next;
      });
    }
  }

  /** Finds the addresses whose page is another one now, after the posts may have changed unnoticed. */
  async function comparePages(): Promise<void> {
    let last: FiledAddress | undefined = { address: '', page: '' };
    while (last) {
      const found: FiledAddress[] = records.rows(
        filedAddress,
        `SELECT DISTINCT address, page FROM mentions WHERE (address, page) > (?, ?)
         ORDER BY address, page LIMIT ${addressesAtOnce}`,
        ...[last.address, last.page],
      );
      for (const one of found) if (pages.pageAt(one.address) !== one.page) moved.add(one.address);
      last = found.length < addressesAtOnce ? undefined : found.at(-1);
      if (last) await nextTurn();
    }
    arePagesCompared = true;
  }

  /** Moves the mentions of all addresses in `moved` to the pages that are there now. */
  async function moveAll(): Promise<void> {
    let looked = 0;
    for (const address of moved) {
      // The address may be added again meanwhile.
      moved.delete(address);
      try {
        for (const one of misfiledAt(address))
          while ((await step((writes) => writes.move(one, mentionsAtOnce))) > 0);
      } catch (error) {
        moved.add(address);
        throw error;
      }
      looked += 1;
      if (looked % addressesAtOnce === 0) await nextTurn();
    }
  }

  function misfiledAt(address: string): FiledAddress[] {
    const sql = `SELECT DISTINCT address, page FROM mentions WHERE address = ?1
      UNION SELECT DISTINCT address, page FROM mentions WHERE page = ?1`;
    const found = records.rows(filedAddress, sql, address);
    return found.filter((one) => pages.pageAt(one.address) !== one.page);
  }

  /**
   * Resolves once each mention is at its page. If the disk refuses that, mentions stay where they are for now,
   * because visitors can read on a full disk, too.
   */
  function ready(): Promise<void> {
    if (!working && (isUpToDate() || performance.now() < pausedUntil)) return Promise.resolve();
    working ??= work()
      .catch((error: unknown) => {
        if (!isDiskFailure(error)) throw error;
        pausedUntil = performance.now() + pauseMs;
        log.warn({ err: error }, 'mentions could not be moved to their pages');
      })
      .finally(() => (working = undefined));
    return working;
  }

  return {
    ready,

    /** Notes that there may be another page at these addresses now. */
    addressesChanged(addresses: readonly string[]): void {
      for (const address of addresses) moved.add(address);
    },

    /**
     * Stops filing. Resolves with false if the next start has to compare the pages of all mentions with the posts.
     */
    async stop(): Promise<boolean> {
      isStopped = true;
      await working?.catch(() => undefined);
      isStopped = false;
      if (filedFor === wanted()) await moveAll().catch(() => undefined);
      isStopped = true;
      return arePagesCompared && moved.size === 0;
    },
  };
}

interface FiledAddress {
  readonly address: string;
  readonly page: string;
}

const filedAddress = ({ address, page }: Row): FiledAddress => ({
  address: String(address),
  page: String(page),
});
