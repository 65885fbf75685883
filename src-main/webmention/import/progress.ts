import type { ImportCounts, ImportProgress } from '../../contract/webmentions.ts';
import { pageOfTarget } from '../mention.ts';
import type { Kept, NewMention } from '../mention-store.ts';
import { pairOf } from '../queue-entry.ts';

/** Milliseconds between two reports, so that nobody drowns in them. */
const reportEvery = 200;

/** Counts what an import does, and tells of it: at once at its start and its end, and now and then between. */
export function createTally(now: () => number, report: (progress: ImportProgress) => void) {
  const seen = new Set<number>();
  const targets = new Set<string>();
  let counts = { imported: 0, updated: 0, removed: 0 };
  let spared = 0;
  /** Sources that found no room, by page. */
  const leftOut = new Map<string, Set<string>>();
  let reportedAt = Number.NEGATIVE_INFINITY;

  const told = (state: ImportProgress['state'], words: string, total: number | null) =>
    report({ state, done: seen.size, total, words });

  return {
    /** The numbers seen so far. */
    seen: seen as ReadonlySet<number>,
    saw(ids: Iterable<number>): void {
      for (const id of ids) seen.add(id);
    },
    /** Counts what came of those that were to be kept: what is not among the kept found no room on its page. */
    kept(wanted: readonly NewMention[], all: readonly Kept[]): void {
      const pairs = new Set(all.map(({ mention }) => pairOf(mention)));
      for (const one of wanted) {
        const page = pageOfTarget(one.target);
        if (!pairs.has(pairOf(one))) leftOut.set(page, (leftOut.get(page) ?? new Set()).add(pairOf(one)));
      }
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
    /** What the owner should hear of full pages, in words; undefined where everything found room. */
    fullPages: () => fullPagesWords(leftOut),
    counts: (): ImportCounts => ({
      ...counts,
      targets: targets.size,
      total: seen.size - countOf(leftOut),
    }),
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
      const full = leftOut.size === 0 ? '' : ` ${fullPagesWords(leftOut) ?? ''}`;
      told('done', `${mentions(seen.size)} read: ${what}.${stays}${full}`, seen.size);
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

type LeftOut = ReadonlyMap<string, ReadonlySet<string>>;

const countOf = (leftOut: LeftOut) => [...leftOut.values()].reduce((sum, { size }) => sum + size, 0);

function fullPagesWords(leftOut: LeftOut): string | undefined {
  const [page] = leftOut.keys();
  if (page === undefined) return undefined;
  const count = countOf(leftOut);
  const were = `${count === 1 ? 'was' : 'were'} not imported`;
  if (leftOut.size === 1) return `${mentions(count)} of ${page} ${were}, because the page is full.`;
  return `${mentions(count)} of ${number(leftOut.size)} pages ${were}, because these pages are full.`;
}

export type Tally = ReturnType<typeof createTally>;

const number = (count: number) => count.toLocaleString('en');
const mentions = (count: number) => `${number(count)} ${count === 1 ? 'mention' : 'mentions'}`;
