import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { collectAll, createMemoryRelease } from '../../../src-main/platform/memory-release.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that occupies so much memory, of which a collection releases what is `free`. */
function process() {
  const memory = { resident: 100, free: 0, collections: 0 };
  const release = createMemoryRelease({
    quietMs: 1000,
    growth: 50,
    resident: () => memory.resident,
    collect() {
      memory.collections += 1;
      memory.resident -= memory.free;
      memory.free = 0;
    },
  });
  return { memory, release };
}

test('memory is released once, a while after the last thread has ended', () => {
  const { memory, release } = process();
  release.threadStarted();
  release.threadStarted();
  Object.assign(memory, { resident: 400, free: 290 });
  release.threadEnded();
  vi.advanceTimersByTime(60_000);
  expect(memory.collections).toBe(0);
  release.threadEnded();
  vi.advanceTimersByTime(999);
  expect(memory.collections).toBe(0);
  vi.advanceTimersByTime(1);
  expect(memory).toMatchObject({ collections: 1, resident: 110 });
  vi.advanceTimersByTime(60_000);
  expect(memory.collections).toBe(1);
});

test('a thread that starts again puts it off', () => {
  const { memory, release } = process();
  release.threadStarted();
  memory.resident = 400;
  release.threadEnded();
  vi.advanceTimersByTime(900);
  release.threadStarted();
  vi.advanceTimersByTime(60_000);
  expect(memory.collections).toBe(0);
});

test('little growth is not worth a collection', () => {
  const { memory, release } = process();
  release.threadStarted();
  memory.resident = 149;
  release.threadEnded();
  vi.advanceTimersByTime(60_000);
  expect(memory.collections).toBe(0);
});

test('memory that cannot be released causes no further collections', () => {
  const { memory, release } = process();
  for (let round = 0; round < 5; round += 1) {
    release.threadStarted();
    memory.resident = 400;
    release.threadEnded();
    vi.advanceTimersByTime(60_000);
  }
  expect(memory.collections).toBe(1);
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
