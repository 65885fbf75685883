import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callOwner, launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';
import { fillBeyondReserve, mountSmallDisk, reserveSize } from '../../support/small-disk.ts';
import { limitOf } from '../../support/patience.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The test of what is lost at the end is skipped: ${reason}.`);

test.skipIf(reason)(
  'a quit on a full disk takes under 5 s, and a notification says which sign-out is lost',
  { timeout: 360_000 },
  async (context) => {
    const disk = await mountSmallDisk(context, '256m');
    onTestFinished(() => disk.remove());
    const dataDir = join(disk.dir, 'data');
    const desktop = await launchDesktop({
      dataDir,
      args: ['--secrets', 'file', '--me', 'https://ada.example/'],
    });
    onTestFinished(async () => void (await desktop.stop()));
    const { app, page } = desktop;
    let shown = '';
    app.process().stderr?.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    // The screen of the tests shows no notifications, so each one goes to stderr.
    await app.evaluate(({ Notification }) => {
      Notification.isSupported = () => true;
      Notification.prototype.show = function show(this: Electron.Notification) {
        process.stderr.write(`Notification: ${this.title}. ${this.body}\n`);
      };
    });
    const { id } = await callOwner(page, 'apps.issueToken', { label: 'Pen', scopes: ['create'] });
    await expect.poll(() => reserveSize(dataDir), { timeout: 60_000 }).toBeGreaterThan(0);
    await fillBeyondReserve(disk, dataDir, { call: (method, params) => callOwner(page, method, params) });
    expect(await callOwner(page, 'apps.revoke', { id })).toEqual({ id, saved: false });
    const before = Date.now();
    expect(await desktop.stop()).toBe(0);
    expect(Date.now() - before).toBeLessThan(limitOf(5000));
    const loss = 'Porchlight could not save this before it ended: Pen is signed out.';
    expect(shown).toContain(`Notification: Porchlight couldn’t save everything. ${loss}`);
    // The log has the same words.
    expect(shown.split(loss)).toHaveLength(3);
  },
);
