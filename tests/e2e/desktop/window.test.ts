import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  desktopArguments,
  desktopEnvironment,
  electronBinary,
  launchDesktop,
  whyNoDesktop,
  type RunningDesktop,
} from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

describe.skipIf(reason)('the window', () => {
  let desktop: RunningDesktop;
  // In the place of the dev server that `npm run dev` names.
  let asked = 0;
  const devServer = createServer((_request, response) => {
    asked += 1;
    response.end('<h1>Another page</h1>');
  });
  beforeAll(async () => {
    await once(devServer.listen(0, '127.0.0.1'), 'listening');
    const { port } = devServer.address() as AddressInfo;
    desktop = await launchDesktop({ env: { PORCHLIGHT_DEV_WINDOW: `http://127.0.0.1:${port}` } });
  });
  afterAll(async () => {
    devServer.close();
    await desktop.stop();
  });

  test('opens from app:// and draws its page', async () => {
    expect(new URL(desktop.page.url()).href).toMatch(/^app:\/\/porchlight\/index\.html/);
    await desktop.page.waitForSelector('#root h1, #root h2, #root nav');
    expect(await desktop.page.title()).toContain('Porchlight');
  });

  test('the window uses no development server that the environment names', async () => {
    await desktop.page.waitForSelector('#root h1, #root h2, #root nav');
    expect(asked).toBe(0);
  });

  test('the window sees nothing of Node or Electron except four functions', async () => {
    const seen = await desktop.page.evaluate(() => ({
      node: ['require', 'process', 'Buffer', 'module'].filter((name) => name in globalThis),
      bridge: Object.keys(window.porchlight ?? {}),
    }));
    expect(seen).toEqual({
      node: [],
      bridge: ['call', 'subscribe', 'watchWindow', 'closeWindow', 'restWindow'],
    });
  });

  test('keeps what browsers keep in the folder of --data, and nothing in another Porchlight’s', async () => {
    const kept = await desktop.app.evaluate(({ session }) => session.defaultSession.getStoragePath());
    expect(kept).toBe(join(desktop.dataDir, 'electron'));
  });

  test('the window is sandboxed and isolated', async () => {
    const preferences = await desktop.app.evaluate(({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]!.webContents as unknown as {
        getLastWebPreferences(): Record<string, unknown>;
      };
      const { sandbox, contextIsolation, nodeIntegration, webviewTag, ...others } =
        contents.getLastWebPreferences();
      const { webSecurity, allowRunningInsecureContent, experimentalFeatures } = others;
      const { enableBlinkFeatures = '', nodeIntegrationInSubFrames } = others;
      return {
        sandbox,
        contextIsolation,
        nodeIntegration,
        webviewTag,
        webSecurity,
        allowRunningInsecureContent,
        experimentalFeatures,
        enableBlinkFeatures,
        nodeIntegrationInSubFrames,
      };
    });
    expect(preferences).toEqual({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
      enableBlinkFeatures: '',
      nodeIntegrationInSubFrames: false,
    });
  });

  test('the window opens no other window', async () => {
    const opened = await desktop.page.evaluate(() => window.open('app://porchlight/index.html'));
    expect(opened).toBeNull();
    expect(await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length)).toBe(1);
  });

  test('the window opens https addresses in the browser, and nothing that could start a program', async () => {
    await desktop.app.evaluate(({ shell }) => {
      const opened: string[] = [];
      Reflect.set(globalThis, 'openedOutside', opened);
      shell.openExternal = (address) => Promise.resolve(void opened.push(address));
    });
    await desktop.page.evaluate(() => {
      for (const address of ['https://example.com/', 'file:///etc/passwd', 'smb://host/x', 'javascript:1'])
        window.open(address);
    });
    expect(await desktop.app.evaluate(() => Reflect.get(globalThis, 'openedOutside') as string[])).toEqual([
      'https://example.com/',
    ]);
  });

  test('the window navigates nowhere else', async () => {
    const here = desktop.page.url();
    await desktop.page.evaluate(() => {
      location.href = 'http://127.0.0.1:9/';
      location.href = 'app://elsewhere/index.html';
    });
    await desktop.page.evaluate(() => new Promise((next) => requestAnimationFrame(next)));
    expect(desktop.page.url()).toBe(here);
  });

  test('the window has no permission except to write to the clipboard', async () => {
    const states = await desktop.page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi'];
      const found = names.map(async (name) => [
        name,
        (await navigator.permissions.query({ name: name as PermissionName })).state,
      ]);
      return Object.fromEntries(await Promise.all(found)) as Record<string, string>;
    });
    expect(new Set(Object.values(states))).toEqual(new Set(['denied']));
    const refused = await desktop.page.evaluate(() =>
      navigator.mediaDevices.getUserMedia({ audio: true }).then(
        () => 'given',
        (error: unknown) => (error as DOMException).name,
      ),
    );
    expect(refused).not.toBe('given');
    // A machine without a microphone refuses it in any case.
    expect(await desktop.page.evaluate(() => Notification.requestPermission())).toBe('denied');
  });

  test('the window can connect to nothing outside itself, and runs no inline script', async () => {
    const found = await desktop.page.evaluate(async (port) => {
      const violations: string[] = [];
      document.addEventListener('securitypolicyviolation', (event) => {
        violations.push(event.effectiveDirective);
      });
      const script = document.createElement('script');
      script.textContent = 'window.inlineRan = true';
      document.head.append(script);
      const fetched = await fetch(`http://127.0.0.1:${port}/`).then(
        () => 'answered',
        () => 'refused',
      );
      while (violations.length < 2) await new Promise((next) => requestAnimationFrame(next));
      return { fetched, violations: violations.sort(), inlineRan: 'inlineRan' in window };
    }, desktop.ready.port);
    expect(found).toEqual({
      fetched: 'refused',
      violations: ['connect-src', 'script-src-elem'],
      inlineRan: false,
    });
  });

  test('the window gets no file from outside its own folder', async () => {
    const statuses = await desktop.app.evaluate(({ net }) =>
      Promise.all(
        [
          'app://porchlight/index.html',
          'app://porchlight/nothing.js',
          'app://porchlight/%2e%2e/main/desktop.js',
          'app://porchlight/..%2fmain%2fdesktop.js',
          'app://elsewhere/index.html',
        ].map(async (address) => (await net.fetch(address)).status),
      ),
    );
    expect(statuses).toEqual([200, 404, 404, 404, 404]);
  });

  test('hides when it is closed, and a second start brings it back and exits', async () => {
    const visible = () =>
      desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());
    await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    expect(await visible()).toBe(false);

    const second = spawn(electronBinary, desktopArguments(desktop.dataDir), {
      env: desktopEnvironment(),
      stdio: 'ignore',
    });
    const [code] = (await once(second, 'exit')) as [number];
    expect(code).toBe(0);
    await expect.poll(visible).toBe(true);
  });
});
