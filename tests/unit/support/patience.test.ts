import { expect, test } from 'vitest';
import { slowness } from '../../support/patience.ts';

/** Returns a clock that goes on by some ms each time that it is read. */
function clockOf(step: number): () => number {
  let now = 0;
  return () => (now += step);
}

test('a computer on which 20 ms of work take a second is 50 times as slow, and none is faster than a quiet one', () => {
  const seconds = clockOf(1000);
  expect(slowness(seconds, clockOf(20))).toBe(50);
  expect(slowness(clockOf(5), clockOf(20))).toBe(1);
});

test('the measurement takes processor time, and ends', () => {
  expect(slowness()).toBeGreaterThanOrEqual(1);
});
