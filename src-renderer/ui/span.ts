/** A unit that people give lengths of time in. */
export type Unit = 'seconds' | 'minutes' | 'hours' | 'days';

const lengths: readonly (readonly [Unit, number])[] = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
  ['seconds', 1],
];

/** A length of time as people say it. */
export interface Span {
  readonly amount: number;
  readonly unit: Unit;
}

/** Seconds in the largest unit that fits them without a rest. */
export function spanOf(seconds: number): Span {
  const [unit, length] = lengths.find(([, each]) => seconds % each === 0) ?? (['seconds', 1] as const);
  return { amount: seconds / length, unit };
}

/** The seconds of a span. */
export function secondsOf({ amount, unit }: Span): number {
  const length = lengths.find(([name]) => name === unit)?.[1] ?? 1;
  return Math.round(amount * length);
}

/** How long an app may act for the owner: what the window offers. */
export const lifetimes: readonly { readonly words: string; readonly seconds: number }[] = [
  { words: '1 hour', seconds: 3600 },
  { words: '1 day', seconds: 86_400 },
  { words: '30 days', seconds: 30 * 86_400 },
  { words: '1 year', seconds: 365 * 86_400 },
];
