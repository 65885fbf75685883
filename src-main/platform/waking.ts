import type { Clock } from './clock.ts';

export interface WakingOptions {
  readonly now: Clock;
  /** Called once for each sleep, up to a minute after the computer wakes. Must not throw. */
  readonly woke: () => void;
}

/** The interval between checks of the clock, in ms. */
const checkMs = 60_000;
/** A gap of this many ms between two checks means that the computer slept. A delay on a busy computer is shorter. */
const lateMs = 5 * checkMs;

/**
 * Calls `woke` after the computer has slept. Compares a timer with the wall clock, because timers stop while the
 * computer sleeps, but the wall clock doesn't. Uses no desktop API, so it also works on servers. Returns a function
 * that stops watching.
 */
export function watchWaking({ now, woke }: WakingOptions): () => void {
  let checkedAt = now();
  const timer = setInterval(() => {
    const moment = now();
    const slept = moment - checkedAt > lateMs;
    checkedAt = moment;
    if (slept) woke();
  }, checkMs).unref();
  return () => clearInterval(timer);
}
