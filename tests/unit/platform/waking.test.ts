import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchWaking } from '../../../src-main/platform/clock.ts';

const minute = 60_000;
const woke = vi.fn();
let end: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  woke.mockClear();
  end = watchWaking(Date.now, woke);
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

/** The clock goes on; timers do not. */
const sleep = (ms: number) => vi.setSystemTime(Date.now() + ms);

test('a computer that is awake all day is never said to have slept', () => {
  vi.advanceTimersByTime(24 * 60 * minute);
  expect(woke).not.toHaveBeenCalled();
});

test('each sleep is reported once, at the next check', () => {
  for (const times of [1, 2]) {
    vi.advanceTimersByTime(10 * minute);
    sleep(8 * 60 * minute);
    vi.advanceTimersByTime(minute);
    expect(woke).toHaveBeenCalledTimes(times);
    vi.advanceTimersByTime(60 * minute);
    expect(woke).toHaveBeenCalledTimes(times);
  }
});

test('a check that is a little late is no sleep, nor is a clock that is set back', () => {
  sleep(3 * minute);
  vi.advanceTimersByTime(minute);
  sleep(-60 * minute);
  vi.advanceTimersByTime(10 * minute);
  expect(woke).not.toHaveBeenCalled();
});

test('after its end nothing is reported', () => {
  end();
  sleep(8 * 60 * minute);
  vi.advanceTimersByTime(10 * minute);
  expect(woke).not.toHaveBeenCalled();
});
