import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawnDesktop } from '../support/desktop-process.ts';
import { whyNoDesktop, launchDesktop } from '../support/electron-app.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { holderOf } from '../../src-main/storage/folder-lock.ts';
import { openSessionBus, whyNoBus, type SessionBus } from '../support/session-bus.ts';

const why = process.platform === 'linux' ? whyNoBus() : 'a hanging keychain is made with D-Bus here';
if (why !== undefined) console.log(`The end with a hanging keychain is not tested: ${why}.`);

/** Milliseconds: two for the call, and what the end takes on a busy computer. A call itself hangs for 25 s and more. */
const soon = 12_000;

describe.skipIf(why)('a keychain that hangs', () => {
  let bus: SessionBus;
  let dataDir: string;
  let env: Record<string, string>;
  let hang: () => void;
  let recover: () => void;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-hanging-'));
    bus = await openSessionBus();
    env = { ...bus.env, PORCHLIGHT_SECRET_SERVICE: 'porchlight-test' };
    const options = ['--foreground', '--unlock', '--components=secrets'];
    const keyring = bus.start('gnome-keyring-daemon', options, 'test');
    await bus.waitFor('org.freedesktop.secrets');
    hang = () => void keyring.kill('SIGSTOP');
    recover = () => void keyring.kill('SIGCONT');
  });
  afterEach(async () => {
    await bus.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test('does not keep the headless server from ending, and the next start finds everything in order', async () => {
    const args = ['--secrets', 'keychain'];
    const server = await startHeadless({ dataDir, args, env });
    hang();
    server.call('secrets.rotateManagementToken', {}).catch(() => undefined);
    await pause(500);
    const exited = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    const [code, signal] = await Promise.race([exited, pause(soon, ['still running'])]);
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    expect(await holderOf(dataDir)).toEqual({ released: true });
    recover();
    const next = await startHeadless({ dataDir, args, env });
    expect(await activityOf(next)).not.toContain('server.crashed');
    expect(await next.stop()).toBe(0);
  });

  test('during the start: the end is cut off, and the next start does not call that a crash', async () => {
    const args = ['--secrets', 'keychain'];
    hang();
    const children: ChildProcess[] = [];
    const starting = startHeadless({ dataDir, args, env, spawned: (child) => void children.push(child) });
    await expect.poll(() => holderOf(dataDir), { interval: 20 }).toBeDefined();
    for (const child of children) child.kill('SIGTERM');
    await starting.catch(() => undefined); // It ends before it is ready.
    await expect.poll(() => children.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL']);
    expect(await holderOf(dataDir)).toMatchObject({ pid: children[0]?.pid });
    recover();
    const next = await startHeadless({ dataDir, args, env });
    expect(await activityOf(next)).not.toContain('server.crashed');
    expect(await next.stop()).toBe(0);
  });

  test.skipIf(whyNoDesktop())('does not keep the app from ending', async () => {
    const desktop = await launchDesktop({ dataDir, args: ['--secrets', 'keychain'], env });
    hang();
    await desktop.page.evaluate(() => void window.porchlight!.call('secrets.rotateManagementToken', {}));
    await pause(500);
    const child = desktop.app.process();
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    const [code, signal] = await Promise.race([exited, pause(soon, ['still running'])]);
    expect([code, signal]).toEqual([null, 'SIGKILL']);
    expect(await holderOf(dataDir)).toEqual({ released: true });
  });

  test.skipIf(whyNoDesktop())(
    'cuts off the end of an app that starts, which is no crash either',
    async () => {
      hang();
      const desktop = spawnDesktop(dataDir, ['--secrets', 'keychain'], env);
      await expect.poll(() => holderOf(dataDir), { interval: 20 }).toBeDefined();
      desktop.signal('SIGTERM');
      expect(await Promise.race([desktop.exited, pause(soon, 'still running')])).toBeNull();
      expect(await holderOf(dataDir)).not.toEqual({ released: true });
      recover();
      const next = await startHeadless({ dataDir, args: ['--secrets', 'keychain'], env });
      expect(await activityOf(next)).not.toContain('server.crashed');
      expect(await next.stop()).toBe(0);
    },
  );
});

/** What the activity tells once everything about the start is in it: entries are written in order. */
async function activityOf(server: HeadlessProcess): Promise<string[]> {
  await server.call('settings.update', { profile: { me: 'https://owner.example/' } });
  await server.call('apps.issueToken', { label: 'Mark', scopes: ['read'] });
  const { items } = await server.call('activity.list', {});
  expect(items.map(({ kind }) => kind)).toContain('app.tokenIssued');
  return items.map(({ kind }) => kind);
}
