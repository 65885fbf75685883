import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { headlessEnvironment } from '../../scripts/launch.ts';
import { limitOf, patience } from '../support/patience.ts';
import { headlessArguments, type Ready } from '../support/headless-process.ts';

const program = path.join(import.meta.dirname, '../../out/main/headless.js');
const lostLines = /(\d+) lines of the log are missing here/;

let folder: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'porchlight-stuck-log-'));
});

afterEach(async () => {
  if (child && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
});

/** Runs the built program by a shell, which writes down its process number and may redirect. */
function run(redirect: string, wrap: (script: string) => [string, ...string[]]): ChildProcess {
  const usual = headlessArguments(path.join(folder, 'data'));
  const words = [process.execPath, program, ...usual, '--me', 'https://owner.example/'];
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const [command, ...args] = wrap(`echo $$ > '${folder}/pid'; exec ${quoted} ${redirect}`);
  child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: headlessEnvironment() });
  return child;
}

async function readyLine(stdout: Readable): Promise<Ready> {
  const lines = createInterface({ input: stdout });
  for await (const line of lines) if (line.includes('"ownerKey"')) return JSON.parse(line) as Ready;
  throw new Error('The program ended before it was ready.');
}

/**
 * Has more written to the log than a pipe or socket and the program hold, or so many entries: the page of each app can't
 * be read, which is a line of about 2 KB.
 */
async function failOften(baseUrl: string, times = 400): Promise<void> {
  const numbers = Array.from({ length: times }, (_, number) => number);
  const fail = async () => {
    for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
      const app = `https://app-${randomUUID()}.invalid/${'x'.repeat(1500)}/`;
      const asked = new URLSearchParams({
        response_type: 'code',
        client_id: app,
        redirect_uri: `${app}back`,
        state: 'x',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'S256',
      });
      const response = await fetch(`${baseUrl}/auth?${asked.toString()}`, {
        // Another visitor each time: a visitor may look up few apps.
        headers: { 'cf-connecting-ip': `198.51.${Math.floor(number / 250)}.${1 + (number % 250)}` },
        signal: AbortSignal.timeout(limitOf(10_000)),
      });
      expect([200, 400]).toContain(response.status);
      await response.arrayBuffer();
    }
  };
  await Promise.all([1, 2, 3, 4].map(fail));
}

/** Ends the program with SIGTERM. Returns how long that took, in ms. */
async function terminate(): Promise<number> {
  const pid = Number(readFileSync(path.join(folder, 'pid'), 'utf8'));
  const startedAt = performance.now();
  process.kill(pid, 'SIGTERM');
  await expect.poll(() => isAlive(pid), patience).toBe(false);
  return performance.now() - startedAt;
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const hasScript = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();
if (!hasScript) process.stdout.write('stuck-log: skipped on a terminal, because `script` is missing.\n');

describe.skipIf(process.platform !== 'linux')('a log that nobody reads', { timeout: 300_000 }, () => {
  test('a socket whose reader stopped: the server answers, and ends on SIGTERM', async () => {
    const { stdout, stderr } = run('', (script) => ['sh', '-c', script]);
    stderr?.pause();
    const { baseUrl } = await readyLine(stdout!);
    await failOften(baseUrl);
    expect(await terminate()).toBeLessThan(limitOf(5000));
  });

  test('a pipe whose reader stopped: lines are dropped, and counted when it reads again', async () => {
    const fifo = path.join(folder, 'log');
    execFileSync('mkfifo', [fifo]);
    // Held open, so that the program finds a reader that never reads.
    const held = openSync(fifo, 'r+');
    let reader: ChildProcess | undefined;
    try {
      const { stdout } = run(`2>'${fifo}'`, (script) => ['sh', '-c', script]);
      const { baseUrl } = await readyLine(stdout!);
      await failOften(baseUrl);
      let log = '';
      reader = spawn('cat', [fifo], { stdio: ['ignore', 'pipe', 'ignore'] });
      reader.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
      await expect.poll(() => log, patience).toMatch(lostLines);
      expect(Number(lostLines.exec(log)?.[1])).toBeGreaterThan(100);
      // What is written from now on arrives.
      const before = log.length;
      await failOften(baseUrl, 20);
      await expect.poll(() => log.slice(before), patience).toContain('The page of an app could not be read');
      for (const line of log.split('\n').slice(0, -1)) expect(() => void JSON.parse(line)).not.toThrow();
      expect(await terminate()).toBeLessThan(limitOf(5000));
    } finally {
      reader?.kill('SIGKILL');
      closeSync(held);
    }
  });

  test.skipIf(!hasScript)(
    'a terminal that was stopped: the server answers, counts, and ends on SIGTERM',
    async () => {
      // `script` stops reading the terminal when nobody reads what it prints itself.
      const { stdout } = run('', (script) => ['script', '-qfec', script, '/dev/null']);
      const { baseUrl } = await readyLine(stdout!);
      stdout!.pause();
      await failOften(baseUrl);
      let log = '';
      stdout!.on('data', (chunk: Buffer) => (log += chunk.toString()));
      stdout!.resume();
      await expect.poll(() => log, patience).toMatch(lostLines);
      stdout!.pause();
      await failOften(baseUrl);
      expect(await terminate()).toBeLessThan(limitOf(5000));
    },
  );
});
