import type { Clock } from './clock.ts';

export interface WakingOptions {
  readonly now: Clock;
  /** Called once for each sleep, up to a minute after the computer woke. Must not throw. */
  readonly woke: () => void;
}

/** How often the clock is checked for a jump, in ms. */
const lookMs = 60_000;
/** If this much time, in ms, has passed between two checks, the computer slept; a busy computer delays a check less. */
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
