import { describe, expect, test, vi } from 'vitest';
import { boundedCache } from '../../../src-main/storage/caches.ts';

function countingCache(capacity: number) {
  const opened: string[] = [];
  const cache = boundedCache(capacity, (key) => {
    opened.push(key);
    return Promise.resolve({ key });
  });
  return { opened, touch: (key: string) => cache.use(key, (value) => value), cache };
}

describe('a bounded cache', () => {
  test('opens a thing once for all who use it at the same time', async () => {
    const { opened, touch } = countingCache(2);
    const [one, other] = await Promise.all([touch('a'), touch('a')]);
    expect(one).toBe(other);
    expect(opened).toEqual(['a']);
  });

  test('drops the least recently used entry', async () => {
    const { opened, touch } = countingCache(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await touch(key);
    expect(opened).toEqual(['a', 'b', 'c', 'b']);
  });

  test('never drops an entry in use, however many there are', async () => {
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

  test('closes dropped entries, and clear closes all that are not in use', async () => {
    const closed: string[] = [];
    const close = (key: string) => Promise.resolve(void closed.push(key));
    const cache = boundedCache(2, (key) => Promise.resolve(key), { close });
    for (const key of ['a', 'b', 'c', 'b']) await cache.use(key, String);
    await vi.waitFor(() => expect(closed).toEqual(['a']));
    let finish = () => {};
    const using = cache.use('c', () => new Promise<void>((resolve) => (finish = resolve)));
    await cache.clear();
    expect(closed).toEqual(['a', 'b']);
    finish();
    await using;
  });

  test('drops an entry that isn’t worth keeping as soon as nobody uses it', async () => {
    const opened: string[] = [];
    const closed: string[] = [];
    const cache = boundedCache(
      5,
      (key) => {
        opened.push(key);
        return Promise.resolve(key);
      },
      {
        close: (key) => Promise.resolve(void closed.push(key)),
        isKept: (key) => key === 'small',
      },
    );
    await Promise.all([cache.use('large', String), cache.use('large', String)]);
    for (const key of ['small', 'small', 'large']) await cache.use(key, String);
    expect(opened).toEqual(['large', 'small', 'large']);
    expect(closed).toEqual(['large', 'large']);
  });

  test('tries a failed opening again at the next use', async () => {
    const outcomes = [Promise.reject(new Error('not now')), Promise.resolve('open')];
    const cache = boundedCache(2, () => outcomes.shift()!);
    await expect(cache.use('a', String)).rejects.toThrow('not now');
    expect(await cache.use('a', String)).toBe('open');
  });
});
