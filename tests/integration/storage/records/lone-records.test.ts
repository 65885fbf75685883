import { mkdir, readdir, readFile, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildRecords } from '../../../../src-main/storage/records/record-lines.ts';
import { rowsIn } from '../../../../src-main/storage/records/closed-records.ts';
import { patience } from '../../../support/patience.ts';
import { startPorchlight } from '../../../support/porchlight.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { addWord, closeWords, openWords, wordsOf, wordTable } from '../../../support/word-records.ts';

afterEach(closeWords);

/** A data folder in which SQLite can't create the file of its shared memory, as on some network drives. */
async function folderWithoutSharedMemory(): Promise<string> {
  const dir = join(await temporaryFolder(), 'data');
  await mkdir(dir);
  // A link that leads to itself can't be opened.
  await symlink('records.sqlite-shm', join(dir, 'records.sqlite-shm'));
  return dir;
}

describe('on a disk without shared memory, the database', () => {
  test('accepts changes, which survive a restart', async () => {
    const dir = await folderWithoutSharedMemory();
    const records = await openWords({ dir });
    await addWord(records, 'one');
    expect(await rowsIn(dir, wordTable)).toMatchObject([{ text: 'one' }]);
    await addWord(records, 'two');
    await closeWords();
    expect(await readdir(dir)).not.toContain('records.sqlite-wal');
    const again = await openWords({ dir });
    expect(wordsOf(again)).toEqual(['one', 'two']);
    await addWord(again, 'three');
    expect(wordsOf(again)).toEqual(['one', 'two', 'three']);
  });

  test('has a write-ahead log that doesn’t grow without end', async () => {
    const dir = await folderWithoutSharedMemory();
    const records = await openWords({ dir, largestLogBytes: 200_000 });
    for (let turn = 0; turn < 40; turn += 1) await addWord(records, 'x'.repeat(50_000));
    const sizeOf = async (name: string) => (await stat(join(dir, name))).size;
    await vi.waitUntil(async () => (await sizeOf('records.sqlite')) > 1_000_000, patience);
    await vi.waitUntil(async () => (await sizeOf('records.sqlite-wal')) < 500_000, patience);
    await addWord(records, 'last');
    expect(wordsOf(records)).toHaveLength(41);
  });

  test('a backup contains its state at the beginning of the backup', async () => {
    const dir = await folderWithoutSharedMemory();
    const records = await openWords({ dir });
    await addWord(records, 'before');
    const lines = await records.lines('backup');
    await lines.begin();
    const late = addWord(records, 'after');
    const there = await temporaryFolder();
    await lines.write(there);
    lines.end();
    await late;
    expect(wordsOf(records)).toEqual(['before', 'after']);
    expect(await readFile(join(there, 'records', 'words.jsonl'), 'utf8')).not.toContain('after');
    expect(await buildRecords(there, [wordTable], new AbortController().signal)).toEqual([]);
    expect(await rowsIn(there, wordTable)).toMatchObject([{ text: 'before' }]);
  });
});

test('a server whose disk has no shared memory works, and the status says that it makes no daily copies', async () => {
  const dataDir = await folderWithoutSharedMemory();
  const server = await startPorchlight({ dataDir });
  onTestFinished(() => server.stop());
  const { url } = await server.call('posts.create', {
    content: 'A note',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });
  await server.call('webmentions.blockDomain', { domain: 'noise.example' });
  expect((await fetch(url)).status).toBe(200);
  await vi.waitFor(async () => {
    const { problems } = await server.call('status.get', {});
    expect(problems).toMatchObject([
      { code: 'snapshot_failed', message: expect.stringContaining('such as a network drive') as string },
    ]);
  }, patience);
  const file = join(await temporaryFolder(), 'backup.zip');
  expect((await server.call('data.backup', { path: file })).problems).toEqual([]);
  await server.stop();

  const again = await startPorchlight({ dataDir });
  onTestFinished(() => again.stop());
  expect(await again.call('webmentions.blockedDomains', {})).toEqual(['noise.example']);
  expect((await again.call('posts.list', {})).items).toHaveLength(1);
});
