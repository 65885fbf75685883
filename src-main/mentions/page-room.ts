import type { Mention } from './mention.ts';
import { bytesOf } from './mention-size.ts';

/**
 * How many bytes of JSON the mentions of one page may use together, because they are always read together. The limits
 * are for received mentions, for received mentions from one site, and for imported mentions.
 */
const mostReceived = 8 * 1024 * 1024;
const mostOfSite = 2 * 1024 * 1024;
const mostImported = 32 * 1024 * 1024;

/**
 * The part of the remaining room that one mention may use. Most mentions are far smaller, so there is room for
 * thousands. As a page fills up, the longest mentions are shortened more and more, and a mention is refused only when
 * almost no room is left.
 */
const partOfPage = 1 / 64;
const partOfSite = 1 / 32;

/**
 * How many bytes the mentions of a page use: all received ones, the received ones from one site, and all imported ones.
 */
export interface PageUse {
  readonly received: number;
  readonly ofSite: number;
  readonly imported: number;
}

/**
 * Returns how many bytes a mention may use on a page. `before`: the version that it replaces, if any. `taken`: how many
 * bytes the page's mentions use now.
 */
export function roomFor(
  mention: Pick<Mention, 'imported'>,
  before: Mention | undefined,
  taken: PageUse,
): number {
  // A mention may always use as much as its previous version.
  const least = before ? bytesOf(before) : 0;
  const isImported = mention.imported !== undefined || before?.imported !== undefined;
  if (isImported) return Math.max(least, (mostImported - taken.imported) * partOfPage);
  const onPage = (mostReceived - taken.received) * partOfPage;
  return Math.max(least, Math.min(onPage, (mostOfSite - taken.ofSite) * partOfSite));
}
