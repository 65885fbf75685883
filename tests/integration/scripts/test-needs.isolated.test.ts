import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { browserTests } from '../../../scripts/test-needs.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const needs = pathToFileURL(path.join(import.meta.dirname, '../../../scripts/test-needs.ts')).href;

/** A folder with stand-ins for Debian's programs, each of which writes down its arguments. */
async function debian() {
  const folder = await temporaryFolder();
  const calls = path.join(folder, 'calls');
  await writeFile(calls, '');
  const script = `#!/bin/sh\necho "\${0##*/} $1" >> '${calls}'\n`;
  for (const name of ['apt-get', 'apt-cache', 'dpkg-query'])
    await writeFile(path.join(folder, name), script, { mode: 0o755 });
  return {
    folder,
    calls: async () => [...new Set((await readFile(calls, 'utf8')).split('\n').filter(Boolean))],
  };
}

/** Looks for what tests need on a computer that has nothing but these programs. */
async function findNeeds(folder: string, installs: boolean, env: Record<string, string> = {}) {
  const program = `
    import { provideTestNeeds } from ${JSON.stringify(needs)};
    console.log(JSON.stringify(await provideTestNeeds(${installs})));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder, ...env },
  });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { hasBrowser: boolean };
}

test.skipIf(process.getuid?.() !== 0)('packages are installed only when asked', async () => {
  const { folder, calls } = await debian();
  expect(await findNeeds(folder, false)).toEqual({ hasBrowser: false });
  expect(await calls()).toEqual([]);
  const chromium = { PORCHLIGHT_CHROMIUM: '/usr/bin/chromium' };
  expect(await findNeeds(folder, true, chromium)).toEqual({ hasBrowser: true });
  expect(await calls()).toEqual(
    expect.arrayContaining(['dpkg-query -W', 'apt-get update', 'apt-get install']),
  );
});

test('the files that need a browser are known', () => {
  const files = browserTests();
  expect(files).toEqual(
    expect.arrayContaining(['tests/e2e/demo.test.ts', 'tests/e2e/quick/sign-in.test.ts']),
  );
  expect(files).not.toContain('tests/e2e/check.test.ts');
});
