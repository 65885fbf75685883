import { expect, test } from 'vitest';
import { createDueOrder } from '../../../../src-main/storage/work/work-entries.ts';

test('things are taken in the order in which they fall due, and not before', () => {
  const order = createDueOrder<string>(() => true);
  for (const [thing, at] of [
    ['c', 30],
    ['a', 10],
    ['d', 40],
    ['b', 20],
    ['b2', 20],
  ] as const)
    order.add(thing, at);
  expect([order.next(), order.take(9)]).toEqual([10, undefined]);
  const taken = Array.from({ length: 4 }, () => order.take(30));
  expect(taken).toEqual(['a', 'b', 'b2', 'c']);
  expect([order.take(30), order.next(), order.take(40), order.next()]).toEqual([
    undefined,
    40,
    'd',
    Infinity,
  ]);
});

test('any order of adding gives the same order of taking', () => {
  const order = createDueOrder<number>(() => true);
  const times = Array.from({ length: 3000 }, (_, index) => (index * 7919) % 3001);
  for (const at of times) order.add(at, at);
  const taken = times.map(() => order.take(Infinity));
  expect(taken).toEqual(times.toSorted((a, b) => a - b));
});

test('what no longer counts is skipped, and does not pile up', () => {
  const current = new Set<number>();
  let asked = 0;
  const order = createDueOrder<number>((thing) => {
    asked += 1;
    return current.has(thing);
  });
  for (let thing = 0; thing < 100_000; thing += 1) {
    current.clear();
    current.add(thing);
    order.add(thing, 1_000_000 - thing);
  }
  asked = 0;
  expect(order.take(Infinity)).toBe(99_999);
  expect(order.next()).toBe(Infinity);
  expect(asked).toBeLessThan(2000);
});
