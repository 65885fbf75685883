// Starts a packed Porchlight as its owner does, signs in to it once, and ends it:
//   node tests/e2e/try-package.ts PROGRAM [ARGUMENT ...]
// Used by the release workflow on each system. The owner approves with the porchlight command of the same program.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, promisify } from 'node:util';
import { matchCodeOf, openBrowser } from '../support/browser.ts';
import { openSite, pkcePair } from '../support/client-app.ts';

const { values, positionals } = parseArgs({
  options: { data: { type: 'string' }, keep: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [program, ...own] = positionals;
if (program === undefined)
  throw new Error('Name the program: node tests/e2e/try-package.ts [--data DIR] [--keep] PROGRAM');
const data = values.data ?? (await mkdtemp(join(tmpdir(), 'porchlight-packed-')));

try {
  await tryPackage(program, own, data);
} finally {
  if (!values.keep) await rm(data, { recursive: true, force: true });
}

async function tryPackage(name: string, given: readonly string[], dataDir: string): Promise<void> {
  const start = performance.now();
  const since = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  const me = 'http://127.0.0.1:9/';
  const flags = [
    '--port',
    '0',
    '--json',
    '--no-open',
    '--secrets',
    'file',
    '--allow-private-fetch',
    '--me',
    me,
  ];
  const child = spawn(name, [...given, '--data', dataDir, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const line = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then((code) => Promise.reject(new Error(`The program ended with ${code} before it was ready.`))),
  ])) as [string];
  const { baseUrl } = JSON.parse(line[0]) as { baseUrl: string };
  console.log(`ready after ${since()} at ${baseUrl}`);

  const command = async (...words: string[]) =>
    (await promisify(execFile)(name, [...given, ...words, '--data', dataDir])).stdout;
  const { version, problems } = JSON.parse(await command('status', '--json')) as {
    version: string;
    problems: { code: string }[];
  };
  console.log(`version ${version}; problems: ${problems.map(({ code }) => code).join(', ') || 'none'}`);
  await signInOnce(baseUrl, (code) => command('approve', code, '--yes'));
  console.log(`signed in after ${since()}`);

  if (process.platform === 'win32') child.kill();
  else child.kill('SIGTERM');
  const code = await ended;
  // A program that only starts another one, such as xvfb-run, ends by the signal itself.
  if (code !== 0 && code !== null && process.platform !== 'win32')
    throw new Error(`The program ended with ${code}.`);
  if (!(await readdir(dataDir)).includes('records.sqlite')) throw new Error('The data is not there.');
  console.log(`ended after ${since()}; the data is in ${dataDir}`);
}

async function signInOnce(base: string, approve: (code: string) => Promise<unknown>): Promise<void> {
  const client = await openSite();
  try {
    const { verifier, challenge } = pkcePair();
    const asked = { client_id: `${client.origin}/`, redirect_uri: `${client.origin}/callback` };
    const address = new URL('/auth', base);
    address.search = new URLSearchParams({
      ...asked,
      response_type: 'code',
      state: 'a-state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'profile create',
    }).toString();
    const browser = openBrowser(base);
    const pressed = await browser.press(await (await browser.open(address.href)).text());
    const waiting = pressed.headers.get('location') ?? '';
    await approve(matchCodeOf(await (await browser.open(waiting)).text()));
    const back = await browser.open(waiting);
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const answer = await fetch(new URL('/token', base), {
      method: 'POST',
      body: new URLSearchParams({
        ...asked,
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
      }),
    });
    if (answer.status !== 200) throw new Error(`/token answered ${answer.status}: ${await answer.text()}`);
  } finally {
    await client.close();
  }
}
