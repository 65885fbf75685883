import type { Mention } from './mention.ts';
import { bytesOf } from './mention-size.ts';

/**
 * What the mentions of one page may take together, in bytes of JSON: whoever reads the page reads all of them. Of what
 * came here, and of it from one site; of what the owner imported.
 */
const mostReceived = 8 * 1024 * 1024;
const mostOfSite = 2 * 1024 * 1024;
const mostImported = 32 * 1024 * 1024;

/**
 * A mention may take this part of what is still free. Most mentions are far smaller, so thousands have their place; as a
 * page fills up, first the longest are shortened more, and only in the end is one refused.
 */
const partOfPage = 1 / 64;
const partOfSite = 1 / 32;

/** How many bytes the mentions of a page take: those that came here, those of them from one site, and imported ones. */
export interface Taken {
  readonly received: number;
  readonly ofSite: number;
  readonly imported: number;
}

/** Returns how many bytes a mention may take on a page, in place of the one that is there. */
export function roomFor(
  mention: Pick<Mention, 'imported'>,
  before: Mention | undefined,
  taken: Taken,
): number {
  // What says as much as it did before may go on doing so.
  const least = before ? bytesOf(before) : 0;
  const isImported = mention.imported !== undefined || before?.imported !== undefined;
  if (isImported) return Math.max(least, (mostImported - taken.imported) * partOfPage);
  const onPage = (mostReceived - taken.received) * partOfPage;
  return Math.max(least, Math.min(onPage, (mostOfSite - taken.ofSite) * partOfSite));
}
