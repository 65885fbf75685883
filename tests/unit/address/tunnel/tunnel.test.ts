import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TunnelStatus } from '../../../../src-main/contract/reach.ts';
import { createGuardedFetch } from '../../../../src-main/platform/guarded-fetch.ts';
import { createLog, type Log, silentLog } from '../../../../src-main/platform/log.ts';
import { createTunnel } from '../../../../src-main/address/tunnel/tunnel.ts';
import type { Tunnel } from '../../../../src-main/address/tunnel/tunnel.ts';

const fake = join(import.meta.dirname, '../../../support/fake-cloudflared.mjs');
const quick = { mode: 'quick', port: 4180 } as const;
const named = { mode: 'named', port: 4180, token: 'very-secret', hostname: 'porch.example.com' } as const;
const trial = 'https://warm-light-on-porch.trycloudflare.com';

interface Start {
  readonly pid: number;
  readonly args: string[];
  readonly variables: Record<string, string>;
  readonly config: string;
}

// Nothing here is downloaded: were it tried, it would be refused.
const fetch = createGuardedFetch({ allowPrivate: false, userAgent: 'Test' });
let folder: string;
let tunnel: Tunnel | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'porchlight-test-'));
});

afterEach(async () => {
  await tunnel?.stop();
  rmSync(folder, { recursive: true });
});

/** A tunnel over the stand-in. Pauses pass at once and are written down; `upTo` waits for a status. */
function open(acts: string, { log = silentLog, env = {} }: { log?: Log; env?: Record<string, string> } = {}) {
  const heard: TunnelStatus[] = [];
  const pauses: number[] = [];
  const waiting = new Set<() => void>();
  const record = join(folder, 'starts');
  const created = createTunnel({
    log,
    folder: join(folder, 'tunnel'),
    fetch,
    binary: fake,
    env: { PATH: process.env['PATH'], FAKE_CLOUDFLARED: acts, FAKE_CLOUDFLARED_RECORD: record, ...env },
    pause: (milliseconds) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    onChange: (status) => {
      heard.push(status);
      for (const check of waiting) check();
    },
  });
  tunnel = created;
  const upTo = (matches: (status: TunnelStatus) => boolean) =>
    new Promise<TunnelStatus>((resolve) => {
      const check = () => {
        const found = heard.find(matches);
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const starts = () =>
    readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Start);
  return { tunnel: created, heard, pauses, starts, upTo };
}

/** A file with a certificate that every Node has. */
function rootCertificates(dir: string): string {
  const file = join(dir, 'root.pem');
  writeFileSync(file, tls.rootCertificates[0] ?? '');
  return file;
}

const isConnected = ({ state }: TunnelStatus) => state === 'connected';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('tunnel', { timeout: 180_000 }, () => {
  test('a quick tunnel learns its address, and says that it changes', async () => {
    const { tunnel, heard, starts, upTo } = open('connect');
    expect(tunnel.status()).toMatchObject({ mode: 'off', state: 'off', words: 'Off', url: null });
    await tunnel.start(quick);
    const status = await upTo(isConnected);
    expect(status).toMatchObject({ mode: 'quick', url: trial });
    expect(status.words).toContain('changes');
    expect(heard[0]).toMatchObject({ mode: 'quick', state: 'starting', url: null });
    expect(tunnel.status()).toEqual(status);
    expect(starts()[0]?.args.slice(-2)).toEqual(['--url', 'http://127.0.0.1:4180']);
  });

  test('a named tunnel has its token in the environment, not in the arguments, and an empty config', async () => {
    const { tunnel, starts, upTo } = open('connect', {
      env: { TUNNEL_URL: 'http://elsewhere.example', TUNNEL_TOKEN: 'of somebody else' },
    });
    await tunnel.start(named);
    expect(await upTo(isConnected)).toMatchObject({ mode: 'named', url: 'https://porch.example.com' });
    const [start] = starts();
    expect(start?.args.join(' ')).not.toContain('very-secret');
    expect(start).toMatchObject({ variables: { TUNNEL_TOKEN: 'very-secret' }, config: '{}\n' });
    expect(Object.keys(start?.variables ?? {})).toEqual(['TUNNEL_TOKEN']);
  });

  test('a quick tunnel hands on no token', async () => {
    const { tunnel, starts, upTo } = open('connect', { env: { TUNNEL_TOKEN: 'left over' } });
    await tunnel.start(quick);
    await upTo(isConnected);
    expect(starts()[0]?.variables).toEqual({});
  });

  test('the token is not repeated in the log', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'debug' }, { write: (line) => void lines.push(line) });
    const { tunnel, upTo } = open('chatter', { log });
    await tunnel.start(named);
    await upTo(isConnected);
    expect(lines.join('')).toContain('Registered tunnel connection');
    expect(lines.join('')).not.toContain('very-secret');
  });

  test('is connected while it has a connection, and reconnecting without one', async () => {
    const { tunnel, heard, upTo } = open('flap');
    await tunnel.start(named);
    await upTo(() => heard.length === 6);
    expect(heard.map(({ state, connections }) => [state, connections])).toEqual([
      ['starting', 0],
      ['connected', 1],
      ['connected', 2],
      ['connected', 1],
      ['reconnecting', 0],
      ['connected', 1],
    ]);
    expect(new Set(heard.map(({ url }) => url))).toEqual(new Set(['https://porch.example.com']));
  });

  test('works on a disk that cannot record it', async () => {
    // Where a note would be written, a folder stands.
    mkdirSync(join(folder, 'tunnel', 'running.json.tmp'), { recursive: true });
    const { upTo } = open('connect');
    await tunnel?.start(named);
    await upTo(({ state }) => state === 'connected');
    expect(tunnel?.status()).toMatchObject({ state: 'connected' });
  });

  test('is started again after growing pauses, up to a minute', async () => {
    const { tunnel, pauses, starts, upTo } = open(`${'crash,'.repeat(8)}connect`);
    await tunnel.start(named);
    await upTo(isConnected);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    expect(starts()).toHaveLength(9);
  });

  test('the pauses start again after a connection', async () => {
    const { tunnel, pauses, heard, upTo } = open('crash,crash,die,crash,connect');
    await tunnel.start(named);
    await upTo(() => heard.filter(isConnected).length === 2);
    expect(pauses).toEqual([1000, 2000, 1000, 2000]);
  });

  test('a quick tunnel that ended has no address until it has a new one', async () => {
    const { tunnel, heard, upTo } = open('die,connect');
    await tunnel.start(quick);
    await upTo(() => heard.filter(isConnected).length === 2);
    const between = heard.filter(({ state }) => state === 'reconnecting');
    expect(between.length).toBeGreaterThan(0);
    expect(between.at(0)?.url).toBeNull();
    expect(between.at(0)?.words).toContain('exit code 1');
  });

  test('too many requests are reported, and retried', async () => {
    const { tunnel, heard, upTo } = open('rateLimited,connect');
    await tunnel.start(quick);
    await upTo(isConnected);
    const limited = heard.filter(({ reason }) => reason === 'rate_limited');
    expect(limited.at(-1)).toMatchObject({ state: 'reconnecting', url: null });
    expect(limited.at(-1)?.words).toContain('no more trial addresses for the moment. Trying again in 1 s.');
  });

  test('an intercepted connection is reported, with cloudflared’s own message', async () => {
    const { tunnel, upTo } = open('intercepted');
    await tunnel.start(named);
    const status = await upTo(({ reason }) => reason === 'intercepted');
    expect(status.words).toContain('intercepts the connection');
    expect(status.message).toContain('x509: certificate signed by unknown authority');
  });

  test('cloudflared’s own message is shown if nothing else is known, without the token', async () => {
    const { tunnel, upTo } = open('crash,connect');
    await tunnel.start(named);
    expect((await upTo(({ reason }) => reason === 'crashed')).message).toBe(
      'Initiating shutdown error="unexpected"',
    );
    expect((await upTo(isConnected)).message).toBeUndefined();
  });

  test('the owner’s options and certificate come before Porchlight’s, in their places', async () => {
    const { tunnel, starts, upTo } = open('connect');
    const options = ['--protocol=http2', '--edge-ip-version=4'];
    const certificate = rootCertificates(folder);
    await tunnel.start({ ...named, options, certificate });
    await upTo(isConnected);
    const { args = [] } = starts()[0] ?? {};
    expect(args.slice(0, 5)).toEqual(['tunnel', '--edge-ip-version=4', '--cacert', certificate, '--config']);
    expect(args.slice(args.indexOf('run'))).toEqual([
      'run',
      '--protocol=http2',
      '--url',
      'http://127.0.0.1:4180',
    ]);
    await tunnel.start({ ...quick, options });
    await upTo(({ mode, state }) => mode === 'quick' && state === 'connected');
    expect(starts()[1]?.args.slice(0, 3)).toEqual(['tunnel', ...options]);
  });

  test("Cloudflare's own API host is not mistaken for the tunnel's address", async () => {
    const { tunnel, heard, upTo } = open('unreachable,connect');
    await tunnel.start(quick);
    await upTo(isConnected);
    expect(heard.some(({ words }) => words.includes('cannot be reached from here'))).toBe(true);
    expect(new Set(heard.map(({ url }) => url))).toEqual(new Set([null, trial]));
  });
});

describe.skipIf(process.platform === 'win32')(
  'tunnel: failures that a retry can’t fix',
  { timeout: 180_000 },
  () => {
    test('a token that Cloudflare cannot read', async () => {
      const { tunnel, pauses, starts, upTo } = open('badToken');
      await tunnel.start(named);
      const status = await upTo(({ state }) => state === 'failed');
      expect(status.words).toContain('token');
      expect(pauses).toEqual([]);
      expect(starts()).toHaveLength(1);
    });

    test.each([
      ['deleted', 'Tunnel not found'],
      ['revoked', 'Invalid tunnel secret'],
    ])(
      'a tunnel that Cloudflare no longer knows (%s), although cloudflared runs on',
      async (act, message) => {
        const { tunnel, starts, upTo } = open(act);
        await tunnel.start(named);
        const status = await upTo(({ state }) => state === 'failed');
        expect(status).toMatchObject({ reason: 'bad_token', url: 'https://porch.example.com' });
        expect(status.words).toBe(
          'Cloudflare no longer knows this tunnel. Copy a new token from the Cloudflare dashboard.',
        );
        expect(status.message).toContain(`Unauthorized: ${message}`);
        await expect.poll(() => starts().filter(({ pid }) => isAlive(pid))).toEqual([]);
        expect(tunnel.status()).toEqual(status);
        expect(starts()).toHaveLength(1);
      },
    );

    test('a tunnel with one connection works, whatever happens to the others', async () => {
      const { tunnel, heard, upTo } = open('partlyRefused');
      await tunnel.start(named);
      await upTo(({ connections }) => connections === 2);
      expect(heard.map(({ state }) => state)).not.toContain('failed');
    });

    test('a quick tunnel that Cloudflare has ended gets another address', async () => {
      const { tunnel, heard, starts, upTo } = open('deleted,connect');
      await tunnel.start(quick);
      await upTo(() => heard.filter(isConnected).length === 2);
      const between = heard.find(({ words }) => words.includes('has ended this trial tunnel'));
      expect(between).toMatchObject({ state: 'reconnecting', url: null });
      expect(starts()).toHaveLength(2);
    });

    test('an invalid certificate: nothing is started, and the message names the file', async () => {
      const { tunnel } = open('connect');
      const certificate = join(folder, 'company.pem');
      writeFileSync(certificate, 'not a certificate');
      await tunnel.start({ ...named, certificate });
      expect(tunnel.status()).toMatchObject({ state: 'failed', reason: 'bad_certificate' });
      expect(tunnel.status().words).toContain(certificate);
      expect(existsSync(join(folder, 'starts'))).toBe(false);
    });

    test('no token at all', async () => {
      const { tunnel } = open('connect');
      await tunnel.start({ mode: 'named', port: 4180 });
      expect(tunnel.status()).toMatchObject({ mode: 'named', state: 'failed' });
      expect(tunnel.status().words).toContain('needs its token');
    });

    test('no cloudflared: the words say what to do', async () => {
      const heard: TunnelStatus[] = [];
      const onChange = (status: TunnelStatus) => void heard.push(status);
      const env = { PORCHLIGHT_CLOUDFLARED: join(folder, 'nothing'), PATH: process.env['PATH'] };
      tunnel = createTunnel({ log: silentLog, folder, fetch, onChange, env });
      await tunnel.start(quick);
      expect(heard.at(-1)).toMatchObject({ mode: 'quick', state: 'failed', url: null });
      expect(heard.at(-1)?.words).toContain('PORCHLIGHT_CLOUDFLARED');
    });

    test('a file that is no program', async () => {
      const binary = join(folder, 'cloudflared');
      writeFileSync(binary, '#!/nowhere/at/all\n', { mode: 0o755 });
      const heard: TunnelStatus[] = [];
      const onChange = (status: TunnelStatus) => void heard.push(status);
      tunnel = createTunnel({ log: silentLog, folder, fetch, binary, onChange });
      await tunnel.start(quick);
      await tunnel.stop();
      expect(heard.map(({ state }) => state)).toContain('failed');
      expect(heard.find(({ state }) => state === 'failed')?.words).toContain('could not be started');
    });
  },
);

describe.skipIf(process.platform === 'win32')('tunnel: stopping', { timeout: 180_000 }, () => {
  test('ends cloudflared and is off', async () => {
    const { tunnel, starts, upTo } = open('connect');
    await tunnel.start(quick);
    await upTo(isConnected);
    await tunnel.stop();
    expect(tunnel.status()).toMatchObject({ mode: 'off', state: 'off', words: 'Off', url: null });
    expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false]);
  });

  test('kills a cloudflared that does not listen after 3 s', async () => {
    const { tunnel, pauses, starts, upTo } = open('stubborn');
    await tunnel.start(quick);
    await upTo(isConnected);
    await tunnel.stop();
    expect(pauses).toEqual([3000]);
    expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false]);
  });

  test('starting twice at once leaves one cloudflared, the later one', async () => {
    const { tunnel, starts, upTo } = open('connect');
    await Promise.all([tunnel.start(quick), tunnel.start(named)]);
    await upTo((status) => isConnected(status) && status.mode === 'named');
    const alive = starts().filter(({ pid }) => isAlive(pid));
    expect(alive).toHaveLength(1);
    expect(alive[0]?.args).toContain('run');
  });

  test('a stopped tunnel can be started again', async () => {
    const { tunnel, heard, upTo } = open('connect');
    await tunnel.start(quick);
    await upTo(isConnected);
    await tunnel.stop();
    await tunnel.start(quick);
    await upTo(() => heard.filter(isConnected).length === 2);
    expect(tunnel.status().url).toBe(trial);
  });

  test('cloudflared ends when Porchlight is killed', async () => {
    const [source, record] = [join(import.meta.dirname, '../../../../src-main'), join(folder, 'starts')];
    const program = `
      import { createTunnel } from ${JSON.stringify(pathToFileURL(join(source, 'address/tunnel/tunnel.ts')).href)};
      import { silentLog } from ${JSON.stringify(pathToFileURL(join(source, 'platform/log.ts')).href)};
      const onChange = ({ state }) => state === 'connected' && process.exit(0);
      await createTunnel({ log: silentLog, folder: ${JSON.stringify(join(folder, 'tunnel'))}, binary: ${JSON.stringify(fake)}, onChange }).start({ mode: 'quick', port: 1 });
    `;
    const env = { ...process.env, FAKE_CLOUDFLARED: 'stubborn', FAKE_CLOUDFLARED_RECORD: record };
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
    const { pid } = JSON.parse(readFileSync(record, 'utf8')) as Start;
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
  });

  test('stopping what never ran changes nothing', async () => {
    const { tunnel, heard } = open('connect');
    await tunnel.stop();
    expect(heard).toEqual([]);
  });
});
