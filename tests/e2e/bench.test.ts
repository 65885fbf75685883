import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const program = path.join(import.meta.dirname, '../bench/run.ts');
const tiny = '--seconds 0.01 --rounds 1 --posts 120 --mentions 120 --imported 40 --rest 0.1'.split(' ');

function bench(...args: string[]) {
  // Without a display, the window is not measured, so this test needs no screen of its own.
  const env = { ...process.env, DISPLAY: '' };
  return spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
}

const isLinux = process.platform === 'linux';
if (!isLinux) console.log('The test of the benchmark is skipped: it needs /proc, which only Linux has.');

test.skipIf(!isLinux)('the benchmark measures each row', { timeout: 240_000 }, () => {
  const { status, stdout, stderr } = bench(...tiny, '--before', '0'.repeat(40));
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toContain(`The repository does not have the commit ${'0'.repeat(40)}`);
  expect(stdout.match(/The row .* is not measured: .*/g)).toEqual([
    expect.stringMatching(/^The row window is not measured: there is no /),
  ]);
  const [main = '', growth = ''] = stdout.split('\n\n').slice(2);
  const titles = (table: string) =>
    table
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/)[0]);
  expect(titles(main)).toEqual([
    'start to first response',
    'the same after SIGKILL, much data',
    'lists after SIGKILL, much data',
    'idle memory',
    'metadata',
    'introspection',
    'home, 20 posts',
    'post page, 20 responses',
    'Atom, RSS, JSON Feed',
    'q=config',
    'q=source, 20 posts',
    '/api/mentions.jf2?target, 20',
    '/categories/nope',
    '/sitemap.xml',
    '/webmentions?token, per mention',
    'memory after load, over idle',
    'upload of 2 MB',
    'verify, 24 sites',
    'verify, 24 sites, rate',
    'create',
    'accept a mention, source refuses',
    'accept a mention',
    'WebSub: post to signed delivery',
    'WebSub: post to signed delivery, much data',
    'import',
    'import, peak memory',
  ]);
  // An import always starts with an empty folder, and a start after SIGKILL always has much data. For WebSub, the time
  // counts, not how it grows.
  const growing = titles(main).filter((title) => !/^import|SIGKILL|^WebSub/.test(title ?? ''));
  expect(titles(growth)).toEqual(growing);
});

test('the benchmark names the rows that there are', () => {
  const { status, stderr } = bench('hoem', '--before', 'none');
  expect(status).toBe(1);
  expect(stderr).toContain('There is no row hoem. Rows: start, idle, ');
});
