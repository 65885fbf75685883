import type { Values } from './measure.ts';

/**
 * What a row aims at. `share`: at least this part of the baseline's speed, in processor time or in operations per
 * second; `times`: at most so many times the baseline; `most`, `least`: a value in the row's unit.
 */
export type Target =
  | { readonly kind: 'share'; readonly of: 'cpu' | 'rate'; readonly least: number }
  | { readonly kind: 'times'; readonly most: number }
  | { readonly kind: 'most'; readonly most: number }
  | { readonly kind: 'least'; readonly least: number };

const share = (least: number): Target => ({ kind: 'share', of: 'cpu', least });

/** What each row aims at. The rows without one must only stay as cheap when the data grows. */
export const targets: Readonly<Record<string, Target>> = {
  metadata: share(0.9),
  introspection: share(0.65),
  home: share(0.5),
  post: share(0.5),
  feeds: share(0.5),
  config: share(0.5),
  list: share(0.3),
  mentions: share(0.4),
  create: share(0.6),
  upload: { kind: 'share', of: 'rate', least: 0.3 },
  'accept-refused': share(0.8),
  accept: share(0.8),
  verify: { kind: 'most', most: 2 },
  'verify-rate': { kind: 'least', least: 600 },
  start: { kind: 'times', most: 1.5 },
  'start-killed': { kind: 'times', most: 2 },
  'lists-killed': { kind: 'most', most: 5000 },
  idle: { kind: 'most', most: 95 },
  'after-load': { kind: 'times', most: 1.2 },
  import: { kind: 'least', least: 5000 },
  'import-memory': { kind: 'most', most: 200 },
  websub: { kind: 'most', most: 1000 },
  'websub-much': { kind: 'most', most: 1000 },
  window: { kind: 'times', most: 1.5 },
};
/** How much more an operation may cost with much data. */
export const mostGrowth = 1.2;

/** What a row measured. The values of `value` are in `unit`. */
export interface Line {
  readonly name: string;
  readonly title: string;
  readonly unit: 'cpu' | 'ms' | 'MB' | 'per second';
  readonly value: Values;
  readonly perSecond?: Values;
  /** What `times` compares with, instead of the baseline. */
  readonly base?: Values;
}

/**
 * Compares a value with the baseline. Above 1 is better than the baseline, except for `times`. Undefined if one of the
 * values is missing.
 */
export function ratioOf(
  { name, unit, value, perSecond, base }: Line,
  who: 'before' | 'now',
): number | undefined {
  const target = targets[name];
  if (target?.kind === 'share' && target.of === 'rate') return over(perSecond?.[who], perSecond?.bare);
  if (target?.kind === 'times') return over(value[who], base === undefined ? value.bare : base[who]);
  return unit === 'per second' ? over(value[who], value.bare) : over(value.bare, value[who]);
}

/** Returns whether the program meets its target now; undefined if it has none or was not measured. */
export function isMet(line: Line): boolean | undefined {
  const target = targets[line.name];
  const [ratio, value] = [ratioOf(line, 'now'), line.value.now];
  if (target === undefined || value === undefined || Number.isNaN(value)) return undefined;
  switch (target.kind) {
    case 'share':
      return ratio === undefined ? undefined : ratio >= target.least;
    case 'times':
      return ratio === undefined ? undefined : ratio <= target.most;
    case 'most':
      return value <= target.most;
    case 'least':
      return value >= target.least;
  }
}

/** Returns how many times as much an operation costs with much data. */
export function growthOf({ value, unit }: Line, who: 'before' | 'now'): number | undefined {
  const [little, much] = [value[who], value[`${who}Much`]];
  return unit === 'per second' ? over(little, much) : over(much, little);
}

function over(value: number | undefined, base: number | undefined): number | undefined {
  if (value === undefined || base === undefined || !(base > 0)) return undefined;
  return Number.isNaN(value) ? undefined : value / base;
}
