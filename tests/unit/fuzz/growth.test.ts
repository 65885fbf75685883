import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { judgeGrowth, unfinishedFiles, type Growth } from '../../fuzz/growth.ts';

const megabyte = 1e6;
const rest = { handles: 20, threads: 12, processes: 1, zombies: 0 };
/** A minute of a server that keeps what it has. */
const flat = Array.from({ length: 30 }, (_, index) => ({
  at: index * 2,
  heap: 20 * megabyte,
  resident: 120 * megabyte,
}));
const calm: Growth = {
  before: { rest, heap: 15 * megabyte },
  after: { rest, heap: 21 * megabyte },
  fresh: 20 * megabyte,
  samples: flat,
  unfinished: [],
};
const count = (growth: Partial<Growth>) => judgeGrowth({ ...calm, ...growth }).findings.length;

test('a server that keeps what it has is fine', () => expect(count({})).toBe(0));

test('memory that goes on growing is found', () => {
  const growing = flat.map((sample, index) => ({ ...sample, heap: sample.heap + index * 2 * megabyte }));
  expect(count({ samples: growing })).toBe(1);
});

test('a heap that is larger than that of a fresh start on the same data is found', () => {
  expect(count({ after: { rest, heap: 40 * megabyte } })).toBe(1);
});

test('handles, threads and processes that stay are found', () => {
  const heap = calm.after.heap;
  expect(count({ after: { rest: { ...rest, handles: 60 }, heap } })).toBe(1);
  expect(count({ after: { rest: { ...rest, threads: 40 }, heap } })).toBe(1);
  expect(count({ after: { rest: { ...rest, processes: 2 }, heap } })).toBe(1);
});

test('files of writes and uploads that did not end are found', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'porchlight-fuzz-test-'));
  await mkdir(path.join(folder, 'media/incoming'), { recursive: true });
  for (const name of ['media/incoming/a.part', 'posts.json.tmp', 'posts.json'])
    await writeFile(path.join(folder, name), '');
  const unfinished = await unfinishedFiles(folder);
  await rm(folder, { recursive: true });
  expect(unfinished.sort()).toEqual(['media/incoming/a.part', 'posts.json.tmp']);
  expect(count({ unfinished })).toBe(1);
});
