import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holderOfPort, programName } from '../../../src-main/platform/port-holder.ts';

const listen =
  "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port));";

/** Starts a program of Node that listens, and returns its port. */
async function listening(files: Record<string, string>, args: string[]): Promise<number> {
  const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-holder-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(dir, name)), { recursive: true });
    await writeFile(path.join(dir, name), text);
  }
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: dir,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await rm(dir, { recursive: true });
  });
  const [data] = (await once(child.stdout!, 'data')) as [Buffer];
  return Number(data.toString());
}

test('a program of Node is named with its script, and nothing else of its command line', async ({ skip }) => {
  if (process.platform !== 'linux') skip('the name is asked of /proc here');
  const port = await listening({ 'app/server.js': listen }, ['app/server.js', '--token', 'a-secret']);
  expect(await holderOfPort(port)).toBe('node (server.js)');
});

test('code on the command line is not told: it may hold secrets', async ({ skip }) => {
  if (process.platform !== 'linux') skip('the name is asked of /proc here');
  const port = await listening({}, ['-e', `const secret = 'a-secret.js';${listen}`]);
  expect(await holderOfPort(port)).toBe('node');
});

test('another Porchlight is called that', async ({ skip }) => {
  if (process.platform !== 'linux') skip('the name is asked of /proc here');
  const files = { 'package.json': '{"name":"porchlight"}', 'out/main/headless.js': listen };
  const port = await listening(files, ['out/main/headless.js']);
  expect(await holderOfPort(port)).toMatch(/^another Porchlight \(process \d+\)$/);
});

test.each([
  [['/usr/bin/node', '/srv/app/index.mjs', '--key=x'], 'node (index.mjs)'],
  [['/usr/local/bin/node', '--inspect', '--max-old-space-size=100', 'dist/main.cjs'], 'node (main.cjs)'],
  [['node', '--require', 'hooks.cjs', '-C', 'development', 'dist/workers/forks.js', 'x'], 'node (forks.js)'],
  [['node', '-e', 'code', 'secret.js'], 'node'],
  [['node'], 'node'],
  [['node', '-e', 'fetch("https://x/?token=secret")'], 'node'],
  [['/usr/bin/python3.12', '-m', 'http.server'], 'python3.12'],
  [['/usr/bin/python3', 'serve.py', 'password'], 'python3 (serve.py)'],
  [['nginx: master process /usr/sbin/nginx -g daemon off;'], 'nginx'],
  [['/usr/sbin/httpd', '-D', 'FOREGROUND'], 'httpd'],
  [['/opt/Porchlight/porchlight', '--data', '/home/me'], 'porchlight'],
  [['C:\\Programs\\thing.exe', '-x'], 'thing.exe'],
  [['/usr/bin/x\u001b[31m\u202e\n'], 'x[31m'],
  [[''], undefined],
  [[], undefined],
])('%j is named %s', (command, name) => {
  expect(programName(command)).toBe(name);
});
