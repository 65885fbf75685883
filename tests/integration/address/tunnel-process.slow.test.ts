import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import { processNow, type ProcessIdentity } from '../../../src-main/storage/process-identity.ts';
import { isRunning } from '../../support/is-running.ts';
import {
  fakeCloudflared,
  isAlive,
  namedTunnel,
  tunnelScene,
  type TunnelScene,
} from '../../support/tunnel-scene.ts';

const isConnected = ({ state }: TunnelStatus) => state === 'connected';
const pidsOf = (scene: TunnelScene) => scene.starts().map(({ pid }) => pid);

// A busy machine is slow, not wrong.
const patience = { timeout: 90_000 };
let scene: TunnelScene;
let others: ChildProcess[];

beforeEach(async () => {
  scene = await tunnelScene();
  others = [];
});

afterEach(async () => {
  await scene.close();
  for (const child of others) child.kill('SIGKILL');
});

describe.skipIf(process.platform === 'win32')("the tunnel's metrics", { timeout: 180_000 }, () => {
  test('count the connections, whatever the log said', async () => {
    scene.ready(4);
    const { tunnel, upTo } = scene.open('measured', { checkMs: 20 });
    await tunnel.start(namedTunnel);
    expect(await upTo(({ connections }) => connections === 4)).toMatchObject({
      state: 'connected',
      reason: null,
    });
    scene.ready(0);
    expect(await upTo(({ state }) => state === 'reconnecting')).toMatchObject({ connections: 0 });
    scene.ready(2);
    await upTo(({ state, connections }) => state === 'connected' && connections === 2);
    expect(scene.starts()).toHaveLength(1);
  });

  test('are on loopback, at a port that the system chose', async () => {
    const { tunnel, upTo } = scene.open('measured');
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    const args = scene.starts()[0]?.args ?? [];
    expect(args[args.indexOf('--metrics') + 1]).toBe('127.0.0.1:0');
  });
});

describe.skipIf(process.platform === 'win32')('a tunnel is checked', { timeout: 180_000 }, () => {
  const never = { checkMs: 1_000_000 };

  test('and left alone if it is healthy', async () => {
    const { tunnel, upTo } = scene.open('measured', never);
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    scene.ready(3);
    await expect
      .poll(async () => {
        await tunnel.check();
        return tunnel.status().connections;
      }, patience)
      .toBe(3);
    expect(scene.starts()).toHaveLength(1);
  });

  test('and restarted at once if it has no connection', async () => {
    const { tunnel, heard, upTo } = scene.open('measured', never);
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    scene.ready(0);
    await expect
      .poll(async () => {
        await tunnel.check();
        return scene.starts().length;
      }, patience)
      .toBeGreaterThan(1);
    expect(heard.map(({ words }) => words)).toContain('Connecting again');
    expect(isAlive(pidsOf(scene)[0] ?? 0)).toBe(false);
  });

  test('and restarted at once, even during a long pause', async () => {
    // Each pause lasts until it is cut short.
    const pause = (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    const { tunnel, upTo } = scene.open('crash,connect', { pause });
    await tunnel.start(namedTunnel);
    await upTo(({ words }) => words.includes('Trying again in 1 s.'));
    await tunnel.check();
    await upTo(isConnected);
  });

  test('a quick tunnel without connections keeps its address while its process runs', async () => {
    const { tunnel, upTo } = scene.open('measured', never);
    await tunnel.start({ mode: 'quick', port: 4180 });
    const { url } = await upTo(isConnected);
    scene.ready(0);
    await expect
      .poll(async () => {
        await tunnel.check();
        return tunnel.status().state;
      }, patience)
      .toBe('reconnecting');
    expect(tunnel.status().url).toBe(url);
    expect(scene.starts()).toHaveLength(1);
  });

  test('a check without a tunnel changes nothing', async () => {
    const { tunnel, heard } = scene.open('connect');
    await tunnel.check();
    expect(heard).toEqual([]);
  });
});

/** Another program that starts a tunnel here and is killed; answers who its cloudflared is. */
async function leaveBehind(acts: string): Promise<ProcessIdentity> {
  const source = (name: string) =>
    JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../src-main', name)).href);
  const program = `
    import { createTunnel } from ${source('address/tunnel/tunnel.ts')};
    import { silentLog } from ${source('platform/log.ts')};
    const tunnel = createTunnel({
      log: silentLog,
      folder: ${JSON.stringify(join(scene.folder, 'tunnel'))},
      binary: ${JSON.stringify(fakeCloudflared)},
      onChange: ({ state }) => state === 'connected' && console.log(state),
    });
    await tunnel.start(${JSON.stringify(namedTunnel)});
  `;
  const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, ...scene.env(acts) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  others.push(host);
  await once(host.stdout, 'data');
  // By now its metrics may still be read: whom it left behind is known by them too.
  await expect.poll(() => kept()['connector'], patience).toEqual(expect.any(String));
  host.kill('SIGKILL');
  await once(host, 'exit');
  const left = await processNow(pidsOf(scene)[0] ?? 0);
  expect(await isRunning(left)).toBe(true);
  return left;
}

const keptFile = () => join(scene.folder, 'tunnel', 'running.json');

function kept(): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(keptFile(), 'utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function keep(record: object): void {
  mkdirSync(join(scene.folder, 'tunnel'), { recursive: true });
  writeFileSync(keptFile(), JSON.stringify(record));
}

/** A program that is no business of ours. */
function somebodyElse(): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60_000)']);
  others.push(child);
  return child.pid ?? 0;
}

describe.skipIf(process.platform === 'win32')('a Porchlight that was killed', { timeout: 180_000 }, () => {
  test.each(['measured', 'measuredStubborn'])(
    'leaves a cloudflared behind that the next start ends (%s)',
    async (acts) => {
      const left = await leaveBehind(acts);
      const { tunnel, upTo } = scene.open('measured');
      await tunnel.start(namedTunnel);
      await upTo(isConnected);
      await expect.poll(() => isRunning(left), patience).toBe(false);
      expect(await isRunning(await processNow(pidsOf(scene).at(-1) ?? 0))).toBe(true);
    },
  );

  test('on a system without start times of processes, cloudflared is recognized by the id in its answer', async () => {
    const left = await leaveBehind('measured');
    keep({ ...kept(), started: null });
    const { tunnel, upTo } = scene.open('measured');
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    await expect.poll(() => isRunning(left), patience).toBe(false);
  });

  test('a process that has the process id of an earlier cloudflared is left alone', async () => {
    const pid = somebodyElse();
    const { started } = await processNow(pid);
    for (const record of [
      { pid, started: `${started ?? 'boot'}1`, port: null, connector: null },
      { pid, started: null, port: null, connector: null },
      { pid, started: null, port: 1, connector: 'somebody' },
      { pid: 'nonsense' },
    ]) {
      keep(record);
      const { tunnel, upTo } = scene.open('connect');
      await tunnel.start(namedTunnel);
      await upTo(isConnected);
      await tunnel.stop();
      expect(isAlive(pid), JSON.stringify(record)).toBe(true);
    }
  });

  test('a tunnel that is stopped leaves no record', async () => {
    const { tunnel, upTo } = scene.open('connect');
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    expect(kept()['pid']).toBe(pidsOf(scene)[0]);
    await tunnel.stop();
    expect(existsSync(keptFile())).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('a cloudflared that hangs', { timeout: 180_000 }, () => {
  /** A clock that stands still until it is moved. */
  function steadyClock() {
    let now = 0;
    return { steady: () => now, pass: (ms: number) => void (now += ms) };
  }

  test('is started again when its metrics have not answered for 60 s (SIGSTOP)', async () => {
    scene.ready(1);
    const { steady, pass } = steadyClock();
    const { tunnel, heard, upTo } = scene.open('measured', { checkMs: 20, steady });
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    const [pid = 0] = pidsOf(scene);
    process.kill(pid, 'SIGSTOP');
    const passing = setInterval(() => pass(1_000), 50);
    const hung = await upTo(({ reason }) => reason === 'not_responding');
    expect(hung).toMatchObject({ state: 'reconnecting' });
    expect(hung.words).toContain('cloudflared hasn’t responded for 60 seconds. Trying again');
    await expect.poll(() => heard.at(-1)?.state, patience).toBe('connected');
    clearInterval(passing);
    expect(pidsOf(scene)).toHaveLength(2);
    await expect.poll(() => isAlive(pid), patience).toBe(false);
  });

  test('is started again when it has printed nothing for 60 s', async () => {
    const { steady, pass } = steadyClock();
    const { tunnel, heard, upTo } = scene.open('silent,connect', { checkMs: 20, steady });
    await tunnel.start(namedTunnel);
    await expect.poll(() => pidsOf(scene).length, patience).toBe(1);
    pass(59_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(heard.map(({ state }) => state)).toEqual(['starting']);
    pass(1_000);
    expect((await upTo(({ reason }) => reason === 'not_responding')).words).toContain('didn’t connect');
    await upTo(isConnected);
    expect(pidsOf(scene)).toHaveLength(2);
  });

  test('is started again when the public address stopped leading here for 60 s', async () => {
    scene.ready(1);
    const { steady, pass } = steadyClock();
    let leadsHere = true;
    let asked = 0;
    const reaches = () => {
      asked += 1;
      return Promise.resolve(leadsHere);
    };
    const { tunnel, upTo } = scene.open('measured', { checkMs: 20, steady, reaches });
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    await expect.poll(() => asked, patience).toBe(1);
    leadsHere = false;
    pass(60_000);
    await expect.poll(() => asked, patience).toBeGreaterThan(2);
    expect(pidsOf(scene)).toHaveLength(1);
    pass(60_000);
    const hung = await upTo(({ reason }) => reason === 'not_responding');
    expect(hung.words).toContain('The public address hasn’t led here for 60 seconds.');
    await expect.poll(() => pidsOf(scene).length, patience).toBe(2);

    // It never led here since: a new start would change nothing.
    const askedBefore = asked;
    await expect.poll(() => asked, patience).toBeGreaterThan(askedBefore);
    pass(120_000);
    const askedThen = asked;
    await expect.poll(() => asked, patience).toBeGreaterThan(askedThen + 1);
    expect(pidsOf(scene)).toHaveLength(2);
  });

  test.skipIf(process.platform !== 'linux')(
    'a file that this computer cannot run is reported as such, and not retried',
    async () => {
      const binary = join(scene.folder, 'cloudflared');
      writeFileSync(binary, 'no program for any computer\n', { mode: 0o755 });
      const { tunnel, upTo } = scene.open('connect', { binary });
      await tunnel.start(namedTunnel);
      const failed = await upTo(({ state }) => state === 'failed');
      expect(failed.reason).toBe('not_executable');
      expect(failed.words).toContain('isn’t a program for this system');
    },
  );
});

test.skipIf(process.platform === 'win32')(
  'a script that starts cloudflared as its child does not keep the tunnel from ending',
  { timeout: 180_000 },
  async () => {
    const script = join(scene.folder, 'wrapper');
    // Not with exec: the shell ends, and cloudflared keeps its pipes.
    writeFileSync(script, `#!/bin/sh\n"${fakeCloudflared}" "$@"\nexit $?\n`, { mode: 0o755 });
    const { tunnel, heard, upTo } = scene.open('measured', { binary: script });
    await tunnel.start(namedTunnel);
    await upTo(isConnected);
    await tunnel.stop();
    expect(heard.at(-1)).toMatchObject({ state: 'off' });
    for (const pid of pidsOf(scene)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  },
);
