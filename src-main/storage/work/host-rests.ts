import { nextAttemptIn, plausibleDueIn, type RetrySchedule } from './work-kind.ts';

/** The hosts whose work pauses after a failure; see KindRules.hostRests. */
export class HostRests {
  readonly #schedule: RetrySchedule | undefined;
  readonly #now: () => number;
  /** When the hosts may be contacted again, in ms. */
  readonly #rests = new Map<string, number>();
  /** The hosts that rest because of this computer. */
  readonly #here = new Set<string>();

  constructor(schedule: RetrySchedule | undefined, now: () => number) {
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Returns when a host may be contacted again, in ms. */
  until(host: string): number {
    return this.#rests.get(host) ?? 0;
  }

  /** Returns whether a host rests because of this computer. */
  isHere(host: string): boolean {
    return this.#here.has(host);
  }

  /** Pauses all work for a host. `asked`: the time that the host has set for the next request, in ms. */
  rest(host: string, asked?: number): void {
    if (this.#schedule === undefined) return;
    const now = this.#now();
    for (const [other, until] of this.#rests) if (until <= now) this.#rests.delete(other);
    this.#rests.set(host, nextAttemptIn(this.#schedule, { failures: 1, now, asked }) ?? now);
  }

  /** Pauses all work for a host until the next call of `wake`, because this computer failed. */
  restHere(host: string): void {
    this.rest(host);
    this.#here.add(host);
  }

  /** Ends the pauses that were made while the clock was far ahead. */
  bringForward(): void {
    for (const [host, until] of this.#rests)
      if (this.#schedule && plausibleDueIn(this.#schedule, until, this.#now()) !== until)
        this.#rests.delete(host);
  }

  /** Ends the pauses that this computer caused. */
  wake(): void {
    for (const host of this.#here) this.#rests.delete(host);
    this.#here.clear();
  }
}
