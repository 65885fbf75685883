import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMonthFolder } from '../../../src-main/posts/post-path.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A month's folder with the post `late-dinner` and another file. */
async function monthWith(name: string) {
  const dir = await temporaryFolder();
  for (const file of ['late-dinner.json', name]) await writeFile(join(dir, file), '{}');
  return readMonthFolder(dir);
}

test.each([
  ['Dropbox', 'late-dinner (Ada’s conflicted copy 2026-11-21).json'],
  ['Nextcloud', 'late-dinner (conflicted copy 2026-11-21 101010).json'],
  ['Syncthing', 'late-dinner.sync-conflict-20261121-101010-ABCDEFG.json'],
  ['iCloud', 'late-dinner 2.json'],
  ['Google Drive', 'late-dinner (1).json'],
  ['an older Google Drive', 'late-dinner [Conflict].json'],
  ['OneDrive, of a PC', 'late-dinner-DESKTOP-4F2A.json'],
  ['OneDrive, of a Mac', 'late-dinner-Adas-MacBook-Pro.json'],
  ['Resilio', 'late-dinner_Conflict.json'],
])('a version that %s kept of a post is a conflict, and no post', async (_program, name) => {
  const { documents, conflicts } = await monthWith(name);
  expect([...documents]).toEqual(['late-dinner']);
  expect(conflicts).toEqual([name]);
});

test.each([
  ['another post', 'late-dinner-2.json'],
  ['the version before', 'late-dinner.json.previous'],
  ['an unfinished file', 'late-dinner.json.tmp'],
  ['a file with another name', 'Notes of mine.json'],
  ['a picture', 'late-dinner 2.png'],
])('%s is none', async (_what, name) => {
  expect((await monthWith(name)).conflicts).toEqual([]);
});
