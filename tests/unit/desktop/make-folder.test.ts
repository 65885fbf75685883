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

test('a folder is made with its parents, for this user only; an existing one stays', () => {
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

test.skipIf(process.platform !== 'linux')('if no folder can be made, the error is the system’s', () => {
  expect(() => makeFolder('/proc/porchlight/electron')).toThrow('ENOENT');
});
