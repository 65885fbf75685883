import { expect, test } from 'vitest';
import { blockedBetween, timesOfMainThread } from '../../bench/soak/processor-wait.ts';

const start = { at: 0, ran: 0, waited: 0, disk: 0 };
const blocked = (ran: number, waited: number, disk: number) =>
  blockedBetween(start, { at: 2000, ran, waited, disk });

test('a main thread that runs is not free, even while the disk is busy', () => {
  expect(blocked(2000, 0, 0)).toBe(2000);
  expect(blocked(2000, 0, 2000)).toBe(2000);
});

test('a main thread that sleeps is not free, except while the disk is busy', () => {
  expect(blocked(10, 0, 0)).toBe(2000);
  expect(blocked(10, 0, 1500)).toBe(500);
  expect(blocked(500, 0, 5000)).toBe(500);
});

test('the time in which other programs have the processor is left out', () => {
  expect(blocked(300, 1700, 0)).toBe(300);
  expect(blocked(300, 2500, 0)).toBe(0);
});

test.runIf(process.platform === 'linux')('the times of this process grow (needs /proc)', () => {
  const before = timesOfMainThread();
  while (performance.now() < before.at + 50);
  const now = timesOfMainThread();
  expect(now.ran).toBeGreaterThan(before.ran);
  expect(blockedBetween(before, now)).toBeGreaterThanOrEqual(0);
  expect(blockedBetween(before, now)).toBeLessThanOrEqual(now.at - before.at);
});
