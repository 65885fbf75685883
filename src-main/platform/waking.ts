import type { Clock } from './clock.ts';

export interface WakingOptions {
  readonly now: Clock;
  /** Called once for each sleep, up to a minute after the computer woke. Must not throw. */
  readonly woke: () => void;
}

/** How often to compare the clock with the expected time, in ms. */
const lookMs = 60_000;
/** A check that is this late, in ms, was delayed by sleep rather than by a busy computer. */
const lateMs = 5 * lookMs;

/**
 * Calls `woke` after the computer slept: timers stop during sleep, but the wall clock doesn't. Uses no desktop API, so
 * it also works without a desktop. Returns a function that stops watching.
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
