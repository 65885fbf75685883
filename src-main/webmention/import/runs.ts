import { setImmediate } from 'node:timers/promises';
import type { MentionStatus } from '../../contract/webmentions.ts';
import type { Log } from '../../platform/log.ts';
import type { Document } from '../../storage/document.ts';
import type { Mention } from '../../mentions/mention.ts';
import type { NewMention } from '../../mentions/mention-store.ts';
import type { Aggregator, MentionListing } from './aggregator.ts';
import { removeMissing, type CompareDeps } from './compare.ts';
import type { ImportState } from './import-state.ts';
import { idOf, newMentionOf, numberOf, readSinceImport, verifiedOf, type RawMention } from './raw-mention.ts';
import { pairOf } from '../queue-entry.ts';
import { firstPlace, mostPages, walk, type WalkPlace, type WalkEnd, type WalkStep } from './walk.ts';

export interface RunDeps extends CompareDeps {
  readonly aggregator: Aggregator;
  readonly state: Document<ImportState>;
  readonly now: () => number;
  readonly log: Log;
  /** Returns the status for a mention that is new here. */
  readonly statusOf: (source: string) => Promise<MentionStatus>;
  /** A hash that identifies the aggregator, account and domain. */
  readonly origin: string;
}

/**
 * How far back a run reads again what an earlier run has read: by number, and by time (ms). The aggregator's rows
 * become visible only some time after they get their number (WI-31).
 */
const idOverlap = 1000;
const timeOverlap = 10 * 60_000;
/** For how long mentions are prepared, which takes time (sanitizing), before other work gets a turn, in ms. */
const preparedMs = 8;

/**
 * Reads all mentions (WI-30) and finds those that the aggregator no longer lists (WI-33). Saves its position regularly,
 * so that the next run can resume if this one is interrupted.
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
  // Rows deleted during the run move later rows to pages that were already read. If that may have happened, all numbers
  // are read once more. Missing mentions are then fetched, and only those that neither pass found count as deleted.
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
  /** Called for each page. Returning false ends the walk. */
  readonly goesOn?: (step: WalkStep) => boolean;
  /** Called once all mentions before the position `next` are stored. */
  readonly kept?: (next: WalkPlace) => Promise<void>;
}

/** Walks a listing and stores the mentions of each page. */
async function takeIn(
  deps: RunDeps,
  listing: MentionListing,
  notes: Notes,
  { from = firstPlace, goesOn, kept }: TakeInOptions = {},
): Promise<WalkEnd> {
  const { aggregator, tally } = deps;
  const end = await walk({
    aggregator,
    listing,
    from,
    onPage: async (step) => {
      tally.saw(step.mentions.flatMap((raw) => idOf(raw.jf2 ?? raw.json ?? {}) ?? []));
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
  const wanted = new Map<string, NewMention>();
  let began = -Infinity;
  for (const raw of raws) {
    if (performance.now() - began > preparedMs) {
      await setImmediate();
      began = performance.now();
    }
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
    const judged = before ? mention : { ...mention, status: await deps.statusOf(mention.source) };
    const chosen = besides(judged, before, tally.seen);
    const pair = pairOf(mention);
    if (chosen && !wanted.has(pair)) wanted.set(pair, chosen);
  }
  const all = [...wanted.values()];
  tally.kept(all, await store.keepAll(all));
}

/**
 * Returns what to store of an imported mention. `before`: the stored mention with the same source and target, if any.
 * Returns undefined if `before` came from another row of the aggregator, because a source mentions a target only once.
 * If this server has read the source since the import, the facts from that reading stay.
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

/** Reads the numbers of all mentions that the aggregator lists. Returns whether this server lacks any of them. */
async function hasMissing(deps: RunDeps, listing: MentionListing, perPage: number): Promise<boolean> {
  const { store, tally } = deps;
  let missing = false;
  for await (const id of numbersOf(deps.aggregator, listing, perPage)) {
    if (tally.seen.has(id)) continue;
    tally.saw([id]);
    missing ||= (await store.byWmId(id))?.imported === undefined;
  }
  return missing;
}

/** Yields the mention numbers of a whole listing, read in the smaller format if it is available. */
async function* numbersOf(
  aggregator: Aggregator,
  listing: MentionListing,
  perPage: number,
): AsyncIterable<number> {
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

/**
 * Records that a run finished. A row may have changed after it was read, so the next run reads the changes made during
 * this run again.
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

/** Returns the position one page back. Rows deleted since the interruption have moved later rows towards the start. */
function backOne({ page, perPage }: WalkPlace): WalkPlace {
  return { page: Math.max(0, page - 1), perPage };
}
