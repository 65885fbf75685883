import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holderOf } from '../../../src-main/storage/folder-lock.ts';
import { processNow } from '../../../src-main/storage/process-identity.ts';
import { isRunning } from '../../support/is-running.ts';
import { openSite, type Site } from '../../support/client-app.ts';
import { spawnDesktop } from '../../support/desktop-process.ts';
import {
  callOwner,
  desktopArguments,
  desktopEnvironment,
  electronBinary,
  launchDesktop,
  whyNoDesktop,
  type RunningDesktop,
} from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);
const args = ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://127.0.0.1:9/'];

/** What the window's page says of where it is; null while there is no page to ask. */
function placeOf(desktop: RunningDesktop): Promise<string | null> {
  return desktop.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]!.webContents;
    if (contents.isCrashed()) return null;
    return contents.executeJavaScript('window.porchlight ? location.hash : null') as Promise<string | null>;
  });
}

/** The process that has the data folder; null where none has. */
async function processWith(dataDir: string): Promise<number | null> {
  const { pid } = ((await holderOf(dataDir)) ?? {}) as { pid?: number };
  if (pid === undefined) return null;
  return (await isRunning(await processNow(pid))) ? pid : null;
}

/** Starts the app once more for the same folder, as a second click on its icon does. */
async function startAgain(dataDir: string, ...more: string[]): Promise<void> {
  const second = spawn(electronBinary, [...desktopArguments(dataDir), ...more], {
    env: desktopEnvironment(),
    stdio: 'ignore',
  });
  expect(await once(second, 'exit')).toEqual([0, null]);
}

describe.skipIf(reason)('the app keeps running', () => {
  let desktop: RunningDesktop;
  let aggregator: Site;
  beforeAll(async () => {
    aggregator = await openSite();
    desktop = await launchDesktop({ args });
  });
  afterAll(async () => {
    await desktop.stop();
    await aggregator.close();
  });

  test('when its window’s process is killed: the page is loaded again, at the same place', async () => {
    await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript("location.hash = '#/settings'"),
    );
    const pidOf = () =>
      desktop.app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows()[0]!.webContents.getOSProcessId(),
      );
    const pid = await pidOf();
    process.kill(pid, 'SIGKILL');
    // A page that is only just dying answers nothing for ever, so it is asked when there is another process.
    const isBack = (before: number) =>
      desktop.app.evaluate(({ BrowserWindow }, before) => {
        const contents = BrowserWindow.getAllWindows()[0]!.webContents;
        const now = contents.getOSProcessId();
        return now !== 0 && now !== before && !contents.isCrashed() && !contents.isLoading();
      }, before);
    await expect.poll(() => isBack(pid), { timeout: 60_000 }).toBe(true);
    expect(await placeOf(desktop)).toBe('#/settings');
    expect((await fetch(`http://127.0.0.1:${desktop.ready.port}/`)).status).toBe(200);
  });

  test('a porchlight: link opens the screen that it names, and nothing else', async () => {
    await startAgain(desktop.dataDir, 'porchlight://media/');
    await expect.poll(() => placeOf(desktop)).toBe('#/media');
    await startAgain(desktop.dataDir, 'porchlight:sign-ins?id=1');
    expect(await placeOf(desktop)).toBe('#/media');
  });

  test('after sleep, and imports the mentions that the aggregator received in the meantime', async () => {
    const ask = (code: string) =>
      desktop.app.evaluate(
        ({ BrowserWindow }, code) =>
          BrowserWindow.getAllWindows()[0]!.webContents.executeJavaScript(code) as Promise<unknown>,
        code,
      );
    const { origin } = aggregator;
    const patch = JSON.stringify({ webmention: { aggregatorUrl: origin } });
    await ask(`porchlight.call('settings.update', ${patch})`);
    await ask("porchlight.call('secrets.setAggregatorToken', { token: 'a-token' })");
    expect(aggregator.requests).toHaveLength(0);
    await desktop.app.evaluate(({ powerMonitor }) => void powerMonitor.emit('resume'));
    await expect.poll(() => aggregator.requests.length, { timeout: 60_000 }).toBeGreaterThan(0);
  });
});

describe.skipIf(reason)('the app starts again', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-again-'));
  });
  afterEach(async () => {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });

  test('after kill -9, with its data, and without a message that it is already running', async () => {
    const first = spawnDesktop(dataDir);
    const { managementToken } = await first.ready;
    first.signal('SIGKILL');
    await first.exited;
    const second = spawnDesktop(dataDir);
    expect((await second.ready).managementToken).toBe(managementToken);
    second.signal('SIGTERM');
    expect(await second.exited).toBe(0);
  });

  test('by itself, once, when its main process fails unexpectedly', async () => {
    const desktop = await launchDesktop({ dataDir, args });
    const failed = desktop.app.process().pid!;
    await desktop.app.evaluate(
      () =>
        void setTimeout(() => {
          throw new Error('unexpected');
        }),
    );
    const holder = () => processWith(dataDir);
    await expect.poll(holder, { timeout: 90_000 }).not.toBe(failed);
    await expect.poll(holder, { timeout: 90_000 }).not.toBeNull();
    process.kill((await holder())!, 'SIGTERM');
    await expect.poll(holder, { timeout: 60_000 }).toBeNull();
    expect(existsSync(join(dataDir, 'electron', 'crash.json'))).toBe(true);
    expect(await readFile(join(dataDir, 'logs', 'porchlight.log'), 'utf8')).toContain('Error: unexpected');
  });

  test.skipIf(process.platform !== 'linux')(
    'at login if the owner enabled it, and no longer once the owner removed it from the system',
    async () => {
      const config = join(dataDir, 'config');
      const env = { XDG_CONFIG_HOME: config };
      const first = await launchDesktop({ dataDir, env });
      await callOwner(first.page, 'settings.update', { desktop: { startAtLogin: true } });
      const [entry] = await readdir(join(config, 'autostart'));
      expect(entry).toMatch(/^porchlight-[0-9a-f]{8}\.desktop$/);
      await first.stop();

      await rm(join(config, 'autostart', entry!));
      const second = await launchDesktop({ dataDir, env });
      expect((await callOwner(second.page, 'settings.get', {})).desktop.startAtLogin).toBe(false);
      expect(await readdir(join(config, 'autostart'))).toEqual([]);
      await second.stop();
    },
  );
});
