import type { Clock } from './clock.ts';
import { nextAttempt, plausibleDue, type RetryName } from './retry-schedule.ts';

/**
 * Lists the hosts that are left alone for a while, because they are in trouble or ask for a pause. `schedule`: how long
 * each host rests.
 */
export function createHostRests(schedule: RetryName, now: Clock) {
  const ends = new Map<string, number>();

  /** Returns until when to leave a host alone, in ms; 0 if it may be contacted now. */
  function until(host: string): number {
    const end = plausibleDue(schedule, ends.get(host) ?? 0, now());
    if (end > now()) return end;
    ends.delete(host);
    return 0;
  }

  return {
    until,
    /** Leaves a host alone, until `asked` (ms) if it asked for a pause. Returns until when. */
    rest(host: string, asked?: number): number {
      for (const other of ends.keys()) until(other); // forgets those that rested
      const end = nextAttempt(schedule, { failures: 1, now: now(), asked }) ?? now();
      ends.set(host, end);
      return end;
    },
  };
}
