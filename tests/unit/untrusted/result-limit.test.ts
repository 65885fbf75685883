import { expect, test } from 'vitest';
import { limited } from '../../../src-main/untrusted/serve-jobs.ts';

const jobs = limited({ same: (value: unknown) => value });

function nested(depth: number): unknown {
  let value: unknown = 'a';
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test('a result of ordinary size is returned unchanged', () => {
  const value = { text: 'a'.repeat(1_000_000), list: [1, null, true, new Uint8Array(3)] };
  expect(jobs.same(value)).toBe(value);
});

test('a result with too many characters, too many values or too many levels is an error', () => {
  expect(() => jobs.same('a'.repeat(10_000_001))).toThrow('too large');
  expect(() => jobs.same(new Uint8Array(10_000_001))).toThrow('too large');
  expect(() => jobs.same({ ['a'.repeat(10_000_001)]: 1 })).toThrow('too large');
  expect(() => jobs.same(Array.from({ length: 100_001 }, () => 1))).toThrow('too large');
  expect(() => jobs.same(nested(101))).toThrow('too large');
  expect(jobs.same(nested(99))).toEqual(nested(99));
});

test('an object that occurs repeatedly counts each time', () => {
  let value: unknown = 'lol';
  for (let level = 0; level < 9; level += 1) value = Array.from({ length: 10 }, () => value);
  expect(() => jobs.same(value)).toThrow('too large');
});
