import type { ImportCounts, ImportProgress } from '../../contract/mention-import.ts';
import { pageOfTarget } from '../mention.ts';
import type { Kept, NewMention } from '../mention-store.ts';
import { pairOf } from '../receiving/received-mentions.ts';
import type { StoredRun } from './import-runs.ts';

/**
 * The minimum time between two calls of `report`, in ms. Each call redraws the window, so calls must not be too
 * frequent.
 */
const reportEvery = 200;

/**
 * Counts the mentions that an import reads and changes. Calls `report` with the counts at the start, at the end and at
 * intervals in between.
 */
export function createTally(now: () => number, report: (progress: ImportProgress) => void) {
  const seen = new Set<number>();
  const targets = new Set<string>();
  let imported = 0;
  const updated: string[] = [];
  const removed: string[] = [];
  let spared: readonly string[] = [];
  /** Mentions that were not stored because their target page is full, grouped by page. */
  const leftOut = new Map<string, Set<string>>();
  let reportedAt = Number.NEGATIVE_INFINITY;

  const told = (state: ImportProgress['state'], words: string, total: number | null) =>
    report({ state, done: seen.size, total, words });

  return {
    /** The IDs (`wm-id`) of the mentions seen so far. */
    seen: seen as ReadonlySet<number>,
    saw(ids: Iterable<number>): void {
      for (const id of ids) seen.add(id);
    },
    /**
     * Counts the results of storing the mentions in `wanted`. `all`: the stored mentions with their results. All other
     * mentions in `wanted` were not stored, because their target page is full.
     */
    kept(wanted: readonly NewMention[], all: readonly Kept[]): void {
      const pairs = new Set(all.map(({ mention }) => pairOf(mention)));
      for (const one of wanted) {
        const page = pageOfTarget(one.target);
        if (!pairs.has(pairOf(one))) leftOut.set(page, (leftOut.get(page) ?? new Set()).add(pairOf(one)));
      }
      for (const { mention, outcome } of all) {
        targets.add(pageOfTarget(mention.target));
        if (outcome === 'added') imported += 1;
        if (outcome === 'updated') updated.push(mention.id);
      }
    },
    removed(id: string): void {
      removed.push(id);
    },
    /** Records the mentions that are missing at the aggregator and that are kept until the owner decides. */
    spared(ids: readonly string[]): void {
      spared = ids;
    },
    /**
     * Returns the message for the owner about mentions that the aggregator no longer lists; undefined if there are
     * none.
     */
    comparison: () => comparisonWords(removed.length, spared.length, seen.size === 0),
    /** Returns the message for the owner about full pages; undefined if every mention was stored. */
    fullPages: () => fullPagesWords(leftOut),
    counts: (): ImportCounts => ({
      imported,
      updated: new Set(updated).size,
      removed: removed.length,
      targets: targets.size,
      total: seen.size - countOf(leftOut),
    }),
    /** Returns the run's results, for the list of runs. */
    result: (): Omit<StoredRun, 'id' | 'at'> => ({
      imported,
      total: seen.size - countOf(leftOut),
      updated: [...new Set(updated)],
      removed: [...removed],
      missing: [...spared],
    }),
    start: () => told('running', 'Asking for your mentions…', null),
    running(): void {
      const time = now();
      if (time - reportedAt < reportEvery) return;
      reportedAt = time;
      told('running', `${mentions(seen.size)} read so far.`, null);
    },
    done(): void {
      const changes = `${number(imported)} new, ${number(new Set(updated).size)} changed, ${number(removed.length)} removed`;
      const kept = spared.length === 0 ? '' : ` ${comparisonWords(0, spared.length, seen.size === 0) ?? ''}`;
      const full = leftOut.size === 0 ? '' : ` ${fullPagesWords(leftOut) ?? ''}`;
      told('done', `Read ${mentions(seen.size)}: ${changes}.${kept}${full}`, seen.size);
    },
    failed: (words: string) => told('failed', words, null),
  };
}

function comparisonWords(removed: number, spared: number, isEmpty: boolean): string | undefined {
  if (removed > 0)
    return `Removed ${mentions(removed)} that the service you imported from no longer lists. You can bring them back under Webmentions.`;
  if (spared === 0) return undefined;
  const gone = isEmpty ? 'lists no mentions now' : `no longer lists ${mentions(spared)}`;
  const kept = isEmpty ? `all ${number(spared)} that are here` : spared === 1 ? 'it' : 'them';
  return `The service you imported from ${gone}. Porchlight kept ${kept}. You can remove them under Webmentions.`;
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
