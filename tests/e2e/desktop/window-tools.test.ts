import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The window's tools are not tested: ${reason}.`);

/** Clicks an item of the application menu. */
function clickMenu({ app }: RunningDesktop, menu: string, item: string): Promise<void> {
  return app.evaluate(
    ({ Menu, BrowserWindow }, [menu, item]) => {
      const bar = Menu.getApplicationMenu()?.items.find(({ label }) => label.replace('&', '') === menu);
      const found = bar?.submenu?.items.find(({ label }) => label === item);
      if (!found) throw new Error(`There is no ${menu} > ${item}`);
      (found.click as (event: undefined, window: unknown) => void)(
        undefined,
        BrowserWindow.getAllWindows()[0],
      );
    },
    [menu, item] as const,
  );
}

/** Presses keys as the system does: Playwright's own would pass by the main process. */
async function press(
  { app }: RunningDesktop,
  keyCode: string,
  modifiers: ('control' | 'shift')[],
): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, { keyCode, modifiers }) => {
      const contents = BrowserWindow.getAllWindows()[0]!.webContents;
      for (const type of ['keyDown', 'keyUp'] as const) contents.sendInputEvent({ type, keyCode, modifiers });
    },
    { keyCode, modifiers },
  );
}

const zoomOf = ({ app }: RunningDesktop) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.webContents.getZoomFactor());
const sizeOf = ({ app }: RunningDesktop) =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.getSize());
const goTo = (desktop: RunningDesktop, hash: string) =>
  desktop.page.evaluate((to) => void (location.hash = to), hash);

describe.skipIf(reason)('the desktop window', () => {
  let desktop: RunningDesktop;
  beforeAll(async () => {
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://127.0.0.1:9/'],
    });
    await desktop.page.getByRole('navigation').waitFor();
  });
  afterAll(async () => {
    await desktop.stop();
  });
  beforeEach(async () => {
    await goTo(desktop, '#/settings');
    await desktop.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  });

  test('has a menu that goes to the settings and to the support file', async () => {
    await goTo(desktop, '#/apps');
    await desktop.page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
    await clickMenu(desktop, 'File', 'Settings…');
    await desktop.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await clickMenu(desktop, 'Help', 'Report a problem…');
    await desktop.page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
  });

  test('zooms by the menu and the keys, and says how far', async () => {
    await clickMenu(desktop, 'View', 'Zoom in');
    await desktop.page.getByText('Zoom: 110%').waitFor();
    await press(desktop, '=', ['control']);
    await expect.poll(() => zoomOf(desktop)).toBeCloseTo(1.25);
    await press(desktop, '-', ['control']);
    await expect.poll(() => zoomOf(desktop)).toBeCloseTo(1.1);
    await press(desktop, '0', ['control']);
    await expect.poll(() => zoomOf(desktop)).toBeCloseTo(1);
    await desktop.page.getByText('Zoom: 100%').waitFor();
  });

  test('finds words on the page, and the search field keeps the focus', async () => {
    const { page } = desktop;
    await clickMenu(desktop, 'Edit', 'Find…');
    const bar = page.getByRole('search', { name: 'Find in this window' });
    const field = bar.getByRole('textbox', { name: 'Find' });
    await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Find');
    await page.keyboard.type('WEBMENTIONS');
    const shown = await page.locator('body').innerText();
    const count = [...shown.matchAll(/webmentions/gi)].length;
    expect(count).toBeGreaterThan(1);
    await bar.getByText(`1 of ${count}`).waitFor();
    const painted = () =>
      page.evaluate(() =>
        [...(CSS.highlights.get('found-now') ?? [])].map((range) => (range as Range).toString()),
      );
    expect(await painted()).toEqual(['Webmentions']);
    await page.keyboard.press('Enter');
    await bar.getByText(`2 of ${count}`).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    await bar.getByText(`${count} of ${count}`).waitFor();
    expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('no such words');
    await bar.getByText('No matches').waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
  });

  test('has a context menu in text fields, and none elsewhere', async () => {
    await desktop.app.evaluate(({ Menu }) => {
      const shown: string[][] = [];
      Reflect.set(globalThis, 'contextMenus', shown);
      Menu.prototype.popup = function popup() {
        shown.push(this.items.map(({ label, type }) => (type === 'separator' ? '-' : label)));
      };
    });
    const menus = () => desktop.app.evaluate(() => Reflect.get(globalThis, 'contextMenus') as string[][]);
    await desktop.page.getByRole('heading', { level: 1 }).click({ button: 'right' });
    await desktop.page.getByLabel('Name', { exact: true }).first().click({ button: 'right' });
    await expect
      .poll(async () => (await menus()).at(-1))
      .toEqual(['Undo', 'Redo', '-', 'Cut', 'Copy', 'Paste', '-', 'Select all']);
    expect(await menus()).toHaveLength(1);
  });

  test('keeps unsaved writing when it is opened again at the same place', async () => {
    const name = desktop.page.getByLabel('Name', { exact: true }).first();
    await name.fill('Half a na');
    await clickMenu(desktop, 'File', 'Settings…');
    await desktop.page.evaluate(() => new Promise((next) => setTimeout(next, 300)));
    expect(await name.inputValue()).toBe('Half a na');
  });
});

describe.skipIf(reason)('the desktop window after a restart', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'porchlight-window-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }));

  test('has the zoom and the size that it had', async () => {
    const first = await launchDesktop({ dataDir });
    await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.setSize(900, 640));
    await expect.poll(() => sizeOf(first)).toEqual([900, 640]);
    await clickMenu(first, 'View', 'Zoom in');
    await clickMenu(first, 'View', 'Zoom in');
    await expect.poll(() => zoomOf(first)).toBeCloseTo(1.25);
    await first.stop();

    const second = await launchDesktop({ dataDir });
    try {
      await expect.poll(() => zoomOf(second)).toBeCloseTo(1.25);
      expect(await sizeOf(second)).toEqual([900, 640]);
    } finally {
      await second.stop();
    }
  });

  test('has the size that it got while it was hidden', async () => {
    const first = await launchDesktop({ dataDir });
    await first.app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows();
      window!.hide();
      window!.setSize(880, 620);
    });
    await expect.poll(() => sizeOf(first)).toEqual([880, 620]);
    await first.stop();
    const second = await launchDesktop({ dataDir });
    try {
      expect(await sizeOf(second)).toEqual([880, 620]);
    } finally {
      await second.stop();
    }
  });

  test('opens on the screen in its usual size if its file is damaged', async () => {
    await mkdir(join(dataDir, 'electron'), { recursive: true });
    await writeFile(
      join(dataDir, 'electron', 'window.json'),
      '{"x":90000,"y":5,"width":900,"height":700,"zoom":"x"}',
    );
    const desktop = await launchDesktop({ dataDir });
    try {
      expect(await sizeOf(desktop)).toEqual([1100, 760]);
      expect(await zoomOf(desktop)).toBeCloseTo(1);
    } finally {
      await desktop.stop();
    }
  });
});

describe.skipIf(reason)('spell checking', () => {
  let proxy: Server;
  let desktop: RunningDesktop;
  const requests: string[] = [];
  beforeAll(async () => {
    // Everything that Chromium asks other computers for comes through here, and gets no further.
    proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        requests.push(String(data).split('\r\n', 1)[0] ?? '');
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    desktop = await launchDesktop({
      args: [
        '--secrets',
        'file',
        '--allow-private-fetch',
        '--me',
        'http://127.0.0.1:9/',
        `--proxy-server=127.0.0.1:${port}`,
        '--proxy-bypass-list=<-loopback>',
      ],
      env: { LANGUAGE: 'en_US', LANG: 'en_US.UTF-8' },
    });
  });
  afterAll(async () => {
    await desktop.stop();
    proxy.close();
  });

  test('downloads nothing until the owner agrees, and the dictionary then', async () => {
    const { page, app } = desktop;
    await goTo(desktop, '#/write');
    await page.locator('textarea').first().fill('A sentense with misteaks.');
    await page.evaluate(() => new Promise((next) => setTimeout(next, 2000)));
    expect(requests).toEqual([]);

    await app.evaluate(({ dialog }) => {
      Reflect.set(dialog, 'showMessageBox', (box: { message: string }) => {
        Reflect.set(globalThis, 'askedAboutSpelling', box.message);
        return Promise.resolve({ response: 0, checkboxChecked: false });
      });
    });
    await clickMenu(desktop, 'Edit', 'Check spelling');
    await expect.poll(() => requests.join(), { timeout: 60_000 }).toContain('redirector.gvt1.com');
    expect(await app.evaluate(() => Reflect.get(globalThis, 'askedAboutSpelling') as string)).toMatch(
      /^Download/,
    );
    await page.keyboard.press('Escape');
  });
});
