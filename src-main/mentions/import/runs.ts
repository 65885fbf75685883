import { setImmediate } from 'node:timers/promises';
import type { MentionStatus } from '../../contract/webmentions.ts';
import type { Log } from '../../platform/log.ts';
import type { Mention, NewMention } from '../mention.ts';
import { AggregatorError, type MentionListing, type RawRecord, type ReadListing } from './aggregator.ts';
import { removeMissing, type CompareDeps } from './removals.ts';
import type { ImportStateStore } from './import-runs.ts';
import {
  recordId,
  newMentionOf,
  numberOf,
  readSinceImport,
  verifiedOf,
  type RawMention,
} from './raw-mention.ts';

export interface RunDeps extends CompareDeps {
  readonly readListing: ReadListing;
  readonly state: ImportStateStore;
  readonly now: () => number;
  readonly log: Log;
  /** Returns the status for a mention that is new to this server. */
  readonly statusOf: (mention: Pick<NewMention, 'source' | 'facts'>) => Promise<MentionStatus>;
  /** A hash that identifies the aggregator, account and domain. */
  readonly origin: string;
}

/**
 * How much of the previous run to read again: a number of IDs, and a time in ms. The aggregator starts to list a new
 * mention only some time after the mention gets its ID (WI-31).
 */
const idOverlap = 1000;
const timeOverlap = 10 * 60_000;
/** After this many ms of preparing mentions, the import lets other work run. */
const preparedMs = 8;

/**
 * Reads all mentions (WI-30) and finds those that the aggregator no longer lists (WI-33). Saves its position, so that
 * the next run can continue after an interruption.
 */
export async function fullRun(deps: RunDeps): Promise<void> {
  const { state, now, origin, domain } = deps;
  const listing: MentionListing = { sortBy: 'created', sortDir: 'up', domain };
  const known = state.data.origin === origin;
  const broken = known ? state.data.broken : undefined;
  const startedAt = broken?.startedAt ?? new Date(now()).toISOString();
  const notes = createNotes();

  const from = broken ? backOne(broken) : firstPlace;
  const everything = (start: WalkPlace) =>
    takeIn(deps, listing, notes, {
      from: start,
      kept: ({ page, perPage }) =>
        state.update((data) => {
          if (data.origin !== origin) for (const key of Object.keys(data)) Reflect.deleteProperty(data, key);
          data.origin = origin;
          data.broken = { page, perPage, startedAt };
        }),
    });

  const { halves, pages, perPage } = await everything(from);
  // If the aggregator deletes mentions during the run, later mentions move to pages that the run has already read. So
  // read all IDs a second time, and fetch the mentions that the first reading missed. Only mentions that both readings
  // missed count as deleted at the aggregator.
  const mayHaveMoved = from.page > 0 || pages > 1;
  if ((mayHaveMoved && (await hasMissing(deps, listing, perPage))) || halves.length > 0)
    await everything({ page: 0, perPage });
  await removeMissing(deps, known && state.data.lastFullRun !== undefined);
  await finish(deps, notes, startedAt, true);
}

/** Reads the mentions that are new (WI-31) or changed (WI-32) since the last finished run. */
export async function incrementalRun(deps: RunDeps): Promise<void> {
  const { state, now, domain } = deps;
  const { highestId = 0, newestVerified } = state.data;
  const startedAt = new Date(now()).toISOString();
  const notes = createNotes();
  const sinceId = Math.max(0, highestId - idOverlap);
  await takeIn(deps, { sortBy: 'created', sortDir: 'up', sinceId, domain }, notes);
  const isKnown = (moment: string) => newestVerified !== undefined && moment <= newestVerified;
  await takeIn(deps, { sortBy: 'updated', sortDir: 'down', domain }, notes, {
    goesOn: ({ json }) => !json.some((record) => isKnown(verifiedOf(record) ?? '~')),
  });
  await finish(deps, notes, startedAt, false);
}

interface Notes {
  newestVerified: string | undefined;
  highestId: number;
}

const createNotes = (): Notes => ({ newestVerified: undefined, highestId: 0 });

interface TakeInOptions {
  readonly from?: WalkPlace;
  /** Called for each page of the listing. If it returns false, no further pages of this listing are read. */
  readonly goesOn?: (step: WalkStep) => boolean;
  /** Called as soon as all mentions before the position `next` are stored. */
  readonly kept?: (next: WalkPlace) => Promise<void>;
}

/** Reads a listing page by page, and stores the mentions of each page. */
async function takeIn(
  deps: RunDeps,
  listing: MentionListing,
  notes: Notes,
  { from = firstPlace, goesOn, kept }: TakeInOptions = {},
): Promise<WalkEnd> {
  const { readListing, tally } = deps;
  const end = await walk({
    readListing,
    listing,
    from,
    onPage: async (step) => {
      tally.saw(step.mentions.flatMap((raw) => recordId(raw.jf2 ?? raw.json ?? {}) ?? []));
      await keep(deps, step.mentions, notes);
      await kept?.(step.next);
      tally.running();
      return goesOn?.(step) ?? true;
    },
  });
  tally.saw(end.seen);
  await keep(deps, end.halves, notes);
  return end;
}

async function keep(deps: RunDeps, raws: readonly RawMention[], notes: Notes): Promise<void> {
  const { store, tally, log, now } = deps;
  const moment = new Date(now()).toISOString();
  const toKeep: NewMention[] = [];
  let began = -Infinity;
  for (const raw of raws) {
    if (performance.now() - began > preparedMs) {
      await setImmediate();
      began = performance.now();
    }
    const id = recordId(raw.jf2 ?? raw.json ?? {});
    const mention = newMentionOf(raw, moment);
    if (id === undefined || !mention) {
      log.warn({ wmId: id }, 'A mention of the aggregator names no source or no target, and is left out.');
      continue;
    }
    const verified = verifiedOf(raw.json);
    if (verified !== undefined && verified > (notes.newestVerified ?? '')) notes.newestVerified = verified;
    notes.highestId = Math.max(notes.highestId, id);
    toKeep.push({ ...mention, status: await deps.statusOf(mention) });
  }
  const revise = (incoming: NewMention, before: Mention) => besides(incoming, before, tally.seen);
  tally.kept(toKeep, await store.keepAll(toKeep, { revise }));
}

/**
 * Returns the version of an imported mention to store. `before`: the stored mention with the same source and target.
 * Keeps the facts of `before` if this server has read the source more recently than the aggregator. Returns
 * undefined if the aggregator still lists `before` under another ID, because a source can mention a target only once.
 */
function besides(incoming: NewMention, before: Mention, seen: ReadonlySet<number>): NewMention | undefined {
  const number = numberOf(before);
  if (before.imported && number !== incoming.wmId && seen.has(number)) return undefined;
  const isOlder = readSinceImport(before) && before.parsed > incoming.parsed;
  return isOlder ? { ...incoming, facts: before.facts, parsed: before.parsed } : incoming;
}

/** Reads the IDs of all mentions that the aggregator lists. Returns whether this server lacks any of them. */
async function hasMissing(deps: RunDeps, listing: MentionListing, perPage: number): Promise<boolean> {
  const { store, tally } = deps;
  let missing = false;
  for await (const id of numbersOf(deps.readListing, listing, perPage)) {
    if (tally.seen.has(id)) continue;
    tally.saw([id]);
    missing ||= (await store.byWmId(id))?.imported === undefined;
  }
  return missing;
}

/** Yields the IDs of all mentions in a listing. Reads the smaller format, json, if the aggregator offers it. */
async function* numbersOf(
  readListing: ReadListing,
  listing: MentionListing,
  perPage: number,
): AsyncIterable<number> {
  const seen = new Set<number>();
  for (let page = 0; page < mostPages; page += 1) {
    const records =
      (await readListing('json', listing, page, perPage)) ??
      (await readListing('jf2', listing, page, perPage)) ??
      [];
    const ids = records.flatMap((record) => recordId(record) ?? []).filter((id) => !seen.has(id));
    if (ids.length === 0) return;
    for (const id of ids) {
      seen.add(id);
      yield id;
    }
  }
}

/**
 * Records that a run finished. The next run starts early enough to read the changes that were made during this run
 * again, because this run may have missed some of them.
 */
async function finish(deps: RunDeps, notes: Notes, startedAt: string, full: boolean): Promise<void> {
  const { state, now, origin } = deps;
  const moment = new Date(now()).toISOString();
  const back = now() - Date.parse(startedAt) + timeOverlap;
  const verified = notes.newestVerified;
  await state.update((data) => {
    if (verified !== undefined) {
      const newest = new Date(Date.parse(verified) - back).toISOString();
      if (newest > (data.newestVerified ?? '')) data.newestVerified = newest;
    }
    data.origin = origin;
    data.highestId = Math.max(data.highestId ?? 0, notes.highestId);
    data.lastRun = moment;
    if (full) data.lastFullRun = moment;
    if (full) delete data.broken;
  });
}

/**
 * Returns the position one page back. If the aggregator deleted mentions since the interruption, later mentions have
 * moved toward the start of the list, and the import would otherwise skip them.
 */
function backOne({ page, perPage }: WalkPlace): WalkPlace {
  return { page: Math.max(0, page - 1), perPage };
}

/** A position in a listing: the next page to read, and the page size. */
interface WalkPlace {
  readonly page: number;
  readonly perPage: number;
}

interface WalkStep {
  /**
   * The mentions that can be stored after this page. Normally, each has a record in every format that the aggregator
   * offers.
   */
  readonly mentions: RawMention[];
  /** The json records of this page, in their original order. */
  readonly json: readonly RawRecord[];
  /** The position at which to resume after this page. */
  readonly next: WalkPlace;
}

interface WalkOptions {
  readonly readListing: ReadListing;
  readonly listing: MentionListing;
  readonly from?: WalkPlace;
  /** Called for each page. If it returns false, no further pages are read. */
  readonly onPage: (step: WalkStep) => Promise<boolean>;
}

interface WalkEnd {
  /** The IDs of all mentions that were read. */
  readonly seen: Set<number>;
  /** The number of pages that contained anything new. */
  readonly pages: number;
  /** The page size that the aggregator could serve. */
  readonly perPage: number;
  /**
   * Mentions that were read in only one format, because the aggregator added or deleted mentions during the reading.
   */
  readonly halves: RawMention[];
}

const firstPlace: WalkPlace = { page: 0, perPage: 1000 };
const smallestPage = 125;
const mostHalves = 5000;
/**
 * The maximum number of pages to read, far above the pages of any site. Without this limit, an endless listing would be
 * read forever.
 */
const mostPages = 10_000;

/**
 * Reads a listing to its end, in both formats side by side (WI-30). The end is a page that is empty or has nothing new.
 * A short page is not the end, because the server may return fewer records than requested (WI-41, WI-45). If pages are
 * too large or too slow, starts again with smaller pages.
 * @throws AggregatorError
 */
async function walk(options: WalkOptions): Promise<WalkEnd> {
  const { perPage } = options.from ?? firstPlace;
  try {
    return await walkOnce(options);
  } catch (error) {
    const mayShrink = error instanceof AggregatorError && error.reason === 'too-much';
    if (!mayShrink || perPage <= smallestPage) throw error;
    return walk({ ...options, from: { page: 0, perPage: Math.ceil(perPage / 2) } });
  }
}

async function walkOnce({ readListing, listing, from = firstPlace, onPage }: WalkOptions): Promise<WalkEnd> {
  const seen = new Set<number>();
  const halves = new Map<number, RawMention>();
  let place = from;
  let pages = 0;

  /**
   * Adds the records of one page in one format. Adds each mention that now has records in both formats to `whole`.
   * Returns whether any ID was new.
   */
  function take(format: 'jf2' | 'json', records: readonly RawRecord[], whole: RawMention[]): boolean {
    let isNew = false;
    for (const record of records) {
      const id = recordId(record);
      if (id === undefined) continue;
      const half = halves.get(id);
      if (half && !(format in half)) {
        halves.delete(id);
        whole.push({ ...half, [format]: record });
      } else if (half || !seen.has(id)) {
        isNew ||= !seen.has(id);
        seen.add(id);
        halves.set(id, { [format]: record });
      }
    }
    return isNew;
  }

  while (pages < mostPages) {
    const read = await pageOf(readListing, listing, place);
    place = { ...place, page: place.page + 1 };
    const mentions: RawMention[] = [];
    const gotJf2 = take('jf2', read.jf2 ?? [], mentions);
    const gotJson = take('json', read.json ?? [], mentions);
    if (!gotJf2 && !gotJson && mentions.length === 0) break;
    pages += 1;
    const single = read.jf2 === null || read.json === null;
    if (single || halves.size > mostHalves) {
      mentions.push(...halves.values());
      halves.clear();
    }
    if (!(await onPage({ mentions, json: read.json ?? [], next: place }))) break;
  }
  return { seen, pages, perPage: place.perPage, halves: [...halves.values()] };
}

interface PageRead {
  readonly jf2: RawRecord[] | null;
  readonly json: RawRecord[] | null;
}

async function pageOf(
  readListing: ReadListing,
  listing: MentionListing,
  place: WalkPlace,
): Promise<PageRead> {
  const { page, perPage } = place;
  const jf2 = await readListing('jf2', listing, page, perPage);
  const json = await readListing('json', listing, page, perPage);
  if (jf2 || json) return { jf2, json };
  throw new AggregatorError(
    'unreachable',
    'The aggregator’s address does not return a list of mentions. Check the address in the settings.',
  );
}
