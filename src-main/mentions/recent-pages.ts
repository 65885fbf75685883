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
  const pages = new Map<
    string,
    { readonly mentions: readonly Mention[]; readonly bytes: number; readonly version: number }
  >();
  let bytes = 0;

  function drop(page: string): void {
    bytes -= pages.get(page)?.bytes ?? 0;
    pages.delete(page);
  }

  function made(page: string, version: number) {
    const mentions = read(page);
    return { mentions, version, bytes: mentions.reduce((sum, mention) => sum + bytesOf(mention), 200) };
  }

  return (page) => {
    const version = versions.of(mentionsOf(page));
    const known = pages.get(page);
    const one = known?.version === version ? known : made(page, version);
    drop(page);
    pages.set(page, one);
    bytes += one.bytes;
    // A Map keeps its insertion order, so the first page is the least recently used. A single page may exceed the limit.
    for (const oldest of pages.keys()) {
      if (bytes <= mostBytes || oldest === page) break;
      drop(oldest);
    }
    return one.mentions;
  };
}
