import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { PorchlightError } from '../contract/error.ts';
import type { Log } from '../platform/log.ts';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { coalesced } from '../storage/coalesce.ts';
import { isDiskFailure } from '../storage/storage-error.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import type { Recovery } from '../storage/recovery.ts';
import { decided, decisionBetween, undone } from './decisions.ts';
import { keepMention, pageFull, settledKept } from './keep-mention.ts';
import { draftMentions, type MentionDraft } from './mention-draft.ts';
import { mentionIndex, mentionTables } from './mention-index.ts';
import { createMentionJournals } from './mention-journals.ts';
import { mentionPages, type MentionPages } from './mention-pages.ts';
import { mentionQueries } from './mention-queries.ts';
import { reconcileMentions } from './mention-reconcile.ts';
import type { Kept, KeepOptions, MentionStore, NewMention } from './mention-store.ts';
import { sourceIdentity, type Mention } from './mention.ts';
import { erased, restored, withStatus } from './moderation.ts';
import { ownSites, type OwnSites } from './own-sites.ts';
import { recentPages } from './recent-pages.ts';

export interface MentionStoreOptions {
  /** The folder that contains the months' files. */
  readonly dir: string;
  readonly index: IndexDatabase;
  /** Returns the current time in ms. */
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Called for each recovery of a damaged file. If absent, nothing is recovered, and damaged files cause errors. */
  readonly onRecovered?: ((recovery: Recovery) => void | Promise<void>) | undefined;
  /** The rule by which mentions are assigned to pages. If absent, each normalized URL is a page of its own. */
  readonly pages?: MentionPages | undefined;
  /** The owner's own sites, whose mentions are left out of the counts; none if absent. */
  readonly ownSites?: (() => OwnSites) | undefined;
  /** Returns a new unique identifier without spaces. */
  readonly newId?: (() => string) | undefined;
}

/** The number of mentions to read before other work can run. */
const batch = 50;
/**
 * The limits for one write and its transaction: how many mentions, and how many characters. Such a write takes about 15
 * ms.
 */
const writeBatch = 200;
const writeCharacters = 256 * 1024;

/**
 * Creates the store of the mentions in `dir`. Each month has a file for the mentions that arrived in it, with a line
 * for each change. `index` makes the mentions searchable. No file is read until a method is called. Create the store
 * only once in a process.
 *
 * Its methods throw PorchlightError: `storage_full`, `storage_unwritable`, `storage_busy`; `not_found` (404) when
 * changing a mention that does not exist; `invalid_request` for an invalid cursor; `storage_unreadable` or
 * `storage_newer` when adding a mention that may already be in an unreadable month's file.
 */
export function createMentionStore(options: MentionStoreOptions): MentionStore {
  const { index, now, newId = randomText, ownSites: own = () => nobody } = options;
  const { pages = mentionPages(() => '') } = options;
  const rows = mentionIndex(index, pages);
  const queries = mentionQueries(index, pages);
  const journals = createMentionJournals({ dir: options.dir, rows, index });
  const ofPage = recentPages(index.versions, (page) => queries.ofPage(page));
  // Runs one task at a time, because no mention may be written while the files are compared with the index.
  const turn = oneAtATime();
  const stopped = new AbortController();
  const moment = () => new Date(now()).toISOString();
  /** The months that can't be read, each with its error. */
  let unusable: ReadonlyMap<string, unknown> = new Map();
  let highest = 0;
  let reconciled: Promise<void> | undefined;
  /** The public origin of this server when `reconciled` was set. */
  let readyFor: string | undefined;
  let waiting: Change[] = [];

  /**
   * Resolves once the index matches the files and this server's address. Updates the index if `reconciled` is undefined.
   */
  function ready(): Promise<void> {
    if (readyFor !== pages.base()) reconciled = undefined;
    readyFor = pages.base();
    reconciled ??= turn(reconcile).catch((error: unknown) => {
      reconciled = undefined;
      throw error;
    });
    return reconciled;
  }

  /** Determines the address of each mention again if this server's own address has changed. */
  async function readdress(): Promise<void> {
    const base = pages.base();
    if (rows.base() !== base) {
      let last: number | undefined = 0;
      while (last !== undefined) {
        last = rows.readdress(last, writeBatch);
        await setImmediate();
        stopped.signal.throwIfAborted();
      }
      rows.setBase(base);
    }
    while (rows.recount(1)) {
      await setImmediate();
      stopped.signal.throwIfAborted();
    }
  }

  async function reconcile(): Promise<void> {
    try {
      await readdress();
    } catch (error) {
      if (!isDiskFailure(error)) throw error;
      // Visitors can read on a full disk, too. The next call tries again.
      readyFor = undefined;
    }
    unusable = await reconcileMentions({ ...options, rows, signal: stopped.signal });
    highest = Math.max(highest, rows.highestNumber());
    index.setTrusted(mentionTables, unusable.size === 0);
  }

  const save = coalesced(() => turn(saveAll));

  async function saveAll(): Promise<void> {
    const changes = waiting;
    waiting = [];
    const draft = draftMentions(rows);
    const tried = changes.map((change) => change.work(draft));
    try {
      await journals.append(draft.changed(), unusable);
      for (const tell of tried) tell();
    } catch (error) {
      if (error instanceof PorchlightError && error.code === 'storage_changed') reconciled = undefined;
      for (const change of changes) change.over(error);
    }
  }

  /**
   * Runs `work` on a draft (see draftMentions) and resolves with its result once the changes are on disk. Concurrent
   * calls share a write. If `work` throws, the changes that it has already made are kept.
   */
  async function changing<R>(work: (draft: MentionDraft) => R): Promise<R> {
    if (unusable.size > 0) reconciled = undefined; // read the files again, because they may be readable now
    await ready();
    return new Promise<R>((resolve, reject) => {
      waiting.push({
        over: reject,
        work(draft) {
          try {
            const result = work(draft);
            return () => resolve(result);
          } catch (error) {
            return () => reject(error instanceof Error ? error : new Error(String(error)));
          }
        },
      });
      void save();
    });
  }

  function number(wanted: number | undefined): number {
    if (wanted !== undefined) highest = Math.max(highest, wanted);
    else highest += 1;
    return wanted ?? highest;
  }

  async function keepAll(given: readonly NewMention[], options: KeepOptions = {}): Promise<Kept[]> {
    const all: Kept[] = [];
    for (const some of batchesOf(given)) {
      const kept = await changing((draft) => {
        if (unusable.size > 0) refuseUnknown(draft, some);
        return some.map((one) => keepMention(draft, one, options, { now: moment(), newId, number }));
      });
      for (const one of kept) if (one) all.push(settledKept(one, rows.isLeading(one.mention.id)));
    }
    return all;
  }

  /**
   * Throws if any of the mentions is not in the index. Such a mention may still be in an unreadable month's file, and
   * that file may even say that the mention is deleted.
   */
  function refuseUnknown(draft: MentionDraft, wanted: readonly NewMention[]): void {
    const [reason] = unusable.values();
    if (wanted.every(({ source, target }) => draft.find(source, target))) return;
    throw reason;
  }

  /** Changes mentions in one write. Returns each changed mention before and after the change, and the errors. */
  const changeAll = (ids: readonly string[], next: (before: Mention) => Mention) =>
    changing((draft) => {
      const changes: { before: Mention; after: Mention }[] = [];
      const failures: unknown[] = [];
      for (const id of new Set(ids)) {
        try {
          const before = draft.get(id);
          if (before === undefined) throw notFound();
          const after = next(before);
          if (after === before) continue;
          draft.put(after, before);
          changes.push({ before, after });
        } catch (error) {
          failures.push(error);
        }
      }
      return { changes, failures };
    });

  async function change(id: string, next: (before: Mention) => Mention): Promise<Mention> {
    const { changes, failures } = await changeAll([id], next);
    if (failures.length > 0) throw failures[0];
    const after = changes[0]?.after ?? rows.get(id);
    if (after === undefined) throw notFound();
    return after;
  }

  return {
    async keep(mention, keepOptions) {
      const [kept] = await keepAll([mention], keepOptions);
      if (kept === undefined) throw pageFull();
      return kept;
    },
    keepAll,
    async erase(ids) {
      const { changes } = await changeAll(ids, erased);
      return changes.map(({ before }) => before);
    },
    setStatus: (id, status, by) => change(id, (before) => withStatus(before, status, by, moment())),
    restore: (id) => change(id, (before) => restored(before, moment())),

    async decideAll(ids, decision) {
      const { changes, failures } = await changeAll(ids, (before) => decided(before, decision, moment()));
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
      const { changes } = await changeAll([...byId.keys()], (mention) => {
        const one = byId.get(mention.id);
        return one ? undone(mention, one) : mention;
      });
      return changes.map(({ after }) => after);
    },

    isSaved: () => true,
    get: (id) => ready().then(() => rows.get(id)),
    personUrl: (handle) => rows.personUrl(handle),
    find: (source, target) => ready().then(() => rows.find(source, target)),
    byWmId: (wmId) => ready().then(() => queries.byWmId(wmId)),
    pageRules: pages,
    addressesChanged: (addresses) => rows.addressesChanged(addresses),
    ofPage: (target) => ready().then(() => ofPage(pages.pageOf(target))),
    recordsOf: (target) => ready().then(() => queries.recordsOf(pages.pageOf(target))),
    leader: (mention) => ready().then(() => rows.leader(mention)),
    async neighbours(mention, limit) {
      await ready();
      const page = pages.pageOf(mention.target);
      return queries.neighbours({ page, type: mention.facts.type, origin: sourceIdentity(mention) }, limit);
    },
    pageIds: () => ready().then(() => queries.pageIds()),
    wasApproved: (host) => ready().then(() => queries.wasApproved(host)),
    list: (page) => ready().then(() => queries.list(page)),
    spellings: (page) => ready().then(() => queries.spellings(page)),
    pages: () => ready().then(() => queries.pages(own())),
    counts: () => ready().then(() => queries.counts(own())),
    topPages: (year) => ready().then(() => queries.topPages(own(), year)),

    async *all(which = 'every') {
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
    },

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
      }
    },

    async close() {
      stopped.abort();
      await reconciled?.catch(() => undefined);
      await save();
      await journals.close();
    },
  };
}

interface Change {
  /**
   * Tries the change on a draft. Returns a function that reports the outcome to the caller. Call that function once the
   * draft is on disk.
   */
  work(draft: MentionDraft): () => void;
  /** Reports to the caller that the write failed. */
  over(error: unknown): void;
}

const nobody = ownSites({ base: '', me: null, folderSite: '', hosts: [] });

const randomText = () => randomBytes(12).toString('base64url');

const notFound = () => new PorchlightError('not_found', 'This mention no longer exists.', 404);

function* batchesOf(given: readonly NewMention[]): Generator<NewMention[]> {
  let batch: NewMention[] = [];
  let characters = 0;
  for (const one of given) {
    batch.push(one);
    characters += JSON.stringify(one).length;
    if (batch.length < writeBatch && characters < writeCharacters) continue;
    yield batch;
    [batch, characters] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
