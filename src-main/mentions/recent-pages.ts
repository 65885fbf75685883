import { createRecent } from '../storage/recent.ts';
import type { Versions } from '../storage/versions.ts';
import { bytesOf } from './mention-size.ts';
import { mentionsOf, type Mention } from './mention.ts';

/**
 * The maximum size of the cache in bytes of JSON: a few thousand mentions. A page's mentions are read again and again
 * while the post is new.
 */
const mostBytes = 8 * 1024 * 1024;

/**
 * Caches the mentions of the most recently requested pages. The returned function returns the mentions of a page, oldest
 * received first: the same array until one of them changes.
 */
export function recentPages(
  versions: Versions,
  read: (page: string) => Mention[],
): (page: string) => readonly Mention[] {
  const pages = createRecent<{ readonly mentions: readonly Mention[]; readonly version: number }>(mostBytes);

  return (page) => {
    const version = versions.of(mentionsOf(page));
    const known = pages.get(page);
    if (known?.version === version) return known.mentions;
    const mentions = read(page);
    const bytes = mentions.reduce((sum, mention) => sum + bytesOf(mention), 200);
    pages.set(page, { mentions, version }, bytes);
    return mentions;
  };
}
