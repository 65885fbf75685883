import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { notNow } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { createPictures, type Pictures } from '../../../../src-main/untrusted/pictures/pictures.ts';
import { interlacedPng } from '../../../support/hostile-samples.ts';
import { heic } from '../../../support/heic-samples.ts';
import { photo } from '../../../support/pictures.ts';

vi.setConfig({ testTimeout: 360_000, hookTimeout: 360_000 });

let folder: string;
let small: Buffer;
let slow: string;
let pictures: Pictures;
const from = { visitor: '203.0.113.9', address: 'https://app.example/' };
const others = { visitor: '198.51.100.7', address: 'https://other.example/' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-strangers-'));
  small = await photo(20, 10).png().toBuffer();
  slow = join(folder, 'slow.png');
  await writeFile(slow, interlacedPng(6000));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  await pictures.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Stops the timers, and lets the threads look as busy as they are in the seconds that the test skips. */
function pretendToWork(seconds: number): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(Worker.prototype, 'cpuUsage').mockResolvedValue({ user: seconds * 1_000_000, system: 0 });
}

test('a picture of 200 MB as pixels is not decoded for a stranger, but a smaller one is', async () => {
  pictures = createPictures({ log: silentLog });
  expect(await pictures.shrink(interlacedPng(10_000), { edge: 64, from })).toBeNull();
  expect(await pictures.shrink(interlacedPng(500), { edge: 64, from })).not.toBeNull();
});

test('a visitor whose picture ended the thread has no picture decoded for minutes, and others do', async () => {
  let now = 0;
  const overBudget = vi.fn<() => void>();
  pictures = createPictures({ log: silentLog, clock: () => now, overBudget });
  const shrink = (cause: typeof from) => pictures.shrink(small, { edge: 64, from: cause });
  expect(await shrink(from)).not.toBeNull();
  pretendToWork(4);
  const lost = pictures.thumbnail(slow, { edge: 64, from });
  await vi.advanceTimersByTimeAsync(4000);
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(await lost).toBeNull();
  expect(overBudget).not.toHaveBeenCalled();
  expect(await shrink(from)).toBeNull();
  expect(overBudget).toHaveBeenCalledOnce();
  const file = join(folder, 'small.png');
  await writeFile(file, small);
  expect(await pictures.thumbnail(file, { edge: 64, from })).toBe(notNow);
  expect(await shrink({ ...others, address: from.address })).toBeNull();
  expect(await shrink(others)).not.toBeNull();
  const broken = join(folder, 'broken.png');
  await writeFile(broken, small.subarray(0, 40));
  expect(await pictures.thumbnail(broken, { edge: 64, from: others })).toBeNull();
  now += 5 * 60_000;
  expect(await shrink(from)).not.toBeNull();
});

test('the owner’s own pictures don’t wait for those of strangers', async () => {
  pictures = createPictures({ log: silentLog });
  const file = join(folder, 'own.png');
  await writeFile(file, small);
  await pictures.measure(file);
  await pictures.shrink(small, { edge: 64, from });
  pretendToWork(4);
  let isDone = false;
  const strangers = pictures.thumbnail(slow, { edge: 64, from }).then(() => (isDone = true));
  expect(await pictures.measure(file)).toEqual({ width: 20, height: 10 });
  expect(isDone).toBe(false);
  await vi.advanceTimersByTimeAsync(4000);
  await strangers;
});

test('a stranger’s HEIC photo is abandoned after 20 s, and none of its host’s photos is converted for minutes', async () => {
  pictures = createPictures({ log: silentLog });
  const file = join(folder, 'photo.heic');
  await writeFile(file, heic({ grid: { columns: 31, rows: 31 } }));
  expect(await pictures.jpeg(file, { from: others })).not.toBeNull();
  pretendToWork(20);
  const lost = pictures.jpeg(file, { from });
  await vi.advanceTimersByTimeAsync(20_000);
  vi.useRealTimers();
  vi.restoreAllMocks();
  expect(await lost).toBeNull();
  expect(await pictures.jpeg(file, { from: { address: from.address } })).toBe(notNow);
  expect(await pictures.jpeg(file, {})).not.toBeNull();
});
