/** A schedule for retrying failed work. All times are in ms. */
export interface RetrySchedule {
  /** The pauses after the first failed attempt, after the second, and so on. */
  readonly pauses: readonly number[];
  /** True if the last pause repeats forever. Otherwise, there is one last attempt after the last pause. */
  readonly isEndless?: boolean;
  /**
   * The limits for a pause that the other server requests (Retry-After). If absent, such requests are ignored. `most`:
   * the longest accepted pause. `least`: if set, a requested pause after the first failure may be shorter than the
   * schedule's pause, but not shorter than `least`.
   */
  readonly asked?: { readonly least?: number; readonly most: number };
}

/** Returns the pause after a number of failed attempts, in ms; undefined if there is no further attempt. */
export function pauseIn({ pauses, isEndless = false }: RetrySchedule, failures: number): number | undefined {
  return pauses[isEndless ? Math.min(failures, pauses.length) - 1 : failures - 1];
}

/** Returns how many attempts are left after a number of failed attempts. */
export const attemptsLeftIn = ({ pauses, isEndless = false }: RetrySchedule, failures: number): number =>
  isEndless ? Infinity : Math.max(0, pauses.length + 1 - failures);

/**
 * Returns the time of the next attempt, in ms; undefined if there is none. `failures`: the number of failed attempts so
 * far. `asked`: the time that the other server has set for the next request (Retry-After), in ms, if any.
 */
export function nextAttemptIn(
  schedule: RetrySchedule,
  { failures, now, asked }: { failures: number; now: number; asked?: number | undefined },
): number | undefined {
  const pause = pauseIn(schedule, failures);
  const may = schedule.asked;
  if (pause === undefined) return undefined;
  if (may === undefined || asked === undefined) return now + pause;
  const least = failures === 1 ? (may.least ?? pause) : pause;
  return now + Math.max(least, Math.min(asked - now, may.most));
}

/** The tolerance for clock corrections, in ms: an hour. Most corrections are smaller. */
const slack = 3_600_000;

/**
 * Returns the time of an attempt that was scheduled for `due` (ms). If `due` is further ahead than any pause, the clock
 * was wrong when the attempt was scheduled. In that case, returns `now`.
 */
export function plausibleDueIn({ pauses, asked }: RetrySchedule, due: number, now: number): number {
  return due - now > Math.max(...pauses, asked?.most ?? 0) + slack ? now : due;
}
