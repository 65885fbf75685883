import { AggregatorError, type Aggregator, type MentionListing, type RawRecord } from './aggregator.ts';
import { recordId, type RawMention } from './raw-mention.ts';

/** A position in a listing: the next page to read, and the page size. */
export interface WalkPlace {
  readonly page: number;
  readonly perPage: number;
}

export interface WalkStep {
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

export interface WalkOptions {
  readonly aggregator: Aggregator;
  readonly listing: MentionListing;
  readonly from?: WalkPlace;
  /** Called for each page. If it returns false, no further pages are read. */
  readonly onPage: (step: WalkStep) => Promise<boolean>;
}

export interface WalkEnd {
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

export const firstPlace: WalkPlace = { page: 0, perPage: 1000 };
const smallestPage = 125;
const mostHalves = 5000;
/**
 * The maximum number of pages to read, far above the pages of any site. Without this limit, an endless listing would be
 * read forever.
 */
export const mostPages = 10_000;

/**
 * Reads a listing to its end, in both formats side by side (WI-30). The end is a page that is empty or has nothing new.
 * A short page is not the end, because the server may return fewer records than requested (WI-41, WI-45). If pages are
 * too large or too slow, starts again with smaller pages.
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

async function pageOf(aggregator: Aggregator, listing: MentionListing, place: WalkPlace): Promise<PageRead> {
  const { page, perPage } = place;
  const jf2 = await aggregator.page('jf2', listing, page, perPage);
  const json = await aggregator.page('json', listing, page, perPage);
  if (jf2 || json) return { jf2, json };
  throw new AggregatorError(
    'unreachable',
    'The aggregator’s address does not return a list of mentions. Check the address in the settings.',
  );
}
