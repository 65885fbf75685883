import type { Clock } from './clock.ts';

export interface WakingOptions {
  readonly now: Clock;
  /** Called some time after the computer woke, once for each sleep; must not throw. */
  readonly woke: () => void;
}

/** How often it is looked, in ms. */
const lookMs = 60_000;
/** A look this late was held up by more than a busy computer. In ms. */
const lateMs = 5 * lookMs;

/**
 * Tells that the computer slept: timers stand still meanwhile, and the clock on the wall does not. Needs nothing of the
 * desktop, so that it works without one too. Ends with the function that it answers.
 */
export function watchWaking({ now, woke }: WakingOptions): () => void {
  let lookedAt = now();
  const timer = setInterval(() => {
    const moment = now();
    const slept = moment - lookedAt > lateMs;
    lookedAt = moment;
    if (slept) woke();
  }, lookMs).unref();
  return () => clearInterval(timer);
}
