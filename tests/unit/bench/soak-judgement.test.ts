import { describe, expect, test } from 'vitest';
import { judgeFresh, judgeMemory, judgeRest, type Rest, type Sample } from '../../bench/soak/judgement.ts';

const megabyte = 1e6;

/** An hour of samples, one a minute; `heap` in MB by the minute. */
function hour(heap: (minute: number) => number): Sample[] {
  return Array.from({ length: 60 }, (_, minute) => ({
    at: (minute + 1) * 60,
    heap: heap(minute) * megabyte,
    resident: (heap(minute) + 200) * megabyte,
  }));
}

const noise = (minute: number) => ((minute * 7919) % 13) - 6;

describe('the judgement on memory', () => {
  test('memory that rises while it warms up and then only wavers is flat', () => {
    const samples = hour((minute) => (minute < 25 ? 30 + minute : 55 + noise(minute)));
    expect(judgeMemory('heap', samples)).toMatchObject({ isGood: true });
    expect(judgeMemory('resident', samples)).toMatchObject({ isGood: true });
  });

  test('memory that goes on rising through the second half grows, though each step is within the noise', () => {
    const samples = hour((minute) => 40 + minute + noise(minute));
    const { isGood, words } = judgeMemory('heap', samples);
    expect(isGood).toBe(false);
    expect(words).toMatch(/^Heap after collection grows: \+30.0 MB in the last 30.0 min of 8\d MB/);
  });

  test('what the data takes in a fresh start as well is no growth, and what is above it is', () => {
    const samples = hour((minute) => 40 + minute / 2 + noise(minute));
    expect(judgeMemory('heap', samples).isGood).toBe(false);
    expect(judgeMemory('heap', samples, 20 * megabyte).isGood).toBe(true);
    const faster = hour((minute) => 40 + minute + noise(minute));
    expect(judgeMemory('heap', faster, 20 * megabyte).isGood).toBe(false);
  });

  test('a server that holds more than a fresh start on the same data leaks', () => {
    expect(judgeFresh(60 * megabyte, 55 * megabyte).isGood).toBe(true);
    expect(judgeFresh(80 * megabyte, 55 * megabyte).isGood).toBe(false);
  });

  test('one high sample at the end is no growth', () => {
    const samples = hour((minute) => (minute === 59 ? 90 : 40));
    expect(judgeMemory('heap', samples).isGood).toBe(true);
  });

  test('a run too short for a trend is not judged, and says so', () => {
    const { isGood, words } = judgeMemory('heap', hour((minute) => 40 + minute * 10).slice(0, 8));
    expect(isGood).toBe(true);
    expect(words).toContain('not judged');
  });
});

describe('the judgement on what stays open', () => {
  const before: Rest = { handles: 30, threads: 11, processes: 2, zombies: 0 };
  const good = (after: Rest) => judgeRest(before, after).map(({ isGood }) => isGood);

  test('what opens once and stays for the next work is let pass', () => {
    expect(good({ handles: 38, threads: 15, processes: 2, zombies: 0 })).toEqual([true, true, true, true]);
  });

  test('a handle, thread, process or child for each piece of work is a leak', () => {
    expect(good({ handles: 90, threads: 60, processes: 3, zombies: 1 })).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
