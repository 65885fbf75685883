import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { keepProfile } from '../../../src-main/desktop/profile.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const setPath = vi.hoisted(() => vi.fn());
vi.mock('electron', () => ({ app: { setPath } }));
beforeEach(() => void setPath.mockClear());

const plain = { check: false, help: false, version: false };

test('browser data is in the folder of --data, which is created if it is missing', async () => {
  const home = await temporaryFolder();
  const dataDir = join(home, 'new', 'data');
  expect(keepProfile({ ...plain, dataDir })).toBeUndefined();
  const folder = join(dataDir, 'electron');
  expect(setPath.mock.calls).toEqual([
    ['userData', folder],
    ['sessionData', folder],
  ]);
  expect(await readdir(dataDir)).toEqual(['electron']);
});

test.each([{ check: true }, { help: true }, { version: true }])('%j makes no folder', async (asked) => {
  const home = await temporaryFolder();
  expect(keepProfile({ ...plain, ...asked, dataDir: join(home, 'data') })).toBeUndefined();
  expect(await readdir(home)).toEqual([]);
  expect(setPath).not.toHaveBeenCalled();
});

test('a command that reads an existing folder leaves the usual profile alone', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  await mkdir(dataDir);
  keepProfile({ ...plain, check: true, dataDir });
  expect(setPath).toHaveBeenCalledWith('sessionData', join(dataDir, 'electron'));
});

test('a folder that cannot be created is reported, and no path is changed', async () => {
  const file = join(await temporaryFolder(), 'file');
  await writeFile(file, 'a letter');
  expect(keepProfile({ ...plain, dataDir: file })).toMatchObject({ code: 'storage_unwritable' });
  expect(setPath).not.toHaveBeenCalled();
  expect(keepProfile(plain)).toBeUndefined();
});
