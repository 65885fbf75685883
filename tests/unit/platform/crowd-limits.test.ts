import { expect, test } from 'vitest';
import { createCrowdLimits } from '../../../src-main/platform/crowd-limits.ts';

type Limits = ReturnType<typeof createCrowdLimits<string>>;

/** Adds places for the parties until one of them has reached its limit. Returns how many were added, and which it is. */
function fill(limits: Limits, ...parties: string[]): [number, string | undefined] {
  let added = 0;
  for (; limits.crowd(parties) === undefined; added += 1) limits.change(parties, 1);
  return [added, limits.crowd(parties)];
}

test('each party may have a tenth, and a named one its own limit', () => {
  const limits = createCrowdLimits<string>(1000, (party) => (party === 'visitor nearby' ? 500 : undefined));
  expect(fill(limits, 'site a', 'visitor 1')).toEqual([100, 'site a']);
  expect(fill(limits, 'site b', 'visitor 1')).toEqual([0, 'visitor 1']);
  expect(fill(limits, 'visitor nearby')).toEqual([500, 'visitor nearby']);
});

test('of a store that is three quarters full, each party may have ten places, until it is full', () => {
  const limits = createCrowdLimits<string>(1000);
  for (let at = 0; at < 7; at += 1) fill(limits, `site ${at}`);
  expect(fill(limits, 'site 7')).toEqual([50, 'site 7']);
  for (let at = 0; at < 25; at += 1) expect(fill(limits, `late ${at}`)[0]).toBe(10);
  expect(fill(limits, 'newcomer')).toEqual([0, 'all']);
});

test('places that are left are free again', () => {
  const limits = createCrowdLimits<string>(1000);
  fill(limits, 'site a');
  limits.change(['site a'], -40);
  expect(fill(limits, 'site a')).toEqual([40, 'site a']);
});

test('a large entry counts as several, and none takes more than is left', () => {
  const limits = createCrowdLimits<string>(1000);
  limits.change(['site a'], 96);
  expect(limits.crowd(['site a'], 4)).toBeUndefined();
  expect(limits.crowd(['site a'], 5)).toBe('site a');
  expect(createCrowdLimits(3).crowd(['site a'], 4)).toBe('all');
});
