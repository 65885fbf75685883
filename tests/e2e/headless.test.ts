import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { openSite, page } from '../support/client-app.ts';
import { startHeadless } from '../support/headless-process.ts';
import { holderOf } from '../../src-main/storage/folder-lock.ts';
import { authorizationUrl, post, signInRequest } from '../support/sign-in.ts';

const run = promisify(execFile);
const program = path.join(import.meta.dirname, '../../out/main/headless.js');

describe('the headless front door', () => {
  test('prints one ready line, answers, and stops cleanly on SIGTERM and SIGINT', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const porchlight = await startHeadless({ args: ['--me', 'https://owner.example/'] });
      const { baseUrl, port, consoleUrl, ownerKey, managementToken } = porchlight.ready;
      expect(baseUrl).toBe(`http://127.0.0.1:${port}`);
      expect((await fetch(`${baseUrl}/.well-known/oauth-authorization-server`)).status).toBe(200);
      expect((await fetch(consoleUrl)).status).toBe(200);
      expect(ownerKey.length).toBeGreaterThanOrEqual(43);
      expect(await porchlight.call('secrets.managementToken', {})).toEqual({ token: managementToken });
      expect(await porchlight.stop(signal)).toBe(0);
      await porchlight.remove();
    }
  });

  test('stops in order on a signal that comes while it is opening', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-early-'));
    const children: ChildProcess[] = [];
    const starting = startHeadless({ dataDir, spawned: (child) => void children.push(child) });
    await expect.poll(() => holderOf(dataDir), { timeout: 60_000, interval: 1 }).toBeDefined();
    for (const child of children) child.kill('SIGTERM');
    await starting.catch(() => undefined); // It ends before it is ready.
    await expect.poll(() => children.map(({ exitCode }) => exitCode)).toEqual([0]);
    expect(await holderOf(dataDir)).toEqual({ released: true });
    await rm(dataDir, { recursive: true });
  });

  test('stops at once though a browser waits for its answer, and the page is answered, not cut', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    const porchlight = await startHeadless({
      args: ['--me', 'https://owner.example/', '--allow-private-fetch'],
    });
    const browser = openBrowser(porchlight.ready.baseUrl);
    const requestPage = await browser.open(
      authorizationUrl(porchlight.ready.baseUrl, signInRequest(app.origin)),
    );
    const address = (await browser.press(await requestPage.text())).headers.get('location') ?? '';
    const poll = browser.open(`${address}/state`);
    const started = await porchlight.call('status.get', {});
    expect(started.waiting).toBe(1);
    const code = await porchlight.stop();
    expect(code).toBe(0);
    expect((await poll).status).toBe(200);
    await porchlight.remove();
    await app.close();
  });

  test('acknowledged changes are on disk: a token that was issued just before a SIGKILL works after the next start', async () => {
    const app = await openSite();
    app.pages.set('/', page('<title>App</title>'));
    let porchlight = await startHeadless({
      args: ['--me', 'https://owner.example/', '--allow-private-fetch'],
    });
    const { dataDir } = porchlight;
    const held: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { token } = await porchlight.call('apps.issueToken', {
        label: `Round ${round}`,
        scopes: ['create'],
      });
      await porchlight.stop('SIGKILL');
      held.push(token);
      porchlight = await startHeadless({ dataDir, args: ['--allow-private-fetch'] });
      for (const one of held) {
        const { status } = await fetch(`${porchlight.ready.baseUrl}/token`, {
          headers: { authorization: `Bearer ${one}` },
        });
        expect(status).toBe(200);
      }
    }
    expect(await porchlight.call('apps.list', {})).toHaveLength(5);
    const activity = async () => (await porchlight.call('activity.list', {})).items.map(({ kind }) => kind);
    await expect.poll(activity).toContain('server.crashed');
    await porchlight.remove();
    await app.close();
  });

  test('the public side has none of the owner’s methods', async () => {
    const porchlight = await startHeadless();
    const { baseUrl, ownerKey } = porchlight.ready;
    for (const address of ['/api/status.get', '/api/signIns.approve', '/api/events', '/index.html']) {
      const headers = { authorization: `Bearer ${ownerKey}` };
      expect((await post({ base: baseUrl }, address, {}, headers)).status, address).toBe(404);
      expect((await fetch(`${baseUrl}${address}`, { headers })).status, address).toBe(404);
    }
    await porchlight.remove();
  });

  test('a wrong flag and a wrong address are refused with a message, and no folder is created', async () => {
    const dataDir = path.join(tmpdir(), `porchlight-never-${process.pid}`);
    for (const [args, words] of [
      [['--prot', '1'], '--prot'],
      [['--port', '99999'], 'port'],
      [['--base-url', 'https://porch.example/path'], 'base-url'],
      [['--secrets', 'nowhere'], 'secrets'],
    ] as const) {
      const failed = await run(process.execPath, [program, '--data', dataDir, ...args]).catch(
        (error: unknown) => error as { code: number; stderr: string },
      );
      expect(failed).toMatchObject({ code: 1 });
      expect(failed.stderr).toContain(words);
    }
    await expect(stat(dataDir)).rejects.toThrow();
  });

  test('without a keychain it says so and keeps secrets in a file that only the owner can read', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-nokeys-'));
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: dataDir,
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    };
    const child = run(
      process.execPath,
      [program, '--data', dataDir, '--port', '0', '--console-port', '0', '--json', '--no-open'],
      { env, timeout: 15_000, killSignal: 'SIGTERM' },
    );
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) => {
      let out = '';
      child.child.stdout?.on('data', (chunk: string) => {
        out += chunk;
        if (out.includes('\n')) child.child.kill('SIGTERM');
      });
      child.then(resolve, reject);
    });
    expect(stdout).toContain('"event":"ready"');
    expect(stderr).toContain('keychain');
    expect((await stat(path.join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
    expect(stderr).not.toContain(
      String(
        (JSON.parse(await readFile(path.join(dataDir, 'secrets.json'), 'utf8')) as Record<string, unknown>)[
          'management-token'
        ],
      ),
    );
    await rm(dataDir, { recursive: true });
  });

  test('prints two lines: its version, and the address of the window; its log is text on a terminal and JSON in a pipe', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-lines-'));
    const args = ['--data', dataDir, '--port', '0', '--console-port', '0', '--secrets', 'file', '--no-open'];
    // A tunnel program that doesn't exist makes a line in the log.
    const env = { ...process.env, PORCHLIGHT_CLOUDFLARED: path.join(dataDir, 'nowhere') };
    const start = (command: string, given: readonly string[]) =>
      new Promise<{ out: string; err: string }>((resolve) => {
        const child = spawn(command, given, { env, stdio: ['ignore', 'pipe', 'pipe'] });
        let [out, err] = ['', ''];
        const check = () => {
          if (/Your window: .+\r?\n/.test(out) && `${out}${err}`.includes('PORCHLIGHT_CLOUDFLARED'))
            child.kill('SIGTERM');
        };
        child.stdout.on('data', (chunk: Buffer) => {
          out += chunk.toString();
          check();
        });
        child.stderr.on('data', (chunk: Buffer) => {
          err += chunk.toString();
          check();
        });
        child.once('close', () => resolve({ out, err }));
      });
    const piped = await start(process.execPath, [program, ...args, '--tunnel', 'quick']);
    expect(piped.out).toMatch(
      /^Porchlight \d+\.\d+\.\d+\S*, your personal IndieWeb server\. .+\nYour window: http:\/\/127\.0\.0\.1:\d+\/#key=[\w-]+\n$/,
    );
    const lines = piped.err.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('level');

    const line = ['exec', process.execPath, program, ...args, '--tunnel', 'quick'].join(' ');
    const terminal = await start('script', ['-qefc', line, '/dev/null']);
    expect(terminal.out).toContain('your personal IndieWeb server. ');
    expect(terminal.out).toMatch(/^\d\d:\d\d:\d\d (INFO|WARN|ERROR) +tunnel: /m);
    expect(terminal.out).not.toContain('{"level"');
    expect(terminal.out).not.toContain('Server listening');
    await rm(dataDir, { recursive: true });
  });
});
