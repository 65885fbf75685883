import type { Result } from '../../../src-main/contract/contract.ts';
import { type MentionType, mentionTypeList } from '../../../src-main/contract/mention-types.ts';

type Counts = Result<'webmentions.counts'>;
type TypeCounts = Partial<Record<MentionType, number>>;

/** One bar: a month (`2026-11`) or a year (`2026`), its total, and its parts from the bottom up. */
export interface Bar {
  readonly name: string;
  readonly total: number;
  readonly parts: readonly { readonly type: MentionType; readonly from: number; readonly count: number }[];
}

/** Returns the years that can be chosen, the newest first: all from the first mention to the last, with empty ones. */
export function yearsOf(counts: Counts): string[] {
  const years = counts.map(({ month }) => Number(month.slice(0, 4)));
  if (years.length === 0) return [];
  const [first, last] = [Math.min(...years), Math.max(...years)];
  return Array.from({ length: last - first + 1 }, (_, index) => String(last - index).padStart(4, '0'));
}

/** Returns the twelve bars of a year, empty months included. */
export function monthBars(counts: Counts, year: string): Bar[] {
  const byMonth = new Map(counts.map(({ month, types }) => [month, types]));
  return Array.from({ length: 12 }, (_, index) => {
    const name = `${year}-${String(index + 1).padStart(2, '0')}`;
    return barOf(name, byMonth.get(name) ?? {});
  });
}

/** Returns a bar for each year from the first mention to the last, empty years included. */
export function yearBars(counts: Counts): Bar[] {
  return yearsOf(counts)
    .toReversed()
    .map((year) => barOf(year, sumOf(counts.filter(({ month }) => month.startsWith(`${year}-`)))));
}

/** Adds up bars: the total, and the count of each type that occurs. */
export function totalsOf(bars: readonly Bar[]): { total: number; types: [MentionType, number][] } {
  const types = new Map<MentionType, number>();
  for (const { type, count } of bars.flatMap(({ parts }) => parts))
    types.set(type, (types.get(type) ?? 0) + count);
  return {
    total: bars.reduce((sum, bar) => sum + bar.total, 0),
    types: mentionTypeList.flatMap((type) => {
      const count = types.get(type);
      return count === undefined ? [] : [[type, count] as [MentionType, number]];
    }),
  };
}

function sumOf(counts: Counts): TypeCounts {
  const sums: TypeCounts = {};
  for (const type of mentionTypeList)
    for (const { types } of counts) sums[type] = (sums[type] ?? 0) + (types[type] ?? 0);
  return sums;
}

function barOf(name: string, types: TypeCounts): Bar {
  let total = 0;
  const parts = mentionTypeList.flatMap((type) => {
    const count = types[type] ?? 0;
    if (count <= 0) return [];
    const part = { type, from: total, count };
    total += count;
    return [part];
  });
  return { name, total, parts };
}
