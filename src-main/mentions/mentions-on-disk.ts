import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../contract/error.ts';
import type { Decision, MentionStatus } from '../contract/webmentions.ts';
import type { Log } from '../platform/log.ts';
import { createRecent, type Versions } from '../storage/caches.ts';
import { jsonLength } from '../storage/json-value.ts';
import type { Transaction, WriteOptions } from '../storage/records/group-commit.ts';
import type { Records } from '../storage/records/records.ts';
import { type Blocks, noBlocks } from './blocked.ts';
import { createMentionFiling, createMentionTransactions, mentionsAtOnce } from './mention-filing.ts';
import {
  type KeepOptions,
  type Kept,
  type KeptOfMany,
  mentionPages,
  type MentionPages,
  type MentionStore,
  type NewMention,
} from './mention-store.ts';
import { mentionQueries } from './mention-queries.ts';
import { highestNumber, mentionReads } from './mention-table.ts';
import { fittedMention, mentionBytes } from './mention-limits.ts';
import type { MentionWrites } from './mention-writes.ts';
import { type Mention, mentionsOf, type SourceFacts, sourceIdentity } from './mention.ts';
import {
  decided,
  decisionBetween,
  newMention,
  renewed,
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
/** The maximum number of new mentions in one transaction, and their total size in characters: about 30 ms of work. */
const keptAtOnce = 250;
const writeCharacters = 512 * 1024;

/**
 * Creates the store of the mentions, which are rows of records.sqlite (see mention-table.ts). Create it only once in a
 * process.
 *
 * Its methods throw PorchlightError: the errors of Records; `not_found` (404) when changing a mention that does not
 * exist; `invalid_request` for an invalid cursor.
 */
export function createMentionStore(options: MentionStoreOptions): MentionStore {
  const { records, versions, log, now, newId = randomText, ownSites: own = () => nobody } = options;
  const { pages = mentionPages(() => ''), blocks = noBlocks } = options;
  const reads = mentionReads((sql, ...cells) => records.rows((row) => row, sql, ...cells), pages);
  const queries = mentionQueries(records, pages);
  const { write, searched } = createMentionTransactions({ records, reads, pages, versions, blocks, log });
  const filing = createMentionFiling({
    records,
    versions,
    reads,
    write,
    pages,
    log,
    blocks,
    blockApplied: (mention) => options.blockApplied?.(mention),
  });
  const ofPage = recentPages(versions, (page) => queries.ofPage(page));
  const { ready } = filing;
  const moment = () => new Date(now()).toISOString();
  /** The highest `wm-id` that was ever in use in this process. */
  let highest = 0;

  /** Makes a change in a transaction. Resolves with its result once that is on disk. */
  async function changing<R>(
    change: (writes: MentionWrites, transaction: Transaction) => R,
    how?: WriteOptions,
  ): Promise<R> {
    await ready();
    return write(change, how);
  }

  function keepIn(writes: MentionWrites, given: NewMention, keepOptions: KeepOptions) {
    function number(requested: number | undefined): number {
      highest = Math.max(highest, requested ?? writes.highestNumber());
      if (requested === undefined) highest = Math.min(highest + 1, highestNumber);
      return requested ?? highest;
    }
    return keepMention(writes, given, keepOptions, { now: moment(), newId, number });
  }

  async function keep(given: NewMention, keepOptions: KeepOptions = {}): Promise<Kept> {
    const kept = await changing((writes, transaction): Kept | undefined => {
      const leader = writes.leader(given);
      const stored = keepIn(writes, given, keepOptions);
      if (stored === undefined) return undefined;
      keepOptions.also?.(transaction);
      const first = leader === undefined ? 'only' : 'leads';
      return { ...stored, standing: writes.isLeading(stored.mention.id) ? first : 'outranked' };
    });
    if (kept === undefined) throw pageFull();
    return kept;
  }

  async function keepAll(given: readonly NewMention[], keepOptions: KeepOptions = {}): Promise<KeptOfMany[]> {
    const all: KeptOfMany[] = [];
    for (const some of batchesOf(given)) {
      const kept = await changing((writes, transaction) => {
        const made = some.flatMap((one) => keepIn(writes, one, keepOptions) ?? []);
        if (made.length > 0) keepOptions.also?.(transaction);
        return made;
      });
      all.push(...kept);
    }
    return all;
  }

  /**
   * Changes mentions, in a transaction for every few of them. Returns each changed mention before and after the change,
   * and the errors.
   */
  async function changeAll(ids: readonly string[], next: (before: Mention) => Mention, how: WriteOptions) {
    const unique = [...new Set(ids)];
    const changes: { before: Mention; after: Mention }[] = [];
    const failures: unknown[] = [];
    for (let start = 0; start < unique.length; start += mentionsAtOnce) {
      const some = unique.slice(start, start + mentionsAtOnce);
      const made = await changing((writes) => some.map((id) => changeOne(writes, id, next)), how);
      for (const one of made)
        if ('failure' in one) failures.push(one.failure);
        else if (one.after !== one.before) changes.push(one);
    }
    return { changes, failures };
  }

  async function change(
    id: string,
    next: (before: Mention) => Mention,
    how?: WriteOptions,
  ): Promise<Mention> {
    const made = await changing((writes) => changeOne(writes, id, next), how);
    if ('failure' in made) throw made.failure;
    return made.after;
  }

  async function* all(which: 'every' | 'leading' = 'every'): AsyncGenerator<Mention> {
    await ready();
    let last: Mention | undefined;
    for (
      let some = queries.after(last, batch, which);
      some.length > 0;
      some = queries.after(last, batch, which)
    ) {
      yield* some;
      last = some.at(-1);
      await setImmediate();
    }
  }

  return {
    keep,
    keepAll,
    async erase(ids) {
      const gone: Mention[] = [];
      for (let start = 0; start < ids.length; start += mentionsAtOnce) {
        const some = ids.slice(start, start + mentionsAtOnce);
        gone.push(
          ...(await changing((writes) => some.flatMap((id) => writes.erase(id) ?? []), { ends: true })),
        );
      }
      return gone;
    },
    setStatus: (id, status, by) =>
      change(id, (before) => withStatus(before, status, by, moment()), by === 'owner' ? ending(status) : {}),
    restore: (id) => change(id, (before) => restored(before, moment())),

    async decideAll(ids, decision) {
      const { changes, failures } = await changeAll(
        ids,
        (before) => decided(before, decision, moment()),
        ending(decision),
      );
      return {
        changed: changes.map(({ before, after }) => ({
          mention: after,
          decided: decisionBetween(before, after),
        })),
        refused: failures.length,
      };
    },

    async undoAll(all) {
      const byId = new Map(all.map((one) => [one.id, one]));
      const undo = (mention: Mention): Mention => {
        const one = byId.get(mention.id);
        return one ? undone(mention, one) : mention;
      };
      const doesHide = all.some(
        ({ before, after }) => after.status === 'approved' && before.status !== 'approved',
      );
      const { changes } = await changeAll([...byId.keys()], undo, doesHide ? { ends: true } : {});
      return changes.map(({ after }) => after);
    },

    async releaseHeld() {
      const ids: string[] = [];
      for await (const mention of all()) if (mention.wasShown === true) ids.push(mention.id);
      const { changes } = await changeAll(ids, (before) => shownAgain(before, moment()), {});
      return changes.length;
    },

    get: (id) => ready().then(() => reads.get(id)),
    personUrl: (handle) => reads.personUrl(handle),
    find: (source, target) => ready().then(() => reads.find(source, target)),
    byWmId: (wmId) => ready().then(() => queries.byWmId(wmId)),
    pageRules: pages,
    addressesChanged: filing.addressesChanged,
    ofPage: (target) => ready().then(() => ofPage(pages.pageOf(target))),
    recordsOf: (target) => ready().then(() => queries.recordsOf(pages.pageOf(target))),
    leader: (mention) => ready().then(() => reads.leader(mention)),
    isLeading: (id) => ready().then(() => reads.isLeading(id)),
    async neighbours(mention, limit) {
      await ready();
      const page = pages.pageOf(mention.target);
      return queries.neighbours({ page, type: mention.facts.type, origin: sourceIdentity(mention) }, limit);
    },
    pageIds: () => ready().then(() => queries.pageIds()),
    wasApproved: (host, author) => ready().then(() => queries.wasApproved(host, author)),
    applyBlocks: () => filing.applyBlocks(),
    async list(page) {
      await ready();
      const isSearch = (page.filter?.text ?? '') !== '';
      return isSearch ? searched(() => queries.list(page)) : queries.list(page);
    },
    spellings: (page) => ready().then(() => queries.spellings(page)),
    pages: () => ready().then(() => queries.pages(own())),
    counts: () => ready().then(() => queries.counts(own())),
    topPages: (year) => ready().then(() => queries.topPages(own(), year)),

    all,

    async *importedIds() {
      await ready();
      let last: { wmId: number; id: string } | undefined;
      for (
        let some = queries.importedAfter(last, batch);
        some.length > 0;
        some = queries.importedAfter(last, batch)
      ) {
        yield* some;
        last = some.at(-1);
        await setImmediate();
      }
    },

    async close() {
      await filing.stop();
    },
  };
}

/** Returns how the owner's decision is written: one that takes mentions from the public ends something. */
const ending = (decision: Decision | MentionStatus): WriteOptions =>
  decision === 'approved' || decision === 'restored' ? {} : { ends: true };

/** Changes a mention. A failure of one mention doesn't concern the others of the same transaction. */
function changeOne(
  writes: MentionWrites,
  id: string,
  next: (before: Mention) => Mention,
): { readonly before: Mention; readonly after: Mention } | { readonly failure: unknown } {
  const before = writes.get(id);
  if (before === undefined) return { failure: notFound() };
  let after: Mention;
  try {
    after = next(before);
  } catch (failure) {
    return { failure };
  }
  return { before, after: after === before ? before : writes.put(after) };
}

const nobody = ownSites({ base: '', me: null, folderSite: '', hosts: [] });

const randomText = () => randomBytes(12).toString('base64url');

const notFound = () => new PorchlightError('not_found', 'This mention no longer exists.', 404);

function* batchesOf(given: readonly NewMention[]): Generator<NewMention[]> {
  let batch: NewMention[] = [];
  let characters = 0;
  for (const one of given) {
    batch.push(one);
    characters += jsonLength(one);
    if (batch.length < keptAtOnce && characters < writeCharacters) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

interface Fresh {
  /** The current time, in ISO 8601. */
  readonly now: string;
  readonly newId: () => string;
  /**
   * Returns the `wm-id` for a mention: `requested` if it is defined, otherwise a number above all numbers used so far.
   * Also records that the number is used.
   */
  readonly number: (requested: number | undefined) => number;
}

/**
 * Adds a mention, or updates the mention with the same source and target. Returns undefined if the target
 * page has no space for the mention.
 */
function keepMention(
  writes: Pick<MentionWrites, 'leader' | 'find' | 'roomFor' | 'add' | 'put'>,
  given: NewMention,
  { most = Infinity, onlyNew = false, revise }: KeepOptions,
  { now, newId, number }: Fresh,
): KeptOfMany | undefined {
  const before = writes.find(given.source, given.target);
  const revised = before && (onlyNew ? undefined : revise ? revise(given, before) : given);
  if (before && revised === undefined) return { mention: before, outcome: 'unchanged' };
  const read = revised ?? given;
  const complete = { ...read, facts: storedFacts(read.facts) };
  const incoming = onlyNew || read.status !== 'held' ? complete : withApproval(complete, writes.leader(read));
  const room = Math.min(most, writes.roomFor(incoming, before));
  if (before === undefined) {
    const mention = fittedMention(
      newMention(incoming, incoming.id ?? newId(), number(incoming.wmId), now),
      room,
    );
    if (mention === undefined) return undefined;
    // A new id is nobody else's.
    return {
      mention: incoming.id === undefined ? writes.add(mention) : writes.put(mention),
      outcome: 'added',
    };
  }
  if (incoming.wmId !== undefined) number(incoming.wmId);
  const { mention, outcome } = renewed(before, incoming, now, room);
  return { mention: isDeepStrictEqual(mention, before) ? mention : writes.put(mention), outcome };
}

/**
 * Returns facts without properties whose value is undefined, because stored facts have no such properties. Otherwise,
 * equal facts would count as changed.
 */
function storedFacts(facts: SourceFacts): SourceFacts {
  const isComplete = (value: unknown): boolean =>
    typeof value === 'object' && value !== null
      ? Object.values(value).every(isComplete)
      : value !== undefined;
  return isComplete(facts) ? facts : (JSON.parse(JSON.stringify(facts)) as SourceFacts);
}

/**
 * Returns a mention with the status of `leader` if that is approved and comes from the same source. The owner has
 * approved what the source says about this page, so another spelling of the page's URL needs no new approval.
 */
function withApproval(incoming: NewMention, leader: Mention | undefined): NewMention {
  if (leader?.source !== incoming.source || leader.status !== 'approved') return incoming;
  const { admission, ...rest } = incoming;
  const reason = leader.admission ?? admission;
  return { ...rest, status: 'approved', ...(reason !== undefined && { admission: reason }) };
}

const pageFull = () =>
  new PorchlightError(
    'page_full',
    'This page has reached its limit of mentions, in total or from this site.',
    503,
  );

/**
 * The maximum size of the cache in bytes of JSON, enough for a few thousand mentions. Many requests are for the same
 * few new posts.
 */
const mostBytes = 8 * 1024 * 1024;

/**
 * Creates a cache of the mentions of recently requested pages. The returned function takes a page and returns its
 * mentions, oldest first. It returns the same array until a mention changes.
 */
function recentPages(
  versions: Versions,
  read: (page: string) => Mention[],
): (page: string) => readonly Mention[] {
  const pages = createRecent<{ readonly mentions: readonly Mention[]; readonly version: number }>(mostBytes);

  return (page) => {
    const version = versions.of(mentionsOf(page));
    const known = pages.get(page);
    if (known?.version === version) return known.mentions;
    const mentions = read(page);
    const bytes = mentions.reduce((sum, mention) => sum + mentionBytes(mention), 200);
    pages.set(page, { mentions, version }, bytes);
    return mentions;
  };
}
