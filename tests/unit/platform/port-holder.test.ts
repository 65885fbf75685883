import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holderOfPort } from '../../../src-main/platform/port-holder.ts';

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

test('a program is named, and nothing of its arguments: they may hold secrets', async ({ skip }) => {
  if (process.platform !== 'linux') skip('the name is asked of /proc here');
  const file = await listening({ 'app/server.js': listen }, ['app/server.js', '--token', 'a-secret']);
  expect(await holderOfPort(file)).toBe('node');
  const code = await listening({}, ['-e', `const secret = 'a-secret.js';${listen}`]);
  expect(await holderOfPort(code)).toBe('node');
});

test('a program that replaces its command line with a status keeps its name, without control characters', async ({
  skip,
}) => {
  if (process.platform !== 'linux') skip('the name is asked of /proc here');
  const status = `process.title = 'ng\\u001b\\u202einx: master process /usr/sbin/nginx -g daemon off;';${listen}`;
  expect(await holderOfPort(await listening({}, ['-e', status]))).toBe('nginx');
});
