import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Post } from '../../../../src-main/contract/posts.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { openOwnerFolder } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';
import { postOf } from '../../../support/site.ts';
import { noFolder } from '../../../support/window-folder-handlers.ts';

async function openFolder() {
  const path = await temporaryFolder();
  await mkdir(join(path, 'notes'));
  await writeFile(join(path, 'notes/Fog.html'), 'Mine');
  const settings = () => ({
    ...noFolder,
    path,
    baseUrl: 'https://me.example/',
    postFile: 'notes/{slug}.md',
    postUrl: '{yyyy}/{slug}/',
    commit: false,
    push: false,
  });
  const options = { settings, ownerName: () => '', log: silentLog, now: () => 0 };
  return openOwnerFolder({ ...options, signal: new AbortController().signal });
}

const at = (path: string, year: string): Post =>
  postOf({ content: ['x'], published: [`${year}-05-01T10:00:00Z`] }, { path });

test('two posts never get one file, even if their URLs differ and neither file is there yet', async () => {
  const folder = await openFolder();
  const first = await folder.homeFor(at('/posts/2025/05/tea', '2025'), () => true);
  const second = await folder.homeFor(at('/posts/2026/05/tea', '2026'), () => true);
  expect([first.file, second.file]).toEqual(['notes/tea.md', 'notes/tea-2.md']);
  expect((await folder.homeFor(at('/posts/2025/05/tea', '2025'), () => true)).file).toBe('notes/tea.md');
});

test('no post gets a name of the owner’s files, whatever its case or extension', async () => {
  const folder = await openFolder();
  expect((await folder.homeFor(at('/posts/2026/05/fog', '2026'), () => true)).file).toBe('notes/fog-2.md');
});
