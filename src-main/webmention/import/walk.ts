import { AggregatorError, type Aggregator, type Listing, type RawRecord } from './aggregator.ts';
import { idOf, type RawMention } from './raw-mention.ts';

/** Where a walk is: the next page to read, of pages of this size. */
export interface Place {
  readonly page: number;
  readonly perPage: number;
}

export interface WalkStep {
  /** What is complete now: records of both formats, matched by number. */
  readonly mentions: RawMention[];
  /** The json records of this page, in their order. */
  readonly json: readonly RawRecord[];
  /** Where a walk that was broken off after this page goes on. */
  readonly next: Place;
}

export interface WalkOptions {
  readonly aggregator: Aggregator;
  readonly listing: Listing;
  readonly from?: Place;
  /** Called page by page; false ends the walk. */
  readonly onPage: (step: WalkStep) => Promise<boolean>;
}

export interface WalkEnd {
  /** The numbers that were seen. */
  readonly seen: Set<number>;
  /** How many pages brought something. */
  readonly pages: number;
  /** The size of pages that the aggregator could serve. */
  readonly perPage: number;
  /** Read in one of the formats only. Rows that come or go meanwhile shift the pages of one but not of the other. */
  readonly halves: RawMention[];
}

export const firstPlace: Place = { page: 0, perPage: 1000 };
const smallestPage = 125;
const mostHalves = 5000;
/** More than any site has: an aggregator that never ends does not keep us for ever. */
export const mostPages = 10_000;

/**
 * Reads a listing in both formats side by side, to its end (WI-30). A short page is no end: the server may give fewer
 * than asked (WI-41, WI-45). The end is a page with nothing, or with nothing new. Where pages are too large or too slow
 * it begins again with smaller ones.
 * @throws AggregatorError
 */
export async function walk(options: WalkOptions): Promise<WalkEnd> {
  const { perPage } = options.from ?? firstPlace;
  try {
    return await walkOnce(options);
  } catch (error) {
    const mayShrink = error instanceof AggregatorError && error.reason === 'too-much';
    if (!mayShrink || perPage <= smallestPage) throw error;
    return walk({ ...options, from: { page: 0, perPage: Math.ceil(perPage / 2) } });
  }
}

async function walkOnce({ aggregator, listing, from = firstPlace, onPage }: WalkOptions): Promise<WalkEnd> {
  const seen = new Set<number>();
  const halves = new Map<number, RawMention>();
  let place = from;
  let pages = 0;

  /** Takes in a page; whether it brought a number that was not there before. */
  function take(format: 'jf2' | 'json', records: readonly RawRecord[], whole: RawMention[]): boolean {
    let isNew = false;
    for (const record of records) {
      const id = idOf(record);
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
    const read = await pageOf(aggregator, listing, place);
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

async function pageOf(aggregator: Aggregator, listing: Listing, place: Place): Promise<PageRead> {
  const { page, perPage } = place;
  const jf2 = await aggregator.page('jf2', listing, page, perPage);
  const json = await aggregator.page('json', listing, page, perPage);
  if (jf2 || json) return { jf2, json };
  throw new AggregatorError(
    'unreachable',
    'The aggregator’s address does not return a list of mentions. Check the address in the settings.',
  );
}
