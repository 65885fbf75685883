import type { ImportCounts, ImportProgress } from '../../contract/webmentions.ts';
import { pageOfTarget } from '../mention.ts';
import type { Kept } from '../mention-store.ts';

/** Milliseconds between two reports, so that nobody drowns in them. */
const reportEvery = 200;

/** Counts what an import does, and tells of it: at once at its start and its end, and now and then between. */
export function createTally(now: () => number, report: (progress: ImportProgress) => void) {
  const seen = new Set<number>();
  const targets = new Set<string>();
  let counts = { imported: 0, updated: 0, removed: 0 };
  let reportedAt = Number.NEGATIVE_INFINITY;

  const told = (state: ImportProgress['state'], words: string, total: number | null) =>
    report({ state, done: seen.size, total, words });

  return {
    /** The numbers seen so far. */
    seen: seen as ReadonlySet<number>,
    saw(ids: Iterable<number>): void {
      for (const id of ids) seen.add(id);
    },
    kept(all: readonly Kept[]): void {
      for (const { mention, outcome } of all) {
        targets.add(pageOfTarget(mention.target));
        if (outcome === 'added') counts = { ...counts, imported: counts.imported + 1 };
        if (outcome === 'updated') counts = { ...counts, updated: counts.updated + 1 };
      }
    },
    removed(): void {
      counts = { ...counts, removed: counts.removed + 1 };
    },
    counts: (): ImportCounts => ({ ...counts, targets: targets.size, total: seen.size }),
    start: () => told('running', 'Asking for your mentions.', null),
    running(): void {
      const time = now();
      if (time - reportedAt < reportEvery) return;
      reportedAt = time;
      told('running', `${mentions(seen.size)} read so far.`, null);
    },
    done(): void {
      const { imported, updated, removed } = counts;
      const what = `${number(imported)} new, ${number(updated)} changed, ${number(removed)} taken away`;
      told('done', `${mentions(seen.size)} read: ${what}.`, seen.size);
    },
    failed: (words: string) => told('failed', words, null),
  };
}

export type Tally = ReturnType<typeof createTally>;

const number = (count: number) => count.toLocaleString('en');
const mentions = (count: number) => `${number(count)} ${count === 1 ? 'mention' : 'mentions'}`;
