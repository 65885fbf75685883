import { bytesOf } from './mention-size.ts';
import type { Mention } from './mention.ts';

/**
 * The maximum size of the cache in bytes of JSON: a few thousand mentions. A page's mentions are read again and again
 * while the post is new.
 */
const mostBytes = 8 * 1024 * 1024;

/** A cache of the mentions of the most recently requested pages. */
export interface RecentPages {
  /** Returns the mentions of a page, oldest received first: the same array as long as the page is in the cache. */
  of(page: string): readonly Mention[];
  /** Drops a page whose mentions have changed. */
  drop(page: string): void;
  clear(): void;
}

export function createRecentPages(read: (page: string) => Mention[]): RecentPages {
  const pages = new Map<string, { readonly mentions: readonly Mention[]; readonly bytes: number }>();
  let bytes = 0;

  function drop(page: string): void {
    bytes -= pages.get(page)?.bytes ?? 0;
    pages.delete(page);
  }

  return {
    of(page) {
      const known = pages.get(page);
      const mentions = known?.mentions ?? read(page);
      const size = known?.bytes ?? mentions.reduce((sum, mention) => sum + bytesOf(mention), 200);
      drop(page);
      pages.set(page, { mentions, bytes: size });
      bytes += size;
      // A Map keeps its insertion order, so the first page is the least recently used. A single page may exceed the
      // limit.
      for (const oldest of pages.keys()) {
        if (bytes <= mostBytes || oldest === page) break;
        drop(oldest);
      }
      return mentions;
    },
    drop,
    clear() {
      pages.clear();
      bytes = 0;
    },
  };
}
