import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../../../src-main/desktop/make-folder.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'porchlight-folder-'));
});
afterEach(() => rmSync(place, { recursive: true }));

test('a folder is made with those above it, for this user only; one that is there stays', () => {
  const folder = join(place, 'a', 'b', 'c');
  makeFolder(folder);
  writeFileSync(join(folder, 'kept'), '');
  makeFolder(folder);
  expect(statSync(join(folder, 'kept')).isFile()).toBe(true);
  if (process.platform === 'win32') return;
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(join(place, 'a')).mode & 0o777).toBe(0o700);
});

test('a file in its place, or above it, is an error', () => {
  const file = join(place, 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow(/ENOTDIR|ENOENT/);
});

test.skipIf(process.platform !== 'linux')('where there can be no folder, the system’s word ends it', () => {
  expect(() => makeFolder('/proc/porchlight/electron')).toThrow('ENOENT');
});
