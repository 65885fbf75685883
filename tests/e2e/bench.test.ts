import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limitOf } from '../support/patience.ts';

const program = path.join(import.meta.dirname, '../bench/run.ts');
const tiny =
  '--seconds 0.01 --rounds 1 --posts 120 --mentions 120 --imported 40 --files 120 --rest 0.1'.split(' ');
/** All but the one that installs all packages. */
const groups = ['reading', 'writing', 'starts', 'memory', 'desktop'];

function bench(...args: string[]) {
  // Without a display, the window is not measured, so this test needs no screen of its own.
  const env = { ...process.env, DISPLAY: '' };
  return spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' });
}

const isLinux = process.platform === 'linux';
if (!isLinux) console.log('The test of the benchmark is skipped: it needs /proc, which only Linux has.');

test.skipIf(!isLinux)('the benchmark measures each row', { timeout: limitOf(240_000) }, () => {
  const { status, stdout, stderr } = bench(...groups, ...tiny, '--before', '0'.repeat(40));
  expect(stderr).toBe('');
  expect(status).toBe(0);
  expect(stdout).toContain(`The repository does not have the commit ${'0'.repeat(40)}`);
  expect(stdout.match(/The row .* is not measured: .*/g)).toEqual([
    expect.stringMatching(/^The row window is not measured: there is no /),
    expect.stringMatching(/^The row hidden is not measured: there is no /),
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
    'wakeups at rest',
    'writes at rest',
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
    '/search, a word of all posts',
    '/webmentions?token, per mention',
    'memory after load, over idle',
    'GET /auth, second view',
    'the same, fetches of the app',
    'token exchange',
    'token refresh',
    'whole sign-in',
    'verify, 24 sites',
    'verify, 24 sites, rate',
    'upload, PDF of 2 MB',
    'upload, JPEG of 700 KB',
    'create, 16 at once',
    'create, one at a time',
    'accept a mention, source refuses',
    'accept a mention',
    'WebSub: post to signed delivery',
    'WebSub: post to signed delivery, much data',
    'start that reads all posts: front page',
    'the same, processor time until complete',
    'start, mode 755, 120 files: port open',
    'import',
    'import, peak memory',
    'backup of 120 posts',
    'backup of 120 posts, main thread blocked',
    'backup of 120 posts, peak memory',
    'memory after it, over before',
  ]);
  // The others always have as much data, or their time counts, not how it grows.
  const alone =
    /^import|SIGKILL|^WebSub|^start without|^start that reads|until complete|^start, mode|^backup|^memory after it/;
  expect(titles(growth)).toEqual(titles(main).filter((title) => !alone.test(title ?? '')));
});

test('the benchmark names the rows that there are', () => {
  const { status, stderr } = bench('hoem', '--before', 'none');
  expect(status).toBe(1);
  expect(stderr).toContain('There is no row hoem. Groups: reading, writing, ');
});
