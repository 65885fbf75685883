import { open, readdir, readFile, rename, mkdir, stat, writeFile, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { buildRecords } from '../../../../src-main/storage/records/record-lines.ts';
import { DatabaseSync } from '../../../../src-main/storage/sqlite.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { patience } from '../../../support/patience.ts';
import { addWord, closeWords, openWords, wordsOf, wordTable } from '../../../support/word-records.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closeWords();
});

/** Replaces the syncs of all file handles. */
async function withSync(sync: () => Promise<void>) {
  const handle = await open(join(await temporaryFolder(), 'any'), 'w');
  const mocked = vi
    .spyOn(Object.getPrototypeOf(handle) as typeof handle, 'datasync')
    .mockImplementation(sync);
  await handle.close();
  return mocked;
}

describe('records', () => {
  test('survive a restart', async () => {
    const first = await openWords();
    await addWord(first, 'one');
    await first.close();
    await first.lock.release();
    const second = await openWords({ dir: first.dir });
    expect(wordsOf(second)).toEqual(['one']);
  });

  test('of one turn share a transaction, and a refused change undoes no other', async () => {
    const records = await openWords();
    const sync = await withSync(() => Promise.resolve());
    const refused = records.write(({ run }) => {
      run('INSERT INTO words (text) VALUES (?)', 'never');
      throw new Error('refused');
    });
    const settled = await Promise.allSettled([addWord(records, 'one'), refused, addWord(records, 'two')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(wordsOf(records)).toEqual(['one', 'two']);
    expect(sync).toHaveBeenCalledTimes(1);
  });

  test('a change that itself refuses something as damaged causes no repair', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    const before = records.openings;
    const refused = records.write(() => {
      throw new PorchlightError('storage_damaged', 'This post may be older than what was saved.', 503);
    });
    await expect(refused).rejects.toMatchObject({ code: 'storage_damaged' });
    await addWord(records, 'two');
    expect(wordsOf(records)).toEqual(['one', 'two']);
    expect(records.openings).toBe(before);
    expect((await readdir(records.dir)).filter((name) => name.includes('.broken'))).toEqual([]);
  });

  test('a damaged database is repaired three times, and then refuses what finds the damage, until the next start', async () => {
    const records = await openWords();
    /** Adds a word, and finds first that the database is damaged. */
    const addAfterDamage = (text: string) => {
      let isFound = false;
      return records.write(({ run }) => {
        if (!isFound) {
          isFound = true;
          throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
        }
        run('INSERT INTO words (text) VALUES (?)', text);
      });
    };
    for (const text of ['one', 'two', 'three']) await addAfterDamage(text);
    const { openings } = records;
    await expect(addAfterDamage('four')).rejects.toMatchObject({ code: 'storage_damaged' });
    await addWord(records, 'five');
    expect(wordsOf(records)).toEqual(['one', 'two', 'three', 'five']);
    expect(records.openings).toBe(openings);
  });

  test('that change during a sync are acknowledged after the next one, and share it and a transaction', async () => {
    const records = await openWords();
    const release: (() => void)[] = [];
    const sync = await withSync(() => new Promise((resolve) => release.push(resolve)));
    let done = 0;
    const count = () => (done += 1);
    const first = addWord(records, 'one').then(count);
    await vi.waitUntil(() => sync.mock.calls.length === 1);
    const later = [addWord(records, 'two').then(count)];
    await nextTurn();
    later.push(addWord(records, 'three').then(count));
    await nextTurn();
    expect(wordsOf(records)).toEqual(['one']);
    expect(done).toBe(0);
    release.shift()?.();
    await first;
    await vi.waitUntil(() => sync.mock.calls.length === 2);
    expect(wordsOf(records)).toEqual(['one', 'two', 'three']);
    expect(done).toBe(1);
    later.push(records.settled().then(count));
    await nextTurn();
    expect(done).toBe(1);
    release.shift()?.();
    await Promise.all(later);
    expect(done).toBe(4);
    expect(sync).toHaveBeenCalledTimes(2);
  });

  test('a transaction that takes long leaves changes for the next one, which waits for no sync', async () => {
    const records = await openWords();
    const release: (() => void)[] = [];
    const sync = await withSync(() => new Promise((resolve) => release.push(resolve)));
    const long = records.write(({ run }) => {
      run('INSERT INTO words (text) VALUES (?)', 'long');
      for (const began = performance.now(); performance.now() - began < 50;);
    });
    const all = [long, addWord(records, 'two'), addWord(records, 'three')];
    await vi.waitUntil(() => wordsOf(records).length > 0);
    expect(wordsOf(records)).toEqual(['long']);
    await vi.waitUntil(() => wordsOf(records).length === 3);
    expect(sync).toHaveBeenCalledTimes(1);
    release.shift()?.();
    await long;
    await vi.waitUntil(() => sync.mock.calls.length === 2);
    release.shift()?.();
    await Promise.all(all);
  });

  test('a change that may wait shares the transaction and the sync of the next one, and comes before it', async () => {
    const records = await openWords();
    const sync = await withSync(() => Promise.resolve());
    const patient = records.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', 'patient'), {
      mayWait: true,
    });
    await nextTurn();
    expect(wordsOf(records)).toEqual([]);
    await Promise.all([addWord(records, 'urgent'), patient]);
    expect(wordsOf(records)).toEqual(['patient', 'urgent']);
    expect(sync).toHaveBeenCalledTimes(1);
  });

  test('a change that may wait is also made if no other comes, and before the records are closed', async () => {
    const first = await openWords();
    const write = (text: string) =>
      first.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', text), { mayWait: true });
    await write('alone');
    expect(wordsOf(first)).toEqual(['alone']);
    const last = write('last');
    await first.close();
    await last;
    await first.lock.release();
    expect(wordsOf(await openWords({ dir: first.dir }))).toEqual(['alone', 'last']);
  });

  test('records are refused after a failed sync, until everything was written again', async () => {
    const records = await openWords();
    const sync = await withSync(() => Promise.resolve());
    sync.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
    await expect(addWord(records, 'one')).rejects.toMatchObject({ code: 'storage_unwritable' });
    const before = (await stat(join(records.dir, 'records.sqlite'))).size;
    await addWord(records, 'two');
    expect(wordsOf(records)).toEqual(['one', 'two']);
    // What was refused is in the database itself now.
    expect((await stat(join(records.dir, 'records.sqlite'))).size).toBeGreaterThanOrEqual(before);
    const copy = join(await temporaryFolder(), 'copy.sqlite');
    await writeFile(copy, await readFile(join(records.dir, 'records.sqlite')));
    expect(new DatabaseSync(copy).prepare('SELECT text FROM words').all()).toMatchObject([{ text: 'one' }]);
  });

  test('are moved into the database while changes come, and the log starts again', async () => {
    const records = await openWords({ largestLogBytes: 200_000 });
    const text = 'x'.repeat(50_000);
    for (let turn = 0; turn < 40; turn += 1) await addWord(records, text);
    const sizeOf = async (name: string) => (await stat(join(records.dir, name))).size;
    await vi.waitUntil(async () => (await sizeOf('records.sqlite')) > 1_000_000, patience);
    // The log is empty for a moment, before the thread makes its first write.
    const isNewLog = (size: number) => size > 0 && size < 500_000;
    await vi.waitUntil(async () => isNewLog(await sizeOf('records.sqlite-wal')), patience);
    await addWord(records, 'last');
    expect(wordsOf(records)).toHaveLength(41);
  });

  test('of a newer format are refused and left unchanged', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await records.close();
    const file = join(records.dir, 'records.sqlite');
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 2; PRAGMA journal_mode = DELETE');
    newer.close();
    const before = await readFile(file);
    await records.lock.release();
    await expect(openWords({ dir: records.dir })).rejects.toMatchObject({ code: 'storage_newer' });
    expect(await readFile(file)).toEqual(before);
  });
});

test('a line of a backup that is longer than any of Porchlight’s costs only itself', async () => {
  const dir = await temporaryFolder();
  await mkdir(join(dir, 'records'));
  const line = (id: number, text: string) => `${JSON.stringify({ format: 1, id, text })}\n`;
  const lines = [line(1, 'one'), line(2, 'x'.repeat(3_000_000)), 'no JSON\n', line(3, 'three')];
  await writeFile(join(dir, 'records', 'words.jsonl'), lines.join(''));
  expect(await buildRecords(dir, [wordTable], new AbortController().signal)).toEqual([
    expect.stringContaining('2 of the rows of “words”'),
  ]);
  expect(wordsOf(await openWords({ dir }))).toEqual(['one', 'three']);
});

describe('records of a folder that is gone', () => {
  test('are refused, and are accepted again when the folder is back', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await rename(records.dir, `${records.dir}-away`);
    await expect(addWord(records, 'lost')).rejects.toMatchObject({ code: 'storage_gone' });
    expect(() => wordsOf(records)).toThrow(/is gone/);
    await mkdir(records.dir);
    await expect(addWord(records, 'lost')).rejects.toMatchObject({ code: 'storage_gone' });
    await rm(records.dir, { recursive: true });
    await rename(`${records.dir}-away`, records.dir);
    await addWord(records, 'two');
    expect(wordsOf(records)).toEqual(['one', 'two']);
  });

  test('are refused in a copy of the folder, which is left alone', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    await rename(records.dir, `${records.dir}-away`);
    await cp(`${records.dir}-away`, records.dir, { recursive: true });
    const copied = await readFile(join(records.dir, 'records.sqlite-wal'));
    for (const text of ['two', 'three'])
      await expect(addWord(records, text)).rejects.toMatchObject({ code: 'storage_gone' });
    expect(() => wordsOf(records)).toThrow(/is gone/);
    expect(await readFile(join(records.dir, 'records.sqlite-wal'))).toEqual(copied);
  });

  test('are not answered if the folder went away between the commit and the sync', async () => {
    const records = await openWords();
    await addWord(records, 'one');
    const sync = await withSync(() => rename(records.dir, `${records.dir}-away`));
    await expect(addWord(records, 'two')).rejects.toMatchObject({ code: 'storage_gone' });
    sync.mockRestore();
    await rename(`${records.dir}-away`, records.dir);
    await addWord(records, 'three');
    expect(wordsOf(records)).toContain('three');
  });
});
