import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spawnDesktop } from '../../support/desktop-process.ts';
import { pressButton, waitForDialog, whyNoPresses } from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';
import { openSessionBus, whyNoBus, type SessionBus } from '../../support/session-bus.ts';
import { keytar, whyNoKeychain } from '../../support/session-keychain.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);
if (whyNoKeychain) console.log(`The keychain test is skipped: ${whyNoKeychain}.`);

// A bus that nobody listens on: the keychain of Linux is reached over the session bus.
const withoutKeychain = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };

describe.skipIf(reason)('secrets', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-secrets-'));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });

  test.skipIf(whyNoKeychain)('are in the keychain of the system, and in no file', async () => {
    const service = `porchlight-test-${randomUUID()}`;
    const desktop = await launchDesktop({ dataDir, args: [], env: { PORCHLIGHT_SECRET_SERVICE: service } });
    try {
      expect(await callOwner(desktop.page, 'status.get', {})).toMatchObject({ secrets: 'keychain' });
      const kept = await keytar.findCredentials(service);
      expect(kept.map(({ password }) => password)).toContain(desktop.ready.managementToken);
      expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false);
    } finally {
      await desktop.stop();
      for (const { account } of await keytar.findCredentials(service))
        await keytar.deletePassword(service, account);
    }
  });

  test.skipIf(whyNoPresses() ?? process.platform !== 'linux')(
    'go to a file only when the owner says so, who is asked once',
    async () => {
      const first = spawnDesktop(dataDir, [], withoutKeychain);
      await pressButton('Porchlight', 1, 3);
      const { managementToken } = await first.ready;
      expect(existsSync(join(dataDir, 'secrets.json'))).toBe(true);
      first.signal('SIGTERM');
      expect(await first.exited).toBe(0);

      const second = spawnDesktop(dataDir, [], withoutKeychain);
      expect((await second.ready).managementToken).toBe(managementToken);
      second.signal('SIGTERM');
      expect(await second.exited).toBe(0);
    },
  );

  test.skipIf(whyNoPresses() ?? process.platform !== 'linux')(
    'go nowhere when the owner quits instead',
    async () => {
      const desktop = spawnDesktop(dataDir, [], withoutKeychain);
      await pressButton('Porchlight', 2, 3);
      expect(await desktop.exited).toBe(0);
      expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false);
    },
  );

  describe.skipIf(whyNoPresses() ?? whyNoBus() ?? whyNoKeychain)('on a bus of their own', () => {
    let bus: SessionBus;
    beforeEach(async () => {
      bus = await openSessionBus();
    });
    afterEach(() => bus.close());

    const collection = '/org/freedesktop/secrets/collection/login';
    const ask = (path: string, ...question: string[]) =>
      bus.run('gdbus', ['call', '--session', '-d', 'org.freedesktop.secrets', '-o', path, '-m', ...question]);
    const isLocked = () =>
      ask(collection, 'org.freedesktop.DBus.Properties.Get', 'org.freedesktop.Secret.Collection', 'Locked');
    async function openKeyring(): Promise<void> {
      bus.start('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], 'test');
      await bus.waitFor('org.freedesktop.secrets');
      // The keyring is there a moment after its daemon.
      await expect.poll(isLocked).toContain('false');
    }

    test('are written to no file if the keychain is locked, and the owner is told', async () => {
      await openKeyring();
      await ask('/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock', `['${collection}']`);
      await expect.poll(isLocked).toContain('true');
      const desktop = spawnDesktop(dataDir, [], bus.env);
      await pressButton('Porchlight', 2, 3);
      expect(await desktop.exited).toBe(0);
      expect(desktop.stderr()).toContain('It may be locked');
      expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false);
    });

    test('wait for the keychain: once it is available, “Try again” continues with it', async () => {
      const desktop = spawnDesktop(dataDir, [], bus.env);
      await waitForDialog('Porchlight');
      await openKeyring();
      await pressButton('Porchlight', 0, 3);
      const { managementToken } = await desktop.ready;
      const all = ['search', '--all', 'service', 'porchlight-test'];
      expect(await bus.run('secret-tool', all)).toContain(managementToken);
      expect(existsSync(join(dataDir, 'secrets.json'))).toBe(false);
      desktop.signal('SIGTERM');
      expect(await desktop.exited).toBe(0);
    });
  });
});
