import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultDataDir } from '../../../src-main/app/options.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { keytar, whyNoKeychain } from '../../support/session-keychain.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The demo in the desktop app is skipped: ${reason}.`);
if (whyNoKeychain) console.log(`The demo’s keychain test is skipped: ${whyNoKeychain}.`);

describe.skipIf(reason)('the demo in the desktop app', () => {
  const secretService = `porchlight-test-${randomUUID()}`;
  let home: string;
  let temporary: string;
  let desktop: RunningDesktop;
  /** What the first window said. */
  let first: Promise<string | null> | undefined;
  /** The folders in which Porchlight and Electron keep an owner's data. */
  let real: string[];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'porchlight-home-'));
    temporary = await mkdtemp(join(tmpdir(), 'porchlight-temporary-'));
    const env = {
      HOME: home,
      USERPROFILE: home,
      APPDATA: join(home, 'AppData', 'Roaming'),
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local', 'share'),
    };
    real = [
      defaultDataDir(env, process.platform),
      ...['porchlight', 'Porchlight'].map((name) => join(env.XDG_CONFIG_HOME, name)),
    ];
    for (const folder of real) {
      await mkdir(join(folder, 'data'), { recursive: true });
      await writeFile(join(folder, 'data', 'settings.json'), 'the owner’s own');
    }
    desktop = await launchDesktop({
      demo: true,
      onWindow(page) {
        first ??= page.locator('h1').textContent();
      },
      dataDir: temporary,
      env: { ...env, PORCHLIGHT_SECRET_SERVICE: secretService },
    });
  }, 360_000);
  afterAll(async () => {
    await desktop.stop();
    await rm(temporary, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  });

  test('says at once that it is being filled', async () => {
    expect(await first).toBe('Porchlight is filling the demo');
  });

  test('has posts and mentions, and says in its window and in the title that it is a demo', async () => {
    const { page } = desktop;
    expect((await callOwner(page, 'posts.list', { limit: 1 })).items).toHaveLength(1);
    expect((await callOwner(page, 'webmentions.list', { limit: 1 })).items).toHaveLength(1);
    const badge = page.getByRole('button', { name: 'Demo', exact: true });
    expect(await badge.getAttribute('title')).toMatch(/^This is a demo\. Nothing here is real\./);
    const titles = await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.getTitle()),
    );
    expect(titles).toEqual([expect.stringContaining('(demo)')]);
  });

  test('can’t start at login, because its folder is gone by then', async () => {
    await expect(
      callOwner(desktop.page, 'settings.update', { desktop: { startAtLogin: true } }),
    ).rejects.toThrow('The demo can’t start at login.');
  });

  test.skipIf(whyNoKeychain)('keeps nothing in the keychain', async () => {
    expect(await callOwner(desktop.page, 'status.get', {})).toMatchObject({ secrets: 'file', demo: true });
    expect(await keytar.findCredentials(secretService)).toEqual([]);
  });

  test('deletes its folder when it ends, and has not touched the owner’s own', async () => {
    expect(await readdir(temporary)).toContainEqual(expect.stringMatching(/^porchlight-demo-/));
    expect(await desktop.stop()).toBe(0);
    expect((await readdir(temporary)).filter((name) => name.startsWith('porchlight-demo-'))).toEqual([]);
    for (const folder of real) {
      const files = await filesIn(folder);
      // Electron itself writes a random ID for crash reports there, whatever profile an app then chooses.
      expect(files.filter((file) => !file.includes('Crashpad'))).toEqual([
        join(folder, 'data', 'settings.json'),
      ]);
      expect(await readFile(join(folder, 'data', 'settings.json'), 'utf8')).toBe('the owner’s own');
    }
  });
});

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
