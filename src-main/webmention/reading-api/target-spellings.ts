import { pageOfTarget } from '../../mentions/mention.ts';
import type { MentionStore } from '../../mentions/mention-store.ts';

/** Milliseconds for which a page under an oddly spelled address may stay unfound by other spellings of it. */
const rememberFor = 30_000;

/**
 * Finds the addresses that a reader means: webmention.io compares without case, and `//host/path` stands for both
 * schemes (PROTOCOLS 8.2). As asked for is always found; the list of pages is read now and then only.
 */
export function createTargetSpellings(store: Pick<MentionStore, 'pages'>, now: () => number) {
  let known: Promise<Map<string, string[]>> | undefined;
  let readAt = 0;

  /** Pages whose address is not all lower case, by what it is in lower case. */
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

  /** The pages to look at for a target; none twice. */
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

/** True where a mention's target is what was asked for. */
export function isTarget(asked: string, target: string): boolean {
  return schemesOf(asked).some((one) => one.toLowerCase() === target.toLowerCase());
}

function schemesOf(target: string): string[] {
  return target.startsWith('//') ? [`https:${target}`, `http:${target}`] : [target];
}
