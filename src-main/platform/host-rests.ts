import type { Clock } from './clock.ts';
import { nextAttempt, plausibleDue, type RetryName } from './retry-schedule.ts';

/**
 * Creates a list of hosts that Porchlight doesn't contact for a while, because they failed or requested a pause.
 * `schedule`: the name of the retry schedule, which sets the length of the pauses.
 */
export function createHostRests(schedule: RetryName, now: Clock) {
  const ends = new Map<string, number>();

  /** Returns the time, in ms, at which a host may be contacted again; 0 if it may be contacted now. */
  function until(host: string): number {
    const end = plausibleDue(schedule, ends.get(host) ?? 0, now());
    if (end > now()) return end;
    ends.delete(host);
    return 0;
  }

  return {
    until,
    /**
     * Pauses requests to a host. `asked`: the time that the host has set for the next request (Retry-After), in ms, if
     * any. Returns the end of the pause, in ms.
     */
    rest(host: string, asked?: number): number {
      for (const other of ends.keys()) until(other); // Removes the hosts whose pause is over.
      const end = nextAttempt(schedule, { failures: 1, now: now(), asked }) ?? now();
      ends.set(host, end);
      return end;
    },
  };
}
