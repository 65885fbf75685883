import { pageOfTarget } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';

/**
 * How long to cache the list of pages, in ms. Meanwhile, a new page whose URL has capital letters may not be found
 * under other spellings.
 */
const rememberFor = 30_000;

/**
 * Finds the pages that a requested target may mean: webmention.io ignores case, and `//host/path` stands for both http
 * and https (PROTOCOLS 8.2). The spelling in the request is always tried; the list of pages is cached.
 */
export function createTargetSpellings(store: Pick<MentionStore, 'pages'>, now: () => number) {
  let known: Promise<Map<string, string[]>> | undefined;
  let readAt = 0;

  /** Returns the pages whose URL has capital letters, by their URL in lower case. */
  async function read(): Promise<Map<string, string[]>> {
    const odd = new Map<string, string[]>();
    for (const { target } of await store.pages()) {
      const lower = target.toLowerCase();
      if (lower !== target) odd.set(lower, [...(odd.get(lower) ?? []), target]);
    }
    return odd;
  }

  function oddPages(): Promise<Map<string, string[]>> {
    if (known && now() - readAt < rememberFor) return known;
    readAt = now();
    const reading = read();
    known = reading;
    reading.catch(() => (known = undefined));
    return reading;
  }

  /** Returns the pages to check for a target, without duplicates. */
  return async (target: string): Promise<string[]> => {
    const odd = await oddPages();
    const pages = schemesOf(target).flatMap((asked) => {
      const page = pageOfTarget(asked);
      const lower = page.toLowerCase();
      return [page, lower, ...(odd.get(lower) ?? [])];
    });
    return [...new Set(pages)];
  };
}

export type TargetSpellings = ReturnType<typeof createTargetSpellings>;

/** Returns whether a mention's target matches the requested one. */
export function isTarget(asked: string, target: string): boolean {
  return schemesOf(asked).some((one) => one.toLowerCase() === target.toLowerCase());
}

function schemesOf(target: string): string[] {
  return target.startsWith('//') ? [`https:${target}`, `http:${target}`] : [target];
}
