import type { Result } from '../../../src-main/contract/contract.ts';
import type { MentionType } from '../../../src-main/contract/webmentions.ts';
import { typeNames } from './words.ts';

/** One bar: a month (`2026-11`), how many there were in it, and its parts from the bottom up. */
export interface Bar {
  readonly month: string;
  readonly total: number;
  readonly parts: readonly { readonly type: MentionType; readonly from: number; readonly count: number }[];
}

const fewest = 12;
const most = 24;

/**
 * The bars of a chart that ends with the month of `now` (milliseconds since 1970): a year at least, two at most, with
 * the months in which nothing came. Empty where there is nothing to draw.
 */
export function barsOf(counts: Result<'webmentions.counts'>, now: number): Bar[] {
  const byMonth = new Map(counts.map(({ month, types }) => [month, types]));
  const end = monthNumber(new Date(now).toISOString());
  const start = Math.min(...counts.map(({ month }) => monthNumber(month)), end);
  const length = Math.max(fewest, Math.min(most, end - start + 1));
  const bars = Array.from({ length }, (_, index) => {
    const month = monthName(end - length + 1 + index);
    return barOf(month, byMonth.get(month) ?? {});
  });
  return bars.some(({ total }) => total > 0) ? bars : [];
}

function barOf(month: string, types: Partial<Record<MentionType, number>>): Bar {
  let total = 0;
  const parts = typeNames.flatMap((type) => {
    const count = types[type] ?? 0;
    if (count <= 0) return [];
    const part = { type, from: total, count };
    total += count;
    return [part];
  });
  return { month, total, parts };
}

/** Months since the year 0. */
function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1;
}

function monthName(number: number): string {
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;
}
