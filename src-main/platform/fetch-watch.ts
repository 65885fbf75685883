import type { Clock } from './clock.ts';
import { FetchError, type GuardedFetch } from './guarded-fetch.ts';
import { siteOfHost } from './site-name.ts';

export type ClockWatch = ReturnType<typeof createClockWatch>;

interface ClockWatchOptions {
  readonly now: Clock;
  /** A monotonic clock, in ms. */
  readonly steady?: Clock;
  /** Called when this computer's clock becomes wrong, or right again. */
  readonly changed?: () => void;
  /**
   * Returns whether the owner chose this host. The hosts of the owner's site and of the aggregator of mentions count as
   * chosen. If the time of a chosen host agrees with this computer's clock, the times of other hosts are ignored.
   */
  readonly isChosen?: (host: string) => boolean;
}

/**
 * How many domains must report a time before Porchlight uses the median of the reported times. One or two servers may
 * be wrong. All servers under one domain count as one.
 */
const enough = 3;
const remembered = 5;
/** The clock error, in ms, that sign-ins and signatures tolerate. */
const tolerated = 5 * 60_000;
/**
 * The largest apparent change in the clock, in ms, that a delay on a busy computer can explain. A larger change means
 * that the clock was set, or that the computer slept.
 */
const jump = 60_000;

/** Checks this computer's clock against the dates that other servers send in their responses. */
export function createClockWatch({
  now,
  steady = () => performance.now(),
  changed = () => undefined,
  isChosen = () => false,
}: ClockWatchOptions) {
  const offsets = new Map<string, number>();
  /**
   * The clock offsets of the hosts that the owner chose. They are separate from `offsets`, because strangers can make
   * this server fetch from many hosts. In a shared list, the strangers' hosts would displace the chosen ones.
   */
  const chosen = new Map<string, number>();
  let gap = now() - steady();

  /** Discards all offsets if this computer's clock has jumped, because the offsets no longer apply. */
  function forgetAfterJump(): void {
    const before = gap;
    gap = now() - steady();
    if (Math.abs(gap - before) <= jump) return;
    offsets.clear();
    chosen.clear();
  }

  const chosenAgrees = () => [...chosen].some(([host, off]) => isChosen(host) && Math.abs(off) <= tolerated);

  /**
   * Returns how far this computer's clock is ahead of other servers' clocks, in ms (negative if behind). Returns 0
   * if the clock is right, or if too few servers have reported their time.
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
    /** Returns whether this computer's clock agrees with a host that the owner chose, or with enough other servers. */
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
 * Wraps a fetch function. Reports the time in each response to `watch` (RFC 9110 section 6.6.1; RFC 9111 section 5.1).
 */
export function listeningFetch(fetch: GuardedFetch, watch: Pick<ClockWatch, 'heard'>): GuardedFetch {
  return async (url, options) => {
    const answer = await fetch(url, options);
    const date = Date.parse(answer.headers.get('date') ?? '');
    const age = Number(answer.headers.get('age') ?? 0); // How many seconds the response spent in caches.
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

/** After another server has reached this one, this computer counts as online for so long, in ms: two minutes. */
const recentlyMs = 120_000;

/** Watches the results of requests to determine whether this computer is online. `steady`: a monotonic clock, in ms. */
export function watchConnection(fetch: GuardedFetch, steady = () => performance.now()) {
  let reachedAt = -Infinity;
  const silent = new Set<string>();
  const watched: GuardedFetch = async (url, options) => {
    try {
      const answer = await fetch(url, options);
      silent.clear();
      return answer;
    } catch (error) {
      const code = error instanceof FetchError ? error.code : undefined;
      if (code === 'fetch_too_large' || code === 'fetch_too_many_redirects') silent.clear();
      const isSilence = code === 'fetch_failed' || code === 'fetch_timeout';
      if (isSilence && silent.size < enough && URL.canParse(url)) silent.add(new URL(url).host);
      throw error;
    }
  };
  return {
    /** Fetches a URL, and records whether the server responded. */
    fetch: watched,
    /** Returns false if the last requests to several different servers got no response. */
    online: () => silent.size < enough || steady() - reachedAt < recentlyMs,
    /** Records that another server has reached this one. */
    reached: () => void (reachedAt = steady()),
  };
}
