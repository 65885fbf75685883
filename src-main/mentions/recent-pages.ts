import { createRecent } from '../storage/recent.ts';
import type { Versions } from '../storage/versions.ts';
import { mentionBytes } from './mention-size.ts';
import { mentionsOf, type Mention } from './mention.ts';

/**
 * The maximum size of the cache in bytes of JSON, enough for a few thousand mentions. Many requests are for the same
 * few new posts.
 */
const mostBytes = 8 * 1024 * 1024;

/**
 * Creates a cache of the mentions of recently requested pages. The returned function takes a page and returns its
 * mentions, oldest first. It returns the same array until a mention changes.
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
    const bytes = mentions.reduce((sum, mention) => sum + mentionBytes(mention), 200);
    pages.set(page, { mentions, version }, bytes);
    return mentions;
  };
}
