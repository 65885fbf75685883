import { open, readdir, readFile, rename, mkdir, stat, writeFile, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { closed } from '../../../../src-main/contract/shapes.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { lockFolder, type FolderLock } from '../../../../src-main/storage/folder-lock.ts';
import type { RecordsOptions } from '../../../../src-main/storage/records/records-database.ts';
import { openRecords, type Records } from '../../../../src-main/storage/records/records.ts';
import { buildRecords } from '../../../../src-main/storage/records/record-lines.ts';
import { asChecked, recordTable } from '../../../../src-main/storage/records/record-table.ts';
import { DatabaseSync } from '../../../../src-main/storage/sqlite.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { patience } from '../../../support/patience.ts';

const words = recordTable({
  name: 'words',
  row: closed({ id: Type.Integer(), text: Type.String({ maxLength: 100_000 }) }),
  create: 'CREATE TABLE IF NOT EXISTS words (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  format: 1,
  cleaned: asChecked,
});

const isOpen: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of isOpen.splice(0).reverse()) await one.close();
});

async function opened(
  options: Partial<RecordsOptions> = {},
): Promise<Records & { dir: string; lock: FolderLock }> {
  const dir = options.dir ?? join(await temporaryFolder(), 'data');
  const lock = await lockFolder(dir);
  isOpen.push({ close: () => lock.release() });
  const records = await openRecords({
    tables: [words],
    log: silentLog,
    ...options,
    dir,
  });
  isOpen.push(records);
  return { ...records, dir, lock };
}

const add = (records: Records, text: string) =>
  records.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', text));
const texts = (records: Records) => records.rows(({ text }) => text, 'SELECT text FROM words ORDER BY id');

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
  test('are there after a restart', async () => {
    const first = await opened();
    await add(first, 'one');
    await first.close();
    await first.lock.release();
    const second = await opened({ dir: first.dir });
    expect(texts(second)).toEqual(['one']);
  });

  test('of one turn share a transaction, and a refused change undoes no other', async () => {
    const records = await opened();
    const sync = await withSync(() => Promise.resolve());
    const refused = records.write(({ run }) => {
      run('INSERT INTO words (text) VALUES (?)', 'never');
      throw new Error('refused');
    });
    const settled = await Promise.allSettled([add(records, 'one'), refused, add(records, 'two')]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(texts(records)).toEqual(['one', 'two']);
    expect(sync).toHaveBeenCalledTimes(1);
  });

  test('a change that itself refuses something as damaged causes no repair', async () => {
    const records = await opened();
    await add(records, 'one');
    const before = records.openings;
    const refused = records.write(() => {
      throw new PorchlightError('storage_damaged', 'This post may be older than what was saved.', 503);
    });
    await expect(refused).rejects.toMatchObject({ code: 'storage_damaged' });
    await add(records, 'two');
    expect(texts(records)).toEqual(['one', 'two']);
    expect(records.openings).toBe(before);
    expect((await readdir(records.dir)).filter((name) => name.includes('.broken'))).toEqual([]);
  });

  test('that change during a sync are acknowledged after the next one, and share it and a transaction', async () => {
    const records = await opened();
    const release: (() => void)[] = [];
    const sync = await withSync(() => new Promise((resolve) => release.push(resolve)));
    let done = 0;
    const count = () => (done += 1);
    const first = add(records, 'one').then(count);
    await vi.waitUntil(() => sync.mock.calls.length === 1);
    const later = [add(records, 'two').then(count)];
    await nextTurn();
    later.push(add(records, 'three').then(count));
    await nextTurn();
    expect(texts(records)).toEqual(['one']);
    expect(done).toBe(0);
    release.shift()?.();
    await first;
    await vi.waitUntil(() => sync.mock.calls.length === 2);
    expect(texts(records)).toEqual(['one', 'two', 'three']);
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
    const records = await opened();
    const release: (() => void)[] = [];
    const sync = await withSync(() => new Promise((resolve) => release.push(resolve)));
    const long = records.write(({ run }) => {
      run('INSERT INTO words (text) VALUES (?)', 'long');
      for (const began = performance.now(); performance.now() - began < 50;);
    });
    const all = [long, add(records, 'two'), add(records, 'three')];
    await vi.waitUntil(() => texts(records).length > 0);
    expect(texts(records)).toEqual(['long']);
    await vi.waitUntil(() => texts(records).length === 3);
    expect(sync).toHaveBeenCalledTimes(1);
    release.shift()?.();
    await long;
    await vi.waitUntil(() => sync.mock.calls.length === 2);
    release.shift()?.();
    await Promise.all(all);
  });

  test('a change that may wait shares the transaction and the sync of the next one, and comes before it', async () => {
    const records = await opened();
    const sync = await withSync(() => Promise.resolve());
    const patient = records.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', 'patient'), {
      mayWait: true,
    });
    await nextTurn();
    expect(texts(records)).toEqual([]);
    await Promise.all([add(records, 'urgent'), patient]);
    expect(texts(records)).toEqual(['patient', 'urgent']);
    expect(sync).toHaveBeenCalledTimes(1);
  });

  test('a change that may wait is also made if no other comes, and before the records are closed', async () => {
    const first = await opened();
    const write = (text: string) =>
      first.write(({ run }) => run('INSERT INTO words (text) VALUES (?)', text), { mayWait: true });
    await write('alone');
    expect(texts(first)).toEqual(['alone']);
    const last = write('last');
    await first.close();
    await last;
    await first.lock.release();
    expect(texts(await opened({ dir: first.dir }))).toEqual(['alone', 'last']);
  });

  test('records are refused after a failed sync, until everything was written again', async () => {
    const records = await opened();
    const sync = await withSync(() => Promise.resolve());
    sync.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
    await expect(add(records, 'one')).rejects.toMatchObject({ code: 'storage_unwritable' });
    const before = (await stat(join(records.dir, 'records.sqlite'))).size;
    await add(records, 'two');
    expect(texts(records)).toEqual(['one', 'two']);
    // What was refused is in the database itself now.
    expect((await stat(join(records.dir, 'records.sqlite'))).size).toBeGreaterThanOrEqual(before);
    const copy = join(await temporaryFolder(), 'copy.sqlite');
    await writeFile(copy, await readFile(join(records.dir, 'records.sqlite')));
    expect(new DatabaseSync(copy).prepare('SELECT text FROM words').all()).toMatchObject([{ text: 'one' }]);
  });

  test('are moved into the database while changes come, and the log starts anew', async () => {
    const records = await opened({ largestLogBytes: 200_000 });
    const text = 'x'.repeat(50_000);
    for (let turn = 0; turn < 40; turn += 1) await add(records, text);
    const sizeOf = async (name: string) => (await stat(join(records.dir, name))).size;
    await vi.waitUntil(async () => (await sizeOf('records.sqlite')) > 1_000_000, patience);
    // The log is empty for a moment, before the thread makes its first write.
    const isNewLog = (size: number) => size > 0 && size < 500_000;
    await vi.waitUntil(async () => isNewLog(await sizeOf('records.sqlite-wal')), patience);
    await add(records, 'last');
    expect(texts(records)).toHaveLength(41);
  });

  test('of a newer format are refused and left unchanged', async () => {
    const records = await opened();
    await add(records, 'one');
    await records.close();
    const file = join(records.dir, 'records.sqlite');
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 2; PRAGMA journal_mode = DELETE');
    newer.close();
    const before = await readFile(file);
    await records.lock.release();
    await expect(opened({ dir: records.dir })).rejects.toMatchObject({ code: 'storage_newer' });
    expect(await readFile(file)).toEqual(before);
  });
});

test('a line of a backup that is longer than any of Porchlight’s costs only itself', async () => {
  const dir = await temporaryFolder();
  await mkdir(join(dir, 'records'));
  const line = (id: number, text: string) => `${JSON.stringify({ format: 1, id, text })}\n`;
  const lines = [line(1, 'one'), line(2, 'x'.repeat(3_000_000)), 'no JSON\n', line(3, 'three')];
  await writeFile(join(dir, 'records', 'words.jsonl'), lines.join(''));
  expect(await buildRecords(dir, [words], new AbortController().signal)).toEqual([
    expect.stringContaining('2 of the rows of “words”'),
  ]);
  expect(texts(await opened({ dir }))).toEqual(['one', 'three']);
});

describe('records of a folder that is gone', () => {
  test('are refused, and are there again when the folder is back', async () => {
    const records = await opened();
    await add(records, 'one');
    await rename(records.dir, `${records.dir}-away`);
    await expect(add(records, 'lost')).rejects.toMatchObject({ code: 'storage_gone' });
    expect(() => texts(records)).toThrow(/is gone/);
    await mkdir(records.dir);
    await expect(add(records, 'lost')).rejects.toMatchObject({ code: 'storage_gone' });
    await rm(records.dir, { recursive: true });
    await rename(`${records.dir}-away`, records.dir);
    await add(records, 'two');
    expect(texts(records)).toEqual(['one', 'two']);
  });

  test('are refused in a copy of the folder, which is left alone', async () => {
    const records = await opened();
    await add(records, 'one');
    await rename(records.dir, `${records.dir}-away`);
    await cp(`${records.dir}-away`, records.dir, { recursive: true });
    const copied = await readFile(join(records.dir, 'records.sqlite-wal'));
    for (const text of ['two', 'three'])
      await expect(add(records, text)).rejects.toMatchObject({ code: 'storage_gone' });
    expect(() => texts(records)).toThrow(/is gone/);
    expect(await readFile(join(records.dir, 'records.sqlite-wal'))).toEqual(copied);
  });

  test('are not answered if the folder went away between the commit and the sync', async () => {
    const records = await opened();
    await add(records, 'one');
    const sync = await withSync(() => rename(records.dir, `${records.dir}-away`));
    await expect(add(records, 'two')).rejects.toMatchObject({ code: 'storage_gone' });
    sync.mockRestore();
    await rename(`${records.dir}-away`, records.dir);
    await add(records, 'three');
    expect(texts(records)).toContain('three');
  });
});
