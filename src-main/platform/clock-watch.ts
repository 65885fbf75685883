import { siteOfHost } from './site-name.ts';
import type { Clock } from './clock.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

export type ClockWatch = ReturnType<typeof createClockWatch>;

export interface ClockWatchOptions {
  readonly now: Clock;
  /** A monotonic clock, in ms. */
  readonly steady?: Clock;
  /** Called when this computer's clock becomes wrong, or right again. */
  readonly changed?: () => void;
  /** Whether the owner chose this host. If one of these hosts agrees with this clock, strangers' clocks are ignored. */
  readonly isChosen?: (host: string) => boolean;
}

/**
 * How many domains must report a time before their median counts: one or two servers may be wrong. Servers under one
 * domain count once.
 */
const enough = 3;
const remembered = 5;
/** The error, in ms, that sign-ins and signatures tolerate. */
const tolerated = 5 * 60_000;
/**
 * A change of the clock larger than this, in ms, is more than a delay on a busy computer: the clock was set, or the
 * computer slept.
 */
const jump = 60_000;

/** Judges whether this computer's clock is right, from the dates that other servers send in their responses. */
export function createClockWatch({
  now,
  steady = () => performance.now(),
  changed = () => undefined,
  isChosen = () => false,
}: ClockWatchOptions) {
  const offsets = new Map<string, number>();
  /**
   * Offsets of the hosts that the owner chose. Kept apart from `offsets`, because strangers can make this server fetch
   * from many hosts of theirs and so displace others.
   */
  const chosen = new Map<string, number>();
  let gap = now() - steady();

  /** Discards all measurements if the clock was set, because they no longer apply to it. */
  function forgetAfterJump(): void {
    const before = gap;
    gap = now() - steady();
    if (Math.abs(gap - before) <= jump) return;
    offsets.clear();
    chosen.clear();
  }

  const chosenAgrees = () => [...chosen].some(([host, off]) => isChosen(host) && Math.abs(off) <= tolerated);

  /**
   * Returns how far this clock is ahead of other servers' clocks, in ms (negative if behind); 0 unless this clock is
   * known to be wrong.
   */
  function offset(): number {
    forgetAfterJump();
    if (chosenAgrees()) return 0;
    if (offsets.size < enough) return 0;
    const sorted = [...offsets.values()].sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return Math.abs(median) > tolerated ? median : 0;
  }

  return {
    offset,
    /** Returns whether enough servers have reported their time to be sure that this clock is right. */
    agrees: () => offset() === 0 && (chosenAgrees() || offsets.size >= enough),
    /** Records the time that a server reported, in ms. */
    heard(host: string, itsTime: number): void {
      const wasWrong = offset() !== 0;
      const name = siteOfHost(host);
      offsets.delete(name);
      offsets.set(name, now() - itsTime);
      if (isChosen(host)) chosen.set(host, now() - itsTime);
      const [oldest] = offsets.keys();
      if (offsets.size > remembered && oldest !== undefined) offsets.delete(oldest);
      if ((offset() !== 0) !== wasWrong) changed();
    },
  };
}

/**
 * Wraps a fetch so that `watch` learns the time of each server that responds (RFC 9110 section 6.6.1; RFC 9111 section
 * 5.1).
 */
export function listeningFetch(fetch: GuardedFetch, watch: Pick<ClockWatch, 'heard'>): GuardedFetch {
  return async (url, options) => {
    const answer = await fetch(url, options);
    const date = Date.parse(answer.headers.get('date') ?? '');
    const age = Number(answer.headers.get('age') ?? 0); // seconds that the response spent in a cache on the way
    if (Number.isFinite(date) && Number.isFinite(age) && age >= 0)
      watch.heard(new URL(answer.url).host, date + age * 1000);
    return answer;
  };
}

/** Returns the warning for an owner whose clock is `offset` ms ahead (negative: behind). */
export function clockWords(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000);
  const much =
    minutes < 120
      ? `${minutes} minutes`
      : minutes < 2880
        ? `${Math.round(minutes / 60)} hours`
        : `${Math.round(minutes / 1440)} days`;
  const way = offset > 0 ? 'ahead' : 'behind';
  return `This computer’s clock is ${much} ${way}. Sign-ins can fail, and posts get wrong dates. Turn on automatic date and time in the system’s settings.`;
}
