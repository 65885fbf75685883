import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectAll, releaseMemoryAtRest } from '../../../src-main/platform/own-process.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that occupies so much memory, of which a collection releases what is `free`. It has been collected once. */
function process() {
  const it = { resident: 100, free: 0, cpuMs: 0, collections: 0 };
  releaseMemoryAtRest({
    everyMs: 1000,
    quietMs: 10,
    growth: 50,
    resident: () => it.resident,
    cpuMs: () => it.cpuMs,
    collect() {
      it.collections += 1;
      it.cpuMs += 100;
      it.resident -= it.free;
      it.free = 0;
    },
  });
  vi.advanceTimersByTime(1000);
  expect(it.collections).toBe(1);
  return it;
}

test('memory is released once after work, when the program is quiet', () => {
  const it = process();
  Object.assign(it, { resident: 400, free: 290 });
  for (let second = 0; second < 60; second += 1) {
    it.cpuMs += 11;
    vi.advanceTimersByTime(1000);
  }
  expect(it.collections).toBe(1);
  vi.advanceTimersByTime(1000);
  expect(it).toMatchObject({ collections: 2, resident: 110 });
  vi.advanceTimersByTime(60_000);
  expect(it.collections).toBe(2);
});

test('a program whose memory at rest is known is not collected before it has grown', () => {
  let resident = 140;
  let collections = 0;
  releaseMemoryAtRest({
    everyMs: 1000,
    quietMs: 10,
    growth: 50,
    atRest: 100,
    cpuMs: () => 0,
    resident: () => resident,
    collect: () => void (collections += 1),
  });
  vi.advanceTimersByTime(60_000);
  expect(collections).toBe(0);
  resident = 151;
  vi.advanceTimersByTime(1000);
  expect(collections).toBe(1);
});

test('little growth is not worth a collection', () => {
  const it = process();
  it.resident = 149;
  vi.advanceTimersByTime(60_000);
  expect(it.collections).toBe(1);
});

test('memory that cannot be released causes no further collections', () => {
  const it = process();
  it.resident = 400;
  vi.advanceTimersByTime(60_000);
  expect(it.collections).toBe(2);
  it.resident = 449;
  vi.advanceTimersByTime(60_000);
  expect(it.collections).toBe(2);
});

test('this runtime lets the program collect all garbage', () => {
  vi.useRealTimers();
  const kept = new WeakRef({});
  return new Promise<void>((done) => {
    // An object that was just made lives until the end of its task.
    setImmediate(() => {
      collectAll();
      expect(kept.deref()).toBeUndefined();
      done();
    });
  });
});
