import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { MentionType } from '../contract/mention-types.ts';
import type { Decision, MentionedPage, MentionStatus } from '../contract/webmentions.ts';
import type { Log } from '../platform/log.ts';
import type { Versions } from '../storage/caches.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import { type Blocks, noBlocks } from './blocked.ts';
import { batchesOf, type KeepOptions, keepMention, type Kept } from './kept-mentions.ts';
import { mentionCounts } from './mention-counts.ts';
import { createMentionTransactions, MentionFiling, mentionsAtOnce } from './mention-filing.ts';
import { mentionPages, type MentionPages } from './mention-pages.ts';
import { type MentionListOptions, type MentionPage, mentionQueries, recentPages } from './mention-queries.ts';
import { highestNumber, MentionReads } from './mention-table.ts';
import type { MentionWrites } from './mention-writes.ts';
import { type Mention, type NewMention, sourceIdentity } from './mention.ts';
import {
  decided,
  type Decided,
  type DecidedAll,
  type Decider,
  decisionBetween,
  type KeptOfMany,
  restored,
  shownAgain,
  undone,
  withStatus,
} from './moderation.ts';
import { ownSites, type OwnSites } from './own-sites.ts';

export interface MentionStoreOptions {
  readonly records: Pick<Records, 'rows' | 'write' | 'openings'>;
  /** The version numbers of what pages display, which change with the mentions. */
  readonly versions: Versions;
  /** Returns the current time in ms. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** The rule by which mentions are assigned to pages. If absent, each normalized URL is a page of its own. */
  readonly pages?: MentionPages | undefined;
  /** The owner's own sites, whose mentions are left out of the counts; none if absent. */
  readonly ownSites?: (() => OwnSites) | undefined;
  /** What the owner blocks; nothing if absent. */
  readonly blocks?: Pick<Blocks, 'covers' | 'version'> | undefined;
  /** Called with each mention that a block hides, or that is shown again without it. */
  readonly blockApplied?: ((mention: Mention) => void) | undefined;
  /** Returns a new unique identifier without spaces. */
  readonly newId?: (() => string) | undefined;
}

/** The number of mentions to read before other work can run. */
const batch = 50;

type Next = (before: Mention) => Mention;

/**
 * The mentions, which are rows of records.sqlite (see mention-table.ts). Each change is on disk when its promise
 * resolves. Source and target (including the fragment) together identify a mention, because a source can mention a
 * target only once. Create it only once in a process.
 *
 * Its methods throw PorchlightError: the errors of Records; `not_found` (404) when changing a mention that does not
 * exist; `invalid_request` for an invalid cursor.
 */
export class MentionStore {
  /** The rule by which mentions are assigned to pages. */
  readonly pageRules: MentionPages;
  readonly #now: () => number;
  readonly #newId: () => string;
  readonly #own: () => OwnSites;
  readonly #reads: MentionReads;
  readonly #queries: ReturnType<typeof mentionQueries>;
  readonly #counts: ReturnType<typeof mentionCounts>;
  readonly #transactions: ReturnType<typeof createMentionTransactions>;
  readonly #filing: MentionFiling;
  readonly #recent: (page: string) => readonly Mention[];
  /** The highest `wm-id` that was ever in use in this process. */
  #highest = 0;

  constructor(options: MentionStoreOptions) {
    const { records, versions, log, pages = mentionPages(() => ''), blocks = noBlocks } = options;
    this.pageRules = pages;
    this.#now = options.now;
    this.#newId = options.newId ?? (() => randomBytes(12).toString('base64url'));
    this.#own = options.ownSites ?? (() => nobody);
    this.#reads = new MentionReads((sql, ...cells) => records.rows((row) => row, sql, ...cells), pages);
    const reads = this.#reads;
    this.#queries = mentionQueries(records);
    this.#counts = mentionCounts(records, pages.urlOf);
    this.#transactions = createMentionTransactions({ records, reads, pages, versions, blocks, log });
    const { write } = this.#transactions;
    const blockApplied = (mention: Mention) => options.blockApplied?.(mention);
    this.#filing = new MentionFiling({ records, versions, reads, write, log, blocks, blockApplied });
    this.#recent = recentPages(versions, (page) => this.#queries.ofPage(page));
  }

  /**
   * Adds a mention, or updates the mention with the same source and target. A deleted mention stays deleted. Data that
   * is too long is shortened and marked as shortened (see mention-limits.ts).
   * @throws PorchlightError `page_full` (503) if the page has no space for another mention from this site.
   */
  async keep(given: NewMention, options: KeepOptions = {}): Promise<Kept> {
    const kept = await this.#changing((writes, transaction): Kept | undefined => {
      const leader = writes.leader(given);
      const stored = this.#keepIn(writes, given, options);
      if (stored === undefined) return undefined;
      options.also?.(transaction);
      const first = leader === undefined ? 'only' : 'leads';
      return { ...stored, standing: writes.isLeading(stored.mention.id) ? first : 'outranked' };
    });
    if (kept === undefined) throw pageFull();
    return kept;
  }

  /**
   * Adds or updates many mentions in a few writes, for imports. Returns the stored mentions. Skips mentions for pages
   * that have no space left.
   */
  async keepAll(given: readonly NewMention[], options: KeepOptions = {}): Promise<KeptOfMany[]> {
    const all: KeptOfMany[] = [];
    for (const some of batchesOf(given)) {
      const kept = await this.#changing((writes, transaction) => {
        const made = some.flatMap((one) => this.#keepIn(writes, one, options) ?? []);
        if (made.length > 0) options.also?.(transaction);
        return made;
      });
      all.push(...kept);
    }
    return all;
  }

  /**
   * Removes mentions as if they had never been there, to undo an import. Unlike a deleted mention, an erased one comes
   * back as a new mention if its source sends it. Returns the mentions that were removed.
   */
  async erase(ids: readonly string[]): Promise<Mention[]> {
    const gone: Mention[] = [];
    for (let start = 0; start < ids.length; start += mentionsAtOnce) {
      const some = ids.slice(start, start + mentionsAtOnce);
      const erased = await this.#changing((writes) => some.flatMap((id) => writes.erase(id) ?? []), {
        ends: true,
      });
      gone.push(...erased);
    }
    return gone;
  }

  /**
   * Sets a mention's status. `by`: who made the decision. After a decision by the owner, the source and the aggregator
   * can only remove the mention.
   * @throws PorchlightError not_found (404).
   */
  setStatus(id: string, status: MentionStatus, by: Decider): Promise<Mention> {
    const next: Next = (before) => withStatus(before, status, by, this.#moment());
    return this.#change(id, next, by === 'owner' ? ending(status) : {});
  }

  /**
   * Restores a deleted mention with its status from before the deletion.
   * @throws PorchlightError not_found (404).
   */
  restore(id: string): Promise<Mention> {
    return this.#change(id, (before) => restored(before, this.#moment()));
  }

  /**
   * Applies the owner's decision to many mentions, a few in each write. Skips mentions that no longer exist, that their
   * source withdrew, or that the decision would not change.
   */
  async decideAll(ids: readonly string[], decision: Decision): Promise<DecidedAll> {
    const next: Next = (before) => decided(before, decision, this.#moment());
    const { changes, failures } = await this.#changeAll(ids, next, ending(decision));
    const changed = changes.map(({ before, after }) => ({
      mention: after,
      decided: decisionBetween(before, after),
    }));
    return { changed, refused: failures.length };
  }

  /**
   * Undoes the owner's decisions about mentions. Skips mentions that have changed since the decision. Returns the
   * changed mentions.
   */
  async undoAll(all: readonly Decided[]): Promise<Mention[]> {
    const byId = new Map(all.map((one) => [one.id, one]));
    const undo: Next = (mention) => {
      const one = byId.get(mention.id);
      return one ? undone(mention, one) : mention;
    };
    const isHiding = ({ before, after }: Decided) =>
      after.status === 'approved' && before.status !== 'approved';
    const { changes } = await this.#changeAll(
      [...byId.keys()],
      undo,
      all.some(isHiding) ? { ends: true } : {},
    );
    return changes.map(({ after }) => after);
  }

  /** Shows all mentions again that a repair of the database has held. Returns their number. */
  async releaseHeld(): Promise<number> {
    const ids: string[] = [];
    for await (const mention of this.all()) if (mention.wasShown === true) ids.push(mention.id);
    const { changes } = await this.#changeAll(ids, (before) => shownAgain(before, this.#moment()), {});
    return changes.length;
  }

  get(id: string): Promise<Mention | undefined> {
    return this.#read(() => this.#reads.get(id));
  }

  /** Returns the URL of a mention's author; undefined if no mention by the author is shown. `handle`: see `handleOf`. */
  personUrl(handle: string): string | undefined {
    return this.#reads.personUrl(handle);
  }

  find(source: string, target: string): Promise<Mention | undefined> {
    return this.#read(() => this.#reads.find(source, target));
  }

  /** Returns the mention that was imported with this `wm-id`. */
  byWmId(wmId: number): Promise<Mention | undefined> {
    return this.#read(() => this.#queries.byWmId(wmId));
  }

  /**
   * Moves mentions to other pages, because there may be another page at these addresses now. The mentions follow before
   * they are read the next time. Never throws.
   */
  addressesChanged(addresses: readonly string[], transaction: Pick<Transaction, 'run'>): void {
    this.#filing.addressesChanged(addresses, transaction);
  }

  /**
   * Returns the mentions of a page, whatever their status, oldest first. Returns one mention for each source: the one
   * that represents it (see rankForSource). `target`: any URL of the page, or its id. The store never changes a returned
   * array.
   */
  ofPage(target: string): Promise<readonly Mention[]> {
    return this.#read(() => this.#recent(this.pageRules.pageOf(target)));
  }

  /**
   * Returns every mention of a page, even if a source links to several spellings of its URL. Oldest first. Caches
   * nothing, for callers that read one page after another. `target`: any URL of the page, or its id.
   */
  recordsOf(target: string): Promise<readonly Mention[]> {
    return this.#read(() => this.#queries.recordsOf(this.pageRules.pageOf(target)));
  }

  /** Returns the mention that represents a mention's source on its page. */
  leader(mention: Pick<Mention, 'source' | 'readAt' | 'target'>): Promise<Mention | undefined> {
    return this.#read(() => this.#reads.leader(mention));
  }

  /** Returns whether a mention represents its source on its page. */
  isLeading(id: string): Promise<boolean> {
    return this.#read(() => this.#reads.isLeading(id));
  }

  /**
   * Returns up to `limit` other mentions that may be of the same source at a former URL: with the same page, host of the
   * source and type. They are approved or held, and represent their sources.
   */
  async neighbours(mention: Mention, limit: number): Promise<Mention[]> {
    await this.#filing.ready();
    const page = this.pageRules.pageOf(mention.target);
    return this.#queries.neighbours(
      { page, type: mention.facts.type, origin: sourceIdentity(mention) },
      limit,
    );
  }

  /** Returns the ids of the mentioned pages, the most recently mentioned first. */
  pageIds(): Promise<string[]> {
    return this.#read(() => this.#queries.pageIds());
  }

  /**
   * Returns whether the owner has approved a mention by this author from this host. Imported comments don't count. Fast,
   * even with many mentions. `author`: see authorOf.
   */
  wasApproved(host: string, author: string): Promise<boolean> {
    return this.#read(() => this.#queries.wasApproved(host, author));
  }

  /** Resolves once everything that the owner blocks is hidden, and nothing else is hidden by a block. */
  applyBlocks(): Promise<void> {
    return this.#filing.applyBlocks();
  }

  async list(options: MentionListOptions): Promise<MentionPage> {
    await this.#filing.ready();
    const isSearch = (options.filter?.text ?? '') !== '';
    if (!isSearch) return this.#queries.list(options);
    return this.#transactions.searched(() => this.#queries.list(options));
  }

  /** Returns the ids of mentioned pages that equal `page` except for upper and lower case. */
  spellings(page: string): Promise<string[]> {
    return this.#read(() => this.#queries.spellings(page));
  }

  /** Returns every page with mentions, the most recently mentioned first. The owner's own mentions are not counted. */
  pages(): Promise<MentionedPage[]> {
    return this.#read(() => this.#counts.pages(this.#own()));
  }

  /** Returns the number of approved mentions by month of receipt (`2026-11`) and type, without the owner's own mentions. */
  counts(): Promise<{ month: string; types: Partial<Record<MentionType, number>> }[]> {
    return this.#read(() => this.#counts.counts(this.#own()));
  }

  /**
   * Returns the pages with the most approved mentions in one year (`2026`) or overall. The owner's own mentions are not
   * counted.
   */
  topPages(year?: string): Promise<{ target: string; mentions: number }[]> {
    return this.#read(() => this.#counts.topPages(this.#own(), year));
  }

  /**
   * Yields every mention for an export, in the order in which they were received. Reads the mentions in
   * batches. `which`: every mention, or only one from each source of a page.
   */
  async *all(which: 'every' | 'leading' = 'every'): AsyncIterable<Mention> {
    await this.#filing.ready();
    const next = (last?: Mention) => this.#queries.after(last, batch, which);
    for (let some = next(); some.length > 0; some = next(some.at(-1))) {
      yield* some;
      await nextTurn();
    }
  }

  /** Yields the `wm-id` and the id of each imported mention, for comparison with the aggregator's list. */
  async *importedIds(): AsyncIterable<{ wmId: number; id: string }> {
    await this.#filing.ready();
    const next = (last?: { wmId: number; id: string }) => this.#queries.importedAfter(last, batch);
    for (let some = next(); some.length > 0; some = next(some.at(-1))) {
      yield* some;
      await nextTurn();
    }
  }

  /** Waits for pending writes, and starts no new ones. */
  close(): Promise<void> {
    return this.#filing.stop();
  }

  /** Reads once each mention is at its page. */
  async #read<T>(query: () => T): Promise<T> {
    await this.#filing.ready();
    return query();
  }

  #moment(): string {
    return new Date(this.#now()).toISOString();
  }

  /** Makes a change in a transaction. Resolves with its result once that is on disk. */
  async #changing<R>(
    change: (writes: MentionWrites, transaction: Transaction) => R,
    how?: WriteOptions,
  ): Promise<R> {
    await this.#filing.ready();
    return this.#transactions.write(change, how);
  }

  #keepIn(writes: MentionWrites, given: NewMention, options: KeepOptions): KeptOfMany | undefined {
    const number = (requested: number | undefined): number => {
      this.#highest = Math.max(this.#highest, requested ?? writes.highestNumber());
      if (requested === undefined) this.#highest = Math.min(this.#highest + 1, highestNumber);
      return requested ?? this.#highest;
    };
    return keepMention(writes, given, options, { now: this.#moment(), newId: this.#newId, number });
  }

  /**
   * Changes mentions, in a transaction for every few of them. Returns each changed mention before and after the change,
   * and the errors.
   */
  async #changeAll(ids: readonly string[], next: Next, how: WriteOptions) {
    const unique = [...new Set(ids)];
    const changes: { before: Mention; after: Mention }[] = [];
    const failures: unknown[] = [];
    for (let start = 0; start < unique.length; start += mentionsAtOnce) {
      const some = unique.slice(start, start + mentionsAtOnce);
      const made = await this.#changing((writes) => some.map((id) => changeOne(writes, id, next)), how);
      for (const one of made)
        if ('failure' in one) failures.push(one.failure);
        else if (one.after !== one.before) changes.push(one);
    }
    return { changes, failures };
  }

  async #change(id: string, next: Next, how?: WriteOptions): Promise<Mention> {
    const made = await this.#changing((writes) => changeOne(writes, id, next), how);
    if ('failure' in made) throw made.failure;
    return made.after;
  }
}

/** Returns how the owner's decision is written: one that takes mentions from the public ends something. */
const ending = (decision: Decision | MentionStatus): WriteOptions =>
  decision === 'approved' || decision === 'restored' ? {} : { ends: true };

/** Changes a mention. A failure of one mention doesn't concern the others of the same transaction. */
function changeOne(
  writes: MentionWrites,
  id: string,
  next: Next,
): { readonly before: Mention; readonly after: Mention } | { readonly failure: unknown } {
  const before = writes.get(id);
  if (before === undefined)
    return { failure: new PorchlightError('not_found', 'This mention no longer exists.', 404) };
  let after: Mention;
  try {
    after = next(before);
  } catch (failure) {
    return { failure };
  }
  return { before, after: after === before ? before : writes.put(after) };
}

const nobody = ownSites({ base: '', me: null, folderSite: '', hosts: [] });

const pageFull = () =>
  new PorchlightError(
    'page_full',
    'This page has reached its limit of mentions, in total or from this site.',
    503,
  );
