import { bytesOf } from './mention-size.ts';
import type { Mention } from './mention.ts';

/** Bytes of JSON that stay ready: some thousand mentions, which are read again and again while a post is new. */
const mostBytes = 8 * 1024 * 1024;

/** The mentions of the pages that were asked for last. */
export interface RecentPages {
  /** The mentions of a page, oldest received first: the same array as long as they are the same. */
  of(page: string): readonly Mention[];
  /** Forgets what it has of a page: its mentions changed. */
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
      // A Map remembers the order: the first is the one not used for longest. One page alone may be larger.
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
