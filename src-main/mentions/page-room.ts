import type { Mention } from './mention.ts';
import { bytesOf } from './mention-size.ts';

/**
 * How much the mentions of one page may use together, in bytes of JSON, because every reader of the page reads all of
 * them. The limits are for received mentions, for received mentions from one site, and for imported mentions.
 */
const mostReceived = 8 * 1024 * 1024;
const mostOfSite = 2 * 1024 * 1024;
const mostImported = 32 * 1024 * 1024;

/**
 * A mention may use this part of the remaining room. Most mentions are far smaller, so there is room for thousands. As
 * a page fills up, the longest mentions are shortened more and more, and only at the end is a mention refused.
 */
const partOfPage = 1 / 64;
const partOfSite = 1 / 32;

/** How many bytes the mentions of a page use: received mentions, those of them from one site, and imported mentions. */
export interface Taken {
  readonly received: number;
  readonly ofSite: number;
  readonly imported: number;
}

/** Returns how many bytes a mention may use on a page, if it replaces `before`. */
export function roomFor(
  mention: Pick<Mention, 'imported'>,
  before: Mention | undefined,
  taken: Taken,
): number {
  // A mention may always use as much as its previous version.
  const least = before ? bytesOf(before) : 0;
  const isImported = mention.imported !== undefined || before?.imported !== undefined;
  if (isImported) return Math.max(least, (mostImported - taken.imported) * partOfPage);
  const onPage = (mostReceived - taken.received) * partOfPage;
  return Math.max(least, Math.min(onPage, (mostOfSite - taken.ofSite) * partOfSite));
}
