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
  let spared = 0;
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
    /** The aggregator has these no more, and they stay all the same. */
    spared(count: number): void {
      spared = count;
    },
    /** What the owner should hear of the comparison, in words; undefined where nothing was missing. */
    comparison: () => comparisonWords(counts.removed, spared, seen.size === 0),
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
      const stays = spared === 0 ? '' : ` ${comparisonWords(0, spared, seen.size === 0) ?? ''}`;
      told('done', `${mentions(seen.size)} read: ${what}.${stays}`, seen.size);
    },
    failed: (words: string) => told('failed', words, null),
  };
}

function comparisonWords(removed: number, spared: number, isEmpty: boolean): string | undefined {
  if (removed > 0)
    return `${mentions(removed)} taken away: no longer listed where you had imported from. Approve what you want to keep.`;
  if (spared === 0) return undefined;
  return isEmpty
    ? `The aggregator lists no mentions any more. What you had imported from there stays here: ${mentions(spared)}.`
    : `${mentions(spared)} no longer listed where you had imported from. So many stay here until you import by hand.`;
}

export type Tally = ReturnType<typeof createTally>;

const number = (count: number) => count.toLocaleString('en');
const mentions = (count: number) => `${number(count)} ${count === 1 ? 'mention' : 'mentions'}`;
