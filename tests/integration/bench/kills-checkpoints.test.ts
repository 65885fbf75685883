import { statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { watchLog } from '../../bench/kills/checkpoints.ts';
import { patience } from '../../support/patience.ts';
import { addWord, closeWords, openWords, wordsOf } from '../../support/word-records.ts';

afterEach(closeWords);

test('a log that was made large is moved into the database with the next change, and that is seen', async () => {
  const records = await openWords();
  await addWord(records, 'one');
  const log = watchLog(records.dir);
  await addWord(records, 'two');
  expect([log.hasBegun(), log.isUnderWay()]).toEqual([false, false]);
  log.grow();
  expect(await log.begun(50)).toBe(false);
  await addWord(records, 'three');
  expect(await log.begun(patience.timeout)).toBe(true);
  await vi.waitUntil(() => !log.isUnderWay(), patience);
  await addWord(records, 'four');
  expect(wordsOf(records)).toEqual(['one', 'two', 'three', 'four']);
  expect(statSync(path.join(records.dir, 'records.sqlite-wal')).size).toBeLessThan(1_000_000);
});

test('a database whose log was made large without another change opens with everything', async () => {
  const records = await openWords();
  await addWord(records, 'one');
  watchLog(records.dir).grow();
  await records.close();
  expect(wordsOf(await openWords({ dir: records.dir, lock: records.lock }))).toEqual(['one']);
});
