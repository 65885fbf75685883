import { setImmediate } from 'node:timers/promises';
import type { MentionStatus } from '../../contract/webmentions.ts';
import type { Log } from '../../platform/log.ts';
import type { Document } from '../../storage/document.ts';
import type { Mention } from '../../mentions/mention.ts';
import type { NewMention } from '../../mentions/mention-store.ts';
import { AggregatorError, type Aggregator, type Listing } from './aggregator.ts';
import { removeMissing, type CompareDeps } from './compare.ts';
import type { ImportState } from './import-state.ts';
import {
  idOf,
  newMentionOf,
  numberOf,
  readSinceImport,
  targetOf,
  verifiedOf,
  type RawMention,
} from './raw-mention.ts';
import { firstPlace, mostPages, walk, type Place, type WalkEnd, type WalkStep } from './walk.ts';

export interface RunDeps extends CompareDeps {
  readonly aggregator: Aggregator;
  readonly state: Document<ImportState>;
  readonly now: () => number;
  readonly log: Log;
  /** What a mention of this source becomes that is not here yet. */
  readonly statusOf: (source: string) => Promise<MentionStatus>;
  /** Names aggregator, account and domain. */
  readonly origin: string;
}

/** Rows become visible some time after they get their number (WI-31): so far back is looked again. */
const idOverlap = 1000;
const timeOverlap = 10 * 60_000;
/** Mentions that are written together, and the rest of those of the last one's page. */
const keptAtOnce = 400;
/** Mentions that are read before they are written. */
const mostGathered = 4000;

/**
 * Reads everything (WI-30) and finds what the aggregator has no more (WI-33). Now and then it notes where it is: broken
 * off, the next run goes on there.
 */
export async function fullRun(deps: RunDeps): Promise<void> {
  const { state, now, origin, domain } = deps;
  const listing: Listing = { sortBy: 'created', sortDir: 'up', domain };
  const known = state.data.origin === origin;
  const broken = known ? state.data.broken : undefined;
  const startedAt = broken?.startedAt ?? new Date(now()).toISOString();
  const notes = createNotes();

  const from = broken ? backOne(broken) : firstPlace;
  const everything = (start: Place) =>
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
  // Rows that go meanwhile move later ones to pages that were read before. Where that may be, all numbers are looked
  // through once more: what is not here is fetched, and what is gone is what both looks missed.
  const mayHaveMoved = from.page > 0 || pages > 1;
  if ((mayHaveMoved && (await hasMissing(deps, listing, perPage))) || halves.length > 0)
    await everything({ page: 0, perPage });
  await removeMissing(deps, known && state.data.lastFullRun !== undefined);
  await finish(deps, notes, startedAt, true);
}

/** Reads what is new (WI-31) and what changed (WI-32) since the last run that came to its end. */
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
  readonly from?: Place;
  /** Asked page by page; false ends the walk. */
  readonly goesOn?: (step: WalkStep) => boolean;
  /** Called when all that came before this place is kept. */
  readonly kept?: (next: Place) => Promise<void>;
}

/** Walks a listing and keeps what it brings, thousands at a time: a document is written once for all of them. */
async function takeIn(
  deps: RunDeps,
  listing: Listing,
  notes: Notes,
  { from = firstPlace, goesOn, kept }: TakeInOptions = {},
): Promise<WalkEnd> {
  const { aggregator, tally } = deps;
  let gathered: RawMention[] = [];
  let place = from;

  async function keepGathered(): Promise<void> {
    const some = gathered;
    gathered = [];
    await keep(deps, some, notes);
    await kept?.(place);
  }

  try {
    const end = await walk({
      aggregator,
      listing,
      from,
      onPage: async (step) => {
        gathered.push(...step.mentions);
        tally.saw(step.mentions.flatMap((raw) => idOf(raw.jf2 ?? raw.json ?? {}) ?? []));
        place = step.next;
        if (gathered.length >= mostGathered) await keepGathered();
        tally.running();
        return goesOn?.(step) ?? true;
      },
    });
    gathered.push(...end.halves);
    tally.saw(end.seen);
    await keepGathered();
    return end;
  } catch (error) {
    // A server that is closing does not wait for it; the next run reads it again.
    if (error instanceof AggregatorError && error.reason !== 'stopped' && place !== from)
      await keepGathered();
    throw error;
  }
}

async function keep(deps: RunDeps, raws: readonly RawMention[], notes: Notes): Promise<void> {
  const { store, tally, log, now } = deps;
  const moment = new Date(now()).toISOString();
  const wanted = new Map<string, NewMention>();
  let target = '';
  async function keepWanted(): Promise<void> {
    const some = [...wanted.values()];
    wanted.clear();
    tally.kept(some, await store.keepAll(some));
  }

  // By page, a few pages at a time: the store opens each of them once, and need not have all of them in memory.
  for (const raw of raws.toSorted(byTarget)) {
    if (wanted.size >= keptAtOnce && targetOf(raw) !== target) await keepWanted();
    target = targetOf(raw);
    const id = idOf(raw.jf2 ?? raw.json ?? {});
    const mention = newMentionOf(raw, moment);
    if (id === undefined || !mention) {
      log.warn({ wmId: id }, 'A mention of the aggregator names no source or no target, and is left out.');
      continue;
    }
    const verified = verifiedOf(raw.json);
    if (verified !== undefined && verified > (notes.newestVerified ?? '')) notes.newestVerified = verified;
    notes.highestId = Math.max(notes.highestId, id);
    const before = await store.find(mention.source, mention.target);
    await setImmediate(); // cleaning what it says is work: others get their turn
    const judged = before ? mention : { ...mention, status: await deps.statusOf(mention.source) };
    const chosen = besides(judged, before, tally.seen);
    const pair = `${mention.source}\n${mention.target}`;
    if (chosen && !wanted.has(pair)) wanted.set(pair, chosen);
  }
  await keepWanted();
}

function byTarget(a: RawMention, b: RawMention): number {
  const [one, other] = [targetOf(a), targetOf(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/**
 * What is kept of an imported mention beside the one that is there. Undefined where that one is another row of the
 * aggregator's: the same source mentions a target once. Where we read the source ourselves since, what it said stays.
 */
function besides(
  wanted: NewMention,
  before: Mention | undefined,
  seen: ReadonlySet<number>,
): NewMention | undefined {
  if (!before) return wanted;
  const number = numberOf(before);
  if (before.imported && number !== wanted.wmId && seen.has(number)) return undefined;
  const isOlder = readSinceImport(before) && before.parsed > wanted.parsed;
  return isOlder ? { ...wanted, facts: before.facts, parsed: before.parsed } : wanted;
}

/** True where the aggregator has mentions that are not here. Reads all its numbers. */
async function hasMissing(deps: RunDeps, listing: Listing, perPage: number): Promise<boolean> {
  const { store, tally } = deps;
  let missing = false;
  for await (const id of numbersOf(deps.aggregator, listing, perPage)) {
    if (tally.seen.has(id)) continue;
    tally.saw([id]);
    missing ||= (await store.byWmId(id))?.imported === undefined;
  }
  return missing;
}

/** The numbers of a whole listing, in the smaller format where there is one. */
async function* numbersOf(aggregator: Aggregator, listing: Listing, perPage: number): AsyncIterable<number> {
  const seen = new Set<number>();
  for (let page = 0; page < mostPages; page += 1) {
    const records =
      (await aggregator.page('json', listing, page, perPage)) ??
      (await aggregator.page('jf2', listing, page, perPage)) ??
      [];
    const ids = records.flatMap((record) => idOf(record) ?? []).filter((id) => !seen.has(id));
    if (ids.length === 0) return;
    for (const id of ids) {
      seen.add(id);
      yield id;
    }
  }
}

/** Notes that a run came to its end. What changed while it ran may have been read before it changed: it is looked at again. */
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

/** One page back: rows that went since have moved the rest towards the start. */
function backOne({ page, perPage }: Place): Place {
  return { page: Math.max(0, page - 1), perPage };
}
