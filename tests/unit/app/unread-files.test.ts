import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { unreadNames, unreadWords } from '../../../src-main/app/unread-files.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

async function folderWith(files: Readonly<Record<string, unknown>>): Promise<string> {
  const dataDir = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dataDir, name)), { recursive: true });
    await writeFile(
      path.join(dataDir, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  return dataDir;
}
const wordsOf = async (dataDir: string) => unreadWords(dataDir, await unreadNames(dataDir));

test('files of this version are no files of an earlier one', async () => {
  const dataDir = await folderWith({ 'settings.json': {}, 'posts/2026/11/tea.json': {} });
  expect(await unreadNames(dataDir)).toEqual([]);
});

test('what files of an earlier version had is counted, and the consequences are said', async () => {
  const grant = (revokedAt: number | null) => ({ id: 'a', revokedAt });
  const dataDir = await folderWith({
    'mentions/2026/a.json': { format: 1, mentions: [{}, {}] },
    'mentions/2026/b.json': { format: 1, mentions: [{}] },
    'grants.json': { format: 1, grants: [grant(null), grant(1), grant(null)] },
    'webmentions/blocked.json': { format: 1, domains: ['spam.example'] },
    'media/2026/10/index.jsonl': '',
    'media/2026/11/index.jsonl': '',
  });
  expect(await wordsOf(dataDir)).toBe(
    '3 mentions, 2 apps and 1 blocked site of an earlier version aren’t read. Sign in to your apps again. Block sites again that you still want to block. Porchlight leaves these files as they are: mentions, grants.json, webmentions/blocked.json, media/*/*/index.jsonl.',
  );
});

test('one thing is one, and files that can’t be read or counted are named', async () => {
  const one = await folderWith({ 'mentions/a.json': { mentions: [{}] } });
  expect(await wordsOf(one)).toBe(
    '1 mention of an earlier version isn’t read. Porchlight leaves these files as they are: mentions.',
  );
  const damaged = await folderWith({ 'grants.json': '{', lock: '' });
  expect(await wordsOf(damaged)).toBe(
    'Some files of an earlier version aren’t read. Porchlight leaves these files as they are: grants.json, lock.',
  );
});
