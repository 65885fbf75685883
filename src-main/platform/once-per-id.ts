import { createRecent } from '../storage/caches.ts';

/** The number of IDs to remember. This is enough for callers that repeat their requests within seconds. */
const mostIds = 1000;

/**
 * Returns a function that runs `work` once for each ID, and returns the first result to repeated calls. After a
 * failure, the next call with the same ID runs `work` again. Without an ID, each call runs `work`.
 */
export function oncePerId<R>(): (id: string | undefined, work: () => Promise<R>) => Promise<R> {
  const results = createRecent<Promise<R>>(mostIds);
  return (id, work) => {
    if (id === undefined) return work();
    const result = results.get(id)?.catch(work) ?? work();
    results.set(id, result, 1);
    return result;
  };
}
