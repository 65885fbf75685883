import { cp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openUnchanged, recordsName } from '../../../../src-main/storage/records/records-file.ts';
import { addWord, closeWords, openWords, type WordRecords, wordsOf } from '../../../support/word-records.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeWords();
});

const deleteLog = ({ dir }: WordRecords) => rm(join(dir, `${recordsName}-wal`));

/** Returns the words in the file of the database, without any log. */
function wordsIn({ dir }: WordRecords): unknown[] {
  const database = openUnchanged(join(dir, recordsName));
  try {
    return database
      .prepare('SELECT text FROM words ORDER BY id')
      .all()
      .map(({ text }) => text);
  } finally {
    database.close();
  }
}

/** Returns the words that are there after a kill: in a copy of the folder. */
async function wordsAfterKill({ dir }: WordRecords): Promise<unknown[]> {
  const copy = `${dir}-killed`;
  await cp(dir, copy, { recursive: true });
  await rm(join(copy, 'lock.json'));
  return wordsOf(await openWords({ dir: copy }));
}

describe('a write-ahead log that is deleted while the database is open', () => {
  test('loses nothing: the next change writes it out, and a kill after that finds all', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await addWord(records, 'two');
    await deleteLog(records);
    expect(wordsOf(records)).toEqual(['one', 'two']);
    await addWord(records, 'three');
    expect(wordsOf(records)).toEqual(['one', 'two', 'three']);
    expect(await wordsAfterKill(records)).toEqual(['one', 'two', 'three']);
  });

  test('loses no change that was committed but not synced, which is in the database when it is acknowledged', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    const handle = await open(join(records.dir, 'lock.json'), 'r');
    const sync = vi
      .spyOn(Object.getPrototypeOf(handle) as typeof handle, 'datasync')
      .mockImplementationOnce(() => deleteLog(records));
    await handle.close();
    await addWord(records, 'two');
    expect(sync).toHaveBeenCalledTimes(1);
    expect(wordsIn(records)).toEqual(['one', 'two']);
    await addWord(records, 'three');
    expect(await wordsAfterKill(records)).toEqual(['one', 'two', 'three']);
  });

  test('loses nothing at a stop', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await deleteLog(records);
    await records.close();
    expect(wordsIn(records)).toEqual(['one']);
  });
});
