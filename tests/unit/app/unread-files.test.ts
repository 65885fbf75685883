import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { unreadFilesLine } from '../../../src-main/app/check.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

test('files that only earlier versions wrote are named in one line', async () => {
  const dataDir = await temporaryFolder();
  await mkdir(path.join(dataDir, 'posts'));
  await writeFile(path.join(dataDir, 'settings.json'), '{}');
  expect(await unreadFilesLine(dataDir)).toBeUndefined();

  await mkdir(path.join(dataDir, 'mentions/2026'), { recursive: true });
  await writeFile(path.join(dataDir, 'grants.json'), '{}');
  for (const month of ['2026/10', '2026/11']) {
    await mkdir(path.join(dataDir, 'media', month), { recursive: true });
    await writeFile(path.join(dataDir, 'media', month, 'index.jsonl'), '');
  }
  expect(await unreadFilesLine(dataDir)).toBe(
    'An earlier version wrote these files, which Porchlight doesn’t read any more and leaves untouched: grants.json, mentions, media/*/*/index.jsonl.',
  );
});
