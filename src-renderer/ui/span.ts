import { lifetimeWords } from './words.ts';

/** A unit of time. */
export type Unit = 'seconds' | 'minutes' | 'hours' | 'days';

const lengths: readonly (readonly [Unit, number])[] = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
  ['seconds', 1],
];

/** A length of time as an amount of one unit. */
export interface Span {
  readonly amount: number;
  readonly unit: Unit;
}

/** Returns a length of time in the largest unit that divides it. */
export function spanOf(seconds: number): Span {
  const [unit, length] = lengths.find(([, each]) => seconds % each === 0) ?? (['seconds', 1] as const);
  return { amount: seconds / length, unit };
}

/** Returns the seconds of a span. */
export function secondsOf({ amount, unit }: Span): number {
  const length = lengths.find(([name]) => name === unit)?.[1] ?? 1;
  return Math.round(amount * length);
}

/** The choices for how long an app keeps its access. */
export const lifetimes: readonly { readonly words: string; readonly seconds: number }[] = [
  { words: lifetimeWords.hour, seconds: 3600 },
  { words: lifetimeWords.day, seconds: 86_400 },
  { words: lifetimeWords.month, seconds: 30 * 86_400 },
  { words: lifetimeWords.year, seconds: 365 * 86_400 },
];
