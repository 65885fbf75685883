import { useSyncExternalStore } from 'react';

const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'medium' });

/** "5 minutes ago", "in 3 days", "just now". `now` in milliseconds since 1970. */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  if (!step) return seconds > 0 ? 'in less than a minute' : 'just now';
  const [unit, length] = step;
  return relative.format(Math.trunc(seconds / length), unit);
}

/** A moment that lies in the past; the two clocks may differ by a little. */
export function timeAgo(at: string, now: number): string {
  return relativeTime(at, Math.max(now, Date.parse(at)));
}

/** The moment in full, in the owner's time zone. */
export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

/** What is left of a wait, in words. */
export function timeLeft(until: string, now: number): string {
  const minutes = Math.ceil((Date.parse(until) - now) / 60_000);
  if (minutes <= 0) return 'the time is up';
  if (minutes === 1) return 'less than a minute left';
  return `${minutes} minutes left`;
}

/** The present, in milliseconds since 1970; renewed every five seconds while somebody looks. */
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
