import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { filesDeletedHere, keepFilesDeleted, mediaTable } from '../../../src-main/media/media-rows.ts';
import { buildRecords } from '../../../src-main/storage/records/record-lines.ts';
import { month, newMediaStore, streamOf } from '../../support/media-folder.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('a restore does not bring back deleted files', async () => {
  const { dataDir: here, dir, store, records } = await newMediaStore();
  const files = [
    await store.add(streamOf('a'), { name: 'a' }),
    await store.add(streamOf('b'), { name: 'b' }),
  ];
  const there = await temporaryFolder();
  await cp(dir, join(there, 'media'), { recursive: true });
  const lines = await records.lines('backup');
  await lines.begin();
  await lines.write(there);
  lines.end();
  expect(await buildRecords(there, [mediaTable], new AbortController().signal)).toEqual([]);
  await store.delete(files[0]!.path);

  expect(await filesDeletedHere(here, there)).toEqual([{ month, file: files[0]!.path.split('/').at(-1) }]);
  await keepFilesDeleted(here, there);
  expect(await filesDeletedHere(here, there)).toEqual([]);
  await keepFilesDeleted(here, there);

  const restored = await newMediaStore({ dataDir: there });
  expect(await restored.store.list({ limit: 10 })).toEqual({ items: [files[1]] });
  expect(await restored.store.isDeleted(files[0]!.path)).toBe(true);
  expect(await checkMedia(there)).toEqual({ files: 1, problems: [] });
  expect(await readFile(restored.store.fileOf(files[1]!), 'utf8')).toBe('b');
});
