import type { Values } from './measure.ts';

/**
 * What a row aims at. `share`: at least this part of the baseline's speed, in processor time; `times`: at most so many
 * times the baseline; `most`, `least`: a value in the row's unit; `kept`: no worse than before.
 */
export type Target =
  | { readonly kind: 'share' | 'least'; readonly least: number }
  | { readonly kind: 'times' | 'most'; readonly most: number }
  | { readonly kind: 'kept' };

const share = (least: number): Target => ({ kind: 'share', least });
const times = (most: number): Target => ({ kind: 'times', most });
const most = (value: number): Target => ({ kind: 'most', most: value });
const least = (value: number): Target => ({ kind: 'least', least: value });
const kept: Target = { kind: 'kept' };

/** What each row aims at. The rows without one must only stay as cheap when the data grows. */
export const targets: Readonly<Record<string, Target>> = {
  metadata: share(0.75),
  introspection: share(0.6),
  home: share(0.75),
  post: share(0.75),
  feeds: share(0.75),
  config: share(0.55),
  list: share(0.55),
  mentions: share(0.55),
  search: most(0.6),
  auth: most(0.12),
  'auth-fetches': most(0),
  exchange: most(1.2),
  create: share(0.45),
  'create-alone': share(0.6),
  upload: share(0.8),
  jpeg: share(0.5),
  'accept-refused': share(0.5),
  accept: share(0.5),
  verify: most(1.9),
  'verify-rate': least(600),
  import: least(6000),
  'import-memory': most(180),
  websub: most(1000),
  'websub-much': most(1000),
  start: times(1.6),
  'start-killed': times(2),
  'lists-killed': most(5000),
  'first-home': most(2000),
  'first-complete': most(20_000),
  modes: most(1000),
  window: times(1.5),
  idle: most(95),
  'after-load': times(1.2),
  wakeups: kept,
  disk: kept,
  hidden: times(1.15),
  backup: most(15_000),
  'backup-memory': times(1.2),
  clone: most(25_000),
  'clone-size': most(400),
};
/** How much more an operation may cost with much data. */
export const mostGrowth = 1.15;

/** What a row measured. The values of `value` are in `unit`. */
export interface Line {
  readonly name: string;
  readonly title: string;
  readonly unit: 'cpu' | 'ms' | 'MB' | 'per second' | 'wakeups' | 'KB' | 'fetches';
  readonly value: Values;
  readonly perSecond?: Values;
  /** What `times` compares with, instead of the baseline. */
  readonly base?: Values;
}

/**
 * Compares a value with the baseline. Above 1 is better than the baseline, except for `times`. Undefined if one of the
 * values is missing.
 */
export function ratioOf({ name, value, base, unit }: Line, who: 'before' | 'now'): number | undefined {
  if (targets[name]?.kind === 'times') return over(value[who], base === undefined ? value.bare : base[who]);
  return unit === 'per second' ? over(value[who], value.bare) : over(value.bare, value[who]);
}

/** What a line has to reach, and what it reached. */
export interface Goal {
  readonly value: number;
  readonly atLeast: boolean;
  /** The target if the program before doesn't reach it, otherwise what that program reached. */
  readonly isOfBefore: boolean;
}

/** Values of the same program in the same run differ by this part. */
const tolerance = 0.05;

/**
 * Returns what a line has to reach: its target, or what the program before reached, if that is better. Undefined if it
 * has no target.
 */
export function goalOf(line: Line): Goal | undefined {
  const target = targets[line.name];
  if (target === undefined) return undefined;
  const before = reached(line, 'before');
  if (target.kind === 'kept')
    return before === undefined ? undefined : { value: before, atLeast: false, isOfBefore: true };
  const goal =
    'least' in target
      ? { value: target.least, atLeast: true, isOfBefore: false }
      : { value: target.most, atLeast: false, isOfBefore: false };
  if (before === undefined || !reaches(before, goal)) return goal;
  return { ...goal, value: before, isOfBefore: true };
}

/** Returns whether the program meets its target now; undefined if it has none or was not measured. */
export function isMet(line: Line): boolean | undefined {
  const [goal, now] = [goalOf(line), reached(line, 'now')];
  return goal === undefined || now === undefined ? undefined : reaches(now, goal);
}

/** Returns the number that a target is about. */
function reached(line: Line, who: 'before' | 'now'): number | undefined {
  const kind = targets[line.name]?.kind;
  const number = kind === 'share' || kind === 'times' ? ratioOf(line, who) : line.value[who];
  return number === undefined || Number.isNaN(number) ? undefined : number;
}

function reaches(number: number, { value, atLeast, isOfBefore }: Goal): boolean {
  const allowed = isOfBefore ? tolerance : 0;
  return atLeast ? number >= value * (1 - allowed) : number <= value * (1 + allowed);
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
