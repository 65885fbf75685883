import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { activityTable, createActivity } from '../../../../src-main/storage/records/activity.ts';
import { createEventHub } from '../../../../src-main/contract/contract.ts';
import { recordsName } from '../../../../src-main/storage/records/records-file.ts';
import { memoryRecords } from '../../../support/memory-records.ts';
import { addWord, closeWords, openWords, wordsOf } from '../../../support/word-records.ts';

afterEach(closeWords);

test('the database gets shorter after many rows were deleted, and accepts changes in the meantime', async () => {
  const records = await openWords();
  const text = 'x'.repeat(2000);
  await records.write(({ run }) => {
    for (let turn = 0; turn < 8000; turn += 1) run('INSERT INTO words (text) VALUES (?)', text);
  });
  await records.write(({ run }) => run('DELETE FROM words'));
  // The rows were only in the log until now.
  await records.snapshot();
  const shrinking = records.shrink();
  for (let turn = 0; turn < 20; turn += 1) await addWord(records, `${turn}`);
  await shrinking;
  const { size } = await stat(join(records.dir, recordsName));
  expect(size).toBeLessThan(3_000_000);
  expect(wordsOf(records)).toHaveLength(20);
  expect(records.rows(({ freelist_count: free }) => Number(free), 'PRAGMA freelist_count')[0]).toBeLessThan(
    257,
  );
});

test('the database keeps its size while it has few free pages', async () => {
  const records = await openWords();
  await records.write(({ run }) => {
    for (let turn = 0; turn < 200; turn += 1) run('INSERT INTO words (text) VALUES (?)', 'x'.repeat(2000));
  });
  await records.write(({ run }) => run('DELETE FROM words'));
  const free = () => records.rows((row) => Number(row['freelist_count']), 'PRAGMA freelist_count')[0];
  const before = free();
  expect(before).toBeGreaterThan(50);
  await records.shrink();
  expect(free()).toBe(before);
});

test('the activity drops events that are older than two years, and nothing else', async () => {
  const yearMs = 365 * 86_400_000;
  let now = Date.parse('2026-01-01T00:00:00Z');
  const activity = createActivity({
    records: memoryRecords([activityTable]),
    hub: createEventHub(),
    clock: () => now,
    lost: () => undefined,
  });
  for (let turn = 0; turn < 600; turn += 1) await activity.record('post.created', `old ${turn}`);
  now += yearMs;
  await activity.record('post.created', 'young');
  await activity.prune(now);
  expect((await activity.list({ limit: 1000 })).items).toHaveLength(601);
  await activity.prune(now + 1.1 * yearMs);
  expect((await activity.list({ limit: 1000 })).items.map(({ words }) => words)).toEqual(['young']);
});
