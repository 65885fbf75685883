import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { windowsProgram } from '../../../src-main/platform/run-program.ts';

test('a program of Windows is started by its full path in the folder of Windows', () => {
  expect(windowsProgram('System32\\taskkill.exe', 'D:\\Win')).toBe('D:\\Win\\System32\\taskkill.exe');
  expect(windowsProgram('explorer.exe', 'C:\\')).toBe('C:\\explorer.exe');
});

test.each([
  undefined,
  '',
  'Windows',
  '.',
  '\\\\server\\share',
  'C:',
  'C:Windows',
  '/',
  'C:\\Users\\..\\x',
  '\\Windows',
])('a folder of Windows that the environment names as %j is not believed', (root) =>
  expect(windowsProgram('explorer.exe', root)).toBe('C:\\Windows\\explorer.exe'),
);

test('no program of Windows is started by a bare name', () => {
  const sources = path.join(import.meta.dirname, '../../../src-main');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const bare =
    /(?<!windowsProgram\()['"](?:explorer|taskkill|tasklist|netstat|icacls|powershell|cmd)(?:\.exe)?['"]/;
  expect(files.filter((file) => bare.test(readFileSync(path.join(sources, file), 'utf8')))).toEqual([]);
});
