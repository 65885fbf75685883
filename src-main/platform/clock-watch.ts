import { siteOfHost } from './site-name.ts';
import type { Clock } from './clock.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** Tells, from the dates that other servers put on their answers, whether this computer's clock is right. */
export interface ClockWatch {
  /** How far this clock is ahead of the others, in ms (behind: negative); 0 while nothing is known to be wrong. */
  offset(): number;
  /** Returns whether other servers said enough to be sure that this clock is right. */
  agrees(): boolean;
  /** Notes what a server said its time is, in ms. */
  heard(host: string, itsTime: number): void;
}

export interface ClockWatchOptions {
  readonly now: Clock;
  /** A clock that nobody sets, in ms. */
  readonly steady?: Clock;
  /** Called when it becomes wrong, or right. */
  readonly changed?: () => void;
  /** Whether the owner chose this host themselves: where one of these agrees with this clock, no stranger is believed. */
  readonly isChosen?: (host: string) => boolean;
}

/** A single server may be wrong, and so may two. Servers under one domain are one. */
const enough = 3;
const remembered = 5;
/** Sign-ins and signatures bear some minutes. */
const tolerated = 5 * 60_000;
/** More than a busy computer makes of a moment: then the clock was set, or the computer slept. */
const jump = 60_000;

export function createClockWatch({
  now,
  steady = () => performance.now(),
  changed = () => undefined,
  isChosen = () => false,
}: ClockWatchOptions): ClockWatch {
  const offsets = new Map<string, number>();
  /** By whom the owner chose; strangers, who can have themselves fetched, do not push these out. */
  const chosen = new Map<string, number>();
  let gap = now() - steady();

  /** What was measured before the clock was set says nothing of it now. */
  function forgetAfterJump(): void {
    const before = gap;
    gap = now() - steady();
    if (Math.abs(gap - before) <= jump) return;
    offsets.clear();
    chosen.clear();
  }

  const chosenAgrees = () => [...chosen].some(([host, off]) => isChosen(host) && Math.abs(off) <= tolerated);

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
    agrees: () => offset() === 0 && (chosenAgrees() || offsets.size >= enough),
    heard(host, itsTime) {
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

/** The same fetch, which lets `watch` hear of the time of each server that answers (RFC 9110, 6.6.1; 5.1 of RFC 9111). */
export function listeningFetch(fetch: GuardedFetch, watch: Pick<ClockWatch, 'heard'>): GuardedFetch {
  return async (url, options) => {
    const answer = await fetch(url, options);
    const date = Date.parse(answer.headers.get('date') ?? '');
    const age = Number(answer.headers.get('age') ?? 0); // how long a cache on the way has had the answer, in seconds
    if (Number.isFinite(date) && Number.isFinite(age) && age >= 0)
      watch.heard(new URL(answer.url).host, date + age * 1000);
    return answer;
  };
}

/** What the owner should know of a clock that is `offset` ms ahead. */
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
