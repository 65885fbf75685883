import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { spawnDesktop } from '../../support/desktop-process.ts';
import { pressButton, whyNoPresses } from '../../support/desktop-screen.ts';
import { launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

describe.skipIf(reason)('the life of the app', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-life-'));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });

  test('--json says on stdout when it answers, and SIGTERM ends it cleanly', async () => {
    const desktop = spawnDesktop(dataDir);
    const ready = await desktop.ready;
    expect(Object.keys(ready)).toEqual(['event', 'baseUrl', 'port', 'managementToken']);
    expect((await fetch(`http://127.0.0.1:${ready.port}/`)).status).toBe(200);
    desktop.signal('SIGTERM');
    expect(await desktop.exited).toBe(0);
  });

  test('SIGINT ends it cleanly too', async () => {
    const desktop = spawnDesktop(dataDir);
    await desktop.ready;
    desktop.signal('SIGINT');
    expect(await desktop.exited).toBe(0);
  });

  test('quitting frees the folder, and the next start finds what was kept', async () => {
    const first = await launchDesktop({ dataDir });
    expect(await first.stop()).toBe(0);
    await (await lockFolder(dataDir)).release();
    const second = await launchDesktop({ dataDir });
    expect(second.ready.managementToken).toBe(first.ready.managementToken);
    expect(await second.stop()).toBe(0);
  });

  test('an update that restarts the app closes the window instead of hiding it, and the app still ends cleanly', async () => {
    const desktop = await launchDesktop({ dataDir });
    const { app } = desktop;
    const close = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    const count = () => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
    await close();
    expect(await count()).toBe(1);
    await app.evaluate(({ autoUpdater }) => void autoUpdater.emit('before-quit-for-update'));
    await close();
    await expect.poll(count).toBe(0);
    expect((await fetch(`http://127.0.0.1:${desktop.ready.port}/`)).status).toBe(200);
    expect(await desktop.stop()).toBe(0);
  });

  test('a flag that makes no sense ends it with 2 and a sentence', async () => {
    const desktop = spawnDesktop(dataDir, ['--tunnel', 'sideways']);
    expect(await desktop.exited).toBe(2);
    expect(desktop.stderr()).toContain('--tunnel');
  });

  test.skipIf(whyNoPresses())(
    'a folder that another Porchlight uses is explained in a dialog; then it ends with 1',
    async () => {
      const other = await lockFolder(dataDir);
      const desktop = spawnDesktop(dataDir);
      await pressButton('Porchlight', 0, 1);
      expect(await desktop.exited).toBe(1);
      expect(desktop.stderr()).toContain('Another Porchlight is using this data folder');
      await other.release();
    },
  );

  test.skipIf(whyNoPresses() ?? process.platform !== 'linux')(
    'a data folder that cannot be written is explained in a dialog; then it ends with 1',
    async () => {
      const desktop = spawnDesktop('/proc/porchlight');
      await pressButton('Porchlight', 0, 1);
      expect(await desktop.exited).toBe(1);
      expect(desktop.stderr()).toContain('"/proc/porchlight/electron" could not be saved');
    },
  );

  test.skipIf(whyNoPresses())(
    'data of a newer version is explained in a dialog and left alone; then it ends with 1',
    async () => {
      await writeFile(join(dataDir, 'profile.json'), '{"format":99}');
      const desktop = spawnDesktop(dataDir);
      await pressButton('Porchlight', 0, 1);
      expect(await desktop.exited).toBe(1);
      expect(desktop.stderr()).toContain('This data was written by a newer Porchlight');
      expect(await readFile(join(dataDir, 'profile.json'), 'utf8')).toBe('{"format":99}');
    },
  );
});
