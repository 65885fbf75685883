import { expect, test } from 'vitest';
import { limitAttempts } from '../../../src-main/desktop/attempts.ts';

test('something is tried a few times, and again when the time is over', () => {
  let now = 0;
  const mayTry = limitAttempts(2, 1000, () => now);
  expect([mayTry(), mayTry(), mayTry()]).toEqual([true, true, false]);
  now = 999;
  expect(mayTry()).toBe(false);
  now = 1000;
  expect(mayTry()).toBe(true);
});
