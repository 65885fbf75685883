import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openFolderFiles } from '../../../src-main/platform/folder-files.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const bytes = (text: string) => Buffer.from(text);

test('a file is written, replaced and deleted, with the folders that were made for it', async () => {
  const dir = await temporaryFolder();
  const files = openFolderFiles(dir);
  await mkdir(path.join(dir, 'content'));
  expect(await files.write('content/2026/11/one.md', bytes('One'), null)).toEqual([
    'content/2026',
    'content/2026/11',
  ]);
  const place = path.join(dir, 'content/2026/11/one.md');
  await chmod(place, 0o640);
  expect(await files.write('content/2026/11/one.md', bytes('Two'), sha256('One'))).toEqual([]);
  expect(await readFile(place, 'utf8')).toBe('Two');
  expect((await stat(place)).mode & 0o777).toBe(0o640);
  expect(await files.read('content/2026/11/one.md')).toEqual(bytes('Two'));
  expect(await readdir(path.dirname(place))).toEqual(['one.md']);
  await files.write('content/2026/11/one.md', null, sha256('Two'));
  await files.removeEmpty(['content/2026', 'content/2026/11']);
  expect(await readdir(path.join(dir, 'content'))).toEqual([]);
  expect(await files.read('content/2026/11/one.md')).toBeNull();
});

test('a temporary file that a killed process left is removed, and no other file', async () => {
  const dir = await temporaryFolder();
  const kept = ['.porchlight-notes.tmp', '.porchlight-0123456789ab.tmp.md', 'porchlight-0123456789ab.tmp'];
  for (const name of [...kept, '.porchlight-0123456789ab.tmp']) await writeFile(path.join(dir, name), '');
  await openFolderFiles(dir).write('one.md', bytes('One'), null);
  expect((await readdir(dir)).sort()).toEqual([...kept, 'one.md'].sort());
});

test('writes to one folder at the same time don’t disturb each other', async () => {
  const dir = await temporaryFolder();
  const names = Array.from({ length: 30 }, (_, index) => `${index}.md`);
  await Promise.all(names.map((name) => openFolderFiles(dir).write(name, bytes(name), null)));
  expect((await readdir(dir)).sort()).toEqual([...names].sort());
});

test('a file is not replaced if its content isn’t the expected one', async () => {
  const dir = await temporaryFolder();
  const files = openFolderFiles(dir);
  await writeFile(path.join(dir, 'a.md'), 'Mine');
  await expect(files.write('a.md', bytes('Two'), null)).rejects.toMatchObject({ kind: 'conflict' });
  await expect(files.write('a.md', bytes('Two'), sha256('One'))).rejects.toMatchObject({ kind: 'conflict' });
  await expect(files.write('a.md', null, sha256('One'))).rejects.toMatchObject({ kind: 'conflict' });
  await expect(files.write('b.md', bytes('Two'), sha256('One'))).rejects.toMatchObject({ kind: 'conflict' });
  // The same write again, after a kill: the file is there already.
  await files.write('a.md', bytes('Mine'), null);
  expect(await readFile(path.join(dir, 'a.md'), 'utf8')).toBe('Mine');
});

test('no file is written outside the folder, through a symlink, or into git’s own files', async () => {
  const dir = await temporaryFolder();
  const outside = await temporaryFolder();
  await symlink(outside, path.join(dir, 'link'));
  await symlink(path.join(outside, 'victim'), path.join(dir, 'file.md'));
  await writeFile(path.join(dir, 'plain'), '');
  const files = openFolderFiles(dir);
  const outsideOrGit = [
    '../a',
    '/a',
    'a/../../b',
    '.git/config',
    'x/.GIT/hooks/a',
    'a\\b',
    'a\0b',
    '',
    'a//b',
    '.. /a',
    'git~1/config',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200Cit/config',
  ];
  for (const name of outsideOrGit)
    await expect(files.write(name, bytes('x'), null), name).rejects.toMatchObject({ kind: 'invalid_name' });
  for (const name of ['link/a', 'file.md', 'plain/a'])
    await expect(files.write(name, bytes('x'), null), name).rejects.toMatchObject({ kind: 'conflict' });
  expect(await readdir(outside)).toEqual([]);
});

test('a name that differs only by case or by how accents are written is refused', async () => {
  const dir = await temporaryFolder();
  const files = openFolderFiles(dir);
  await files.write('Posts/Über.md', bytes('x'), null);
  for (const name of ['posts/a.md', 'Posts/über.md', `Posts/${'Über'.normalize('NFD')}.md`])
    await expect(files.write(name, bytes('x'), null), name).rejects.toMatchObject({ kind: 'conflict' });
});

test('a folder that is missing is reported, and not made', async () => {
  const dir = path.join(await temporaryFolder(), 'disk');
  await expect(openFolderFiles(dir).write('a.md', bytes('x'), null)).rejects.toMatchObject({
    kind: 'missing',
  });
  await mkdir(dir);
  const files = openFolderFiles(dir);
  await files.write('a.md', bytes('x'), null);
  await rm(dir, { recursive: true });
  await expect(files.read('a.md')).rejects.toMatchObject({ kind: 'missing' });
});

test('a folder that can’t be written to, or that is on a full disk, is reported, and works again afterwards', async (context) => {
  const disk = await mountSmallDisk(context, '200k');
  try {
    const files = openFolderFiles(disk.dir);
    await disk.setWritable(false);
    await expect(files.write('a.md', bytes('x'), null)).rejects.toMatchObject({ kind: 'read_only' });
    await disk.setWritable(true);
    await disk.fill();
    await expect(files.write('a.md', bytes('x'), null)).rejects.toMatchObject({ kind: 'full' });
    await disk.free();
    await files.write('a.md', bytes('x'), null);
    expect(await readdir(disk.dir)).toEqual(['a.md']);
  } finally {
    await disk.remove();
  }
});
