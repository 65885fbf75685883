import type { ProcessCounts } from '../contract/webmentions.ts';
import type { MentionVerdict } from './verification.ts';

export type QueueRun = ReturnType<typeof createRun>;

/**
 * Creates a run: one attempt for each waiting entry that is added to it. The run is over once all its entries have been
 * tried.
 */
export function createRun() {
  const left = new Set<string>();
  const done = new Set<string>();
  const counts = { processed: 0, approved: 0, updated: 0, removed: 0, failed: 0 };
  let isOver = false;
  let tellOver: () => void = () => undefined;
  const whenOver = new Promise<void>((resolve) => (tellOver = resolve));

  function end(): void {
    isOver = true;
    tellOver();
  }

  return {
    /** Adds entries. Each of them is tried once in this run. */
    want(tokens: readonly string[]): void {
      for (const token of tokens) if (!done.has(token)) left.add(token);
      if (left.size === 0) end();
    },
    /** Records that an entry was tried. `verdict`: the result; undefined if the mention isn't settled yet. */
    tried(token: string, verdict: MentionVerdict | undefined): void {
      if (!left.delete(token)) return;
      done.add(token);
      counts.processed += 1;
      if (verdict && verdict.kind !== 'added') counts[verdict.kind] += 1;
      if (left.size === 0) end();
    },
    counts: (): Omit<ProcessCounts, 'waiting'> => ({ ...counts }),
    get isOver() {
      return isOver;
    },
    /** Ends the run early. */
    end,
    /** Resolves once all entries have been tried, or after `limitMs`. */
    async over(limitMs?: number): Promise<void> {
      if (limitMs === undefined) return whenOver;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
      await Promise.race([whenOver, late]);
      clearTimeout(timer);
    },
  };
}
