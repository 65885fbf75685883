import { siteOfHost } from '../platform/site-name.ts';
import type { Mention } from './mention.ts';
import { bytesOf } from './mention-size.ts';
import { hostOf } from './own-sites.ts';

/**
 * What the mentions of one page may take together, in bytes of JSON: the document of a page is written as a whole. Of
 * what came here, and of it from one site; of what the owner imported.
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

/** Counts what the mentions of a page take, while some are added. */
export interface PageRoom {
  /** Returns how many bytes a mention may take, in place of the one that is there. */
  roomFor(mention: Pick<Mention, 'source' | 'imported'>, before: Mention | undefined): number;
  /** Notes that a mention was added, in place of the one that was there. */
  put(mention: Mention, before: Mention | undefined): void;
}

/** Counts what these mentions of a page take. */
export function measurePage(mentions: readonly Mention[]): PageRoom {
  const taken = { received: 0, imported: 0 };
  const ofSites = new Map<string, number>();
  for (const mention of mentions) count(mention, 1);

  function count(mention: Mention, by: 1 | -1): void {
    const bytes = by * bytesOf(mention);
    if (mention.imported) {
      taken.imported += bytes;
      return;
    }
    taken.received += bytes;
    const site = siteOf(mention);
    ofSites.set(site, (ofSites.get(site) ?? 0) + bytes);
  }

  return {
    roomFor(mention, before) {
      // What says as much as it did before may go on doing so.
      const least = before ? bytesOf(before) : 0;
      const isImported = mention.imported !== undefined || before?.imported !== undefined;
      if (isImported) return Math.max(least, (mostImported - taken.imported) * partOfPage);
      const onPage = (mostReceived - taken.received) * partOfPage;
      const ofSite = (mostOfSite - (ofSites.get(siteOf(mention)) ?? 0)) * partOfSite;
      return Math.max(least, Math.min(onPage, ofSite));
    },
    put(mention, before) {
      if (before) count(before, -1);
      count(mention, 1);
    },
  };
}

const sites = new WeakMap<object, string>();

/** The site of a source. Remembered: all mentions of a page are looked at for each that is added. */
function siteOf(mention: Pick<Mention, 'source'>): string {
  const known = sites.get(mention);
  if (known !== undefined) return known;
  const site = URL.canParse(mention.source) ? siteOfHost(hostOf(new URL(mention.source))) : mention.source;
  sites.set(mention, site);
  return site;
}
