import type { Mention } from './mention.ts';

/**
 * The maximum total sizes of a page's mentions, in bytes of JSON: for all received mentions, for the received mentions
 * from one site, and for all imported mentions. The sizes are limited because all mentions of a page are in memory at
 * the same time.
 */
const mostReceived = 8 * 1024 * 1024;
const mostOfSite = 2 * 1024 * 1024;
const mostImported = 32 * 1024 * 1024;

/**
 * How much one mention may take up, as a fraction of the remaining space. The fuller a page is, the more a long new
 * mention is shortened, so the page has space for thousands of mentions.
 */
const partOfPage = 1 / 64;
const partOfSite = 1 / 32;

/** How many bytes the mentions of a page use. `ofSite`: the bytes of the received mentions from one site. */
export interface PageUse {
  readonly received: number;
  readonly ofSite: number;
  readonly imported: number;
}

/**
 * Returns how many bytes a mention may use on a page. `renewed` lets it be as large as its previous version, too.
 * `before`: that version, if any. `taken`: how many bytes the page's mentions use now.
 */
export function roomFor(
  mention: Pick<Mention, 'imported'>,
  before: Mention | undefined,
  taken: PageUse,
): number {
  const isImported = mention.imported !== undefined || before?.imported !== undefined;
  if (isImported) return (mostImported - taken.imported) * partOfPage;
  const onPage = (mostReceived - taken.received) * partOfPage;
  return Math.min(onPage, (mostOfSite - taken.ofSite) * partOfSite);
}
