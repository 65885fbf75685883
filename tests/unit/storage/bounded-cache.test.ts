import { describe, expect, test } from 'vitest';
import { boundedCache } from '../../../src-main/storage/bounded-cache.ts';

function countingCache(capacity: number) {
  const opened: string[] = [];
  const cache = boundedCache(capacity, (key) => {
    opened.push(key);
    return Promise.resolve({ key });
  });
  return { opened, touch: (key: string) => cache.use(key, (value) => value), cache };
}

/** Keeps 10 open, and no more than weigh 10 together. */
function weighingCache(weights: Record<string, number>) {
  const opened: string[] = [];
  const open = (key: string) => {
    opened.push(key);
    return Promise.resolve(key);
  };
  const cache = boundedCache(10, open, { most: 10, of: (key) => weights[key] ?? 0 });
  return { opened, touch: (key: string) => cache.use(key, (value) => value), cache };
}

describe('a bounded cache', () => {
  test('opens a thing once for all who use it at the same time', async () => {
    const { opened, touch } = countingCache(2);
    const [one, other] = await Promise.all([touch('a'), touch('a')]);
    expect(one).toBe(other);
    expect(opened).toEqual(['a']);
  });

  test('forgets the one that was not used for longest', async () => {
    const { opened, touch } = countingCache(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });

  test('never forgets one that is in use, however many there are', async () => {
    const { opened, touch, cache } = countingCache(1);
    let finish = () => {};
    const using = cache.use('a', () => new Promise<void>((resolve) => (finish = resolve)));
    for (const key of ['b', 'c', 'a']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'c']);
    finish();
    await using;
    await touch('b');
    await touch('a');
    expect(opened).toEqual(['a', 'b', 'c', 'b', 'a']);
  });

  test('forgets those that were not used for longest when all together weigh too much', async () => {
    const { opened, touch } = weighingCache({ a: 4, b: 4, c: 4 });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });

  test('weighs a thing anew after each use', async () => {
    const weights = { a: 1, b: 1, c: 1 };
    const { opened, touch } = weighingCache(weights);
    for (const key of ['a', 'b', 'c', 'a', 'b', 'c']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'c']);
    weights.c = 9;
    await touch('c');
    for (const key of ['b', 'a']) await touch(key);
    // c left room for one of the others: the one used last.
    expect(opened).toEqual(['a', 'b', 'c', 'a']);
  });

  test('keeps a thing that weighs too much by itself until another is used', async () => {
    const { opened, touch } = weighingCache({ a: 11, b: 1 });
    for (const key of ['a', 'a', 'b', 'a']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'a']);
  });

  test('a thing in use weighs too, and is not forgotten for it', async () => {
    const { opened, touch, cache } = weighingCache({ a: 9, b: 9 });
    await touch('a');
    let finish = () => {};
    const using = cache.use('a', () => new Promise<void>((resolve) => (finish = resolve)));
    for (const key of ['b', 'b', 'a']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'b']);
    finish();
    await using;
  });

  test('tries a failed opening again at the next use', async () => {
    const outcomes = [Promise.reject(new Error('not now')), Promise.resolve('open')];
    const cache = boundedCache(2, () => outcomes.shift()!);
    await expect(cache.use('a', String)).rejects.toThrow('not now');
    expect(await cache.use('a', String)).toBe('open');
  });
});
