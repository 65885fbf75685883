import { useSyncExternalStore } from 'react';
import { timeWords } from './words.ts';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' });

/** Returns "5 minutes ago", "in 3 days" or "just now". `now`: in milliseconds since 1970. */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  if (!step) return seconds > 0 ? timeWords.soon : timeWords.now;
  const [unit, length] = step;
  return relative.format(Math.trunc(seconds / length), unit);
}

/** Returns the relative time of a past moment, even if the clocks of window and service differ a little. */
export function timeAgo(at: string, now: number): string {
  return relativeTime(at, Math.max(now, Date.parse(at)));
}

/** Returns the moment in full, in the viewer's time zone. */
export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** Returns how much time is left, in words. `now`: in milliseconds since 1970. */
export function timeLeft(until: string, now: number): string {
  const minutes = Math.ceil((Date.parse(until) - now) / 60_000);
  if (minutes <= 0) return timeWords.timeUp;
  if (minutes === 1) return timeWords.lastMinute;
  return timeWords.minutesLeft(minutes);
}

/** Returns the current time in milliseconds since 1970, and renders again every five seconds. */
export function useNow(): number {
  return useSyncExternalStore(watchClock, () => present);
}

const watchers = new Set<() => void>();
let present = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function watchClock(watcher: () => void): () => void {
  watchers.add(watcher);
  tick();
  timer ??= setInterval(tick, 5000);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  present = Date.now();
  for (const watcher of [...watchers]) watcher();
}
