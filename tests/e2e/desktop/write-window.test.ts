import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Reply } from '../../../src-main/contract/contract.ts';
import { whyNoPresses } from '../../support/desktop-screen.ts';
import { patience } from '../../support/patience.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

const whyNoKeys = whyNoPresses();
if (!reason && whyNoKeys) console.log(`The test that presses the shortcut is skipped: ${whyNoKeys}.`);

const isSmall = (page: Page) => page.url().includes('?small');

describe.skipIf(reason)('the small window of the editor', () => {
  let desktop: RunningDesktop;
  beforeAll(async () => {
    desktop = await launchDesktop();
  });
  afterAll(async () => {
    await desktop.stop();
  });

  const clickMenu = (label: string) =>
    desktop.app.evaluate(({ Menu }, label) => {
      const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []) ?? [];
      items.find((item) => item.label === label)?.click();
    }, label);
  const visible = () =>
    desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => ({
        small: window.webContents.getURL().includes('?small'),
        shown: window.isVisible(),
      })),
    );
  const smallWindow = async () => {
    await expect.poll(() => desktop.app.windows().some(isSmall)).toBe(true);
    return desktop.app.windows().find(isSmall)!;
  };

  test('opens from the menu with the editor, and its page may call the owner’s API', async () => {
    await clickMenu('Write a post');
    const page = await smallWindow();
    await page.waitForFunction(() => window.porchlight !== undefined);
    expect(new URL(page.url()).hash).toBe('#/write');
    expect(await callOwner(page, 'status.get', {})).toMatchObject({ server: 'on' });
    const size = await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.getSize()),
    );
    expect(size).toContainEqual([520, 640]);
  });

  test('has the text, photos and a button that publishes, closes then, and opens with a new post', async () => {
    await callOwner(desktop.page, 'settings.update', { profile: { me: 'https://robin.example/' } });
    const page = await smallWindow();
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('From the small window.');
    expect(await page.getByRole('navigation').count()).toBe(0);
    const names = await page
      .getByRole('button')
      .evaluateAll((buttons) =>
        buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent),
      );
    expect(names).toEqual(['Add photos', 'More…', 'Publish']);
    await page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(visible).toContainEqual({ small: true, shown: false });
    await clickMenu('Write a post');
    await expect.poll(visible).toContainEqual({ small: true, shown: true });
    await expect.poll(() => text.inputValue()).toBe('');
    expect(new URL(page.url()).hash).toBe('#/write');
    const { items } = await callOwner(page, 'posts.list', {});
    expect(items).toMatchObject([{ status: 'published', summary: 'From the small window.' }]);
  });

  test('shows the rest of the editor with “More…”', async () => {
    const page = await smallWindow();
    await page.getByRole('button', { name: 'More…' }).click();
    await page.getByText('Article', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Details' }).waitFor();
  });

  test('hears events, as the other window does', async () => {
    const page = await smallWindow();
    await page.evaluate(() => {
      window.porchlight!.subscribe(({ name }) => document.body.classList.add(name.replace('.', '-')));
    });
    await callOwner(desktop.page, 'settings.update', { desktop: { sound: true } });
    await page.waitForSelector('body.settings-changed');
  });

  test('is locked down as the other window is', async () => {
    const page = await smallWindow();
    const seen = await page.evaluate(() => ({
      node: ['require', 'process', 'Buffer', 'module'].filter((name) => name in globalThis),
      bridge: Object.keys(window.porchlight ?? {}),
      opened: window.open('https://a.example/') !== null,
    }));
    expect(seen).toEqual({
      node: [],
      bridge: ['call', 'subscribe', 'watchWindow', 'closeWindow', 'restWindow'],
      opened: false,
    });
    const preferences = await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => {
        const contents = window.webContents as unknown as {
          getLastWebPreferences(): Record<string, unknown>;
        };
        const { sandbox, contextIsolation, nodeIntegration, webviewTag } = contents.getLastWebPreferences();
        return { sandbox, contextIsolation, nodeIntegration, webviewTag };
      }),
    );
    const locked = { sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false };
    expect(preferences).toEqual([locked, locked]);
  });

  test('is hidden by Escape, keeps its page, and comes back', async () => {
    const page = await smallWindow();
    await page.evaluate(() => document.body.setAttribute('data-kept', ''));
    await page.keyboard.press('Escape');
    await expect.poll(visible).toContainEqual({ small: true, shown: false });
    await clickMenu('Write a post');
    await expect.poll(visible).toContainEqual({ small: true, shown: true });
    expect(await page.locator('body[data-kept]').count()).toBe(1);
    expect(desktop.app.windows()).toHaveLength(2);
  });

  test.skipIf(whyNoKeys)('opens by the keys of the owner’s shortcut, whatever has the focus', async () => {
    await callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: 'Control+Alt+Y' } });
    await (await smallWindow()).keyboard.press('Escape');
    await expect.poll(visible).toContainEqual({ small: true, shown: false });
    await desktop.app.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.blur();
    });
    execFileSync('xdotool', ['key', 'ctrl+alt+y']);
    await expect.poll(visible, patience).toContainEqual({ small: true, shown: true });
    await callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: '' } });
  });

  test('gets no answers once it shows another origin', async () => {
    const reply = await desktop.app.evaluate(async ({ BrowserWindow }) => {
      const { webContents } = BrowserWindow.getAllWindows().find((window) =>
        window.webContents.getURL().includes('?small'),
      )!;
      await webContents.loadURL('data:text/html,stranger');
      return (await webContents.executeJavaScript(
        "window.porchlight.call('secrets.managementToken', {})",
      )) as Reply;
    });
    expect(reply).toMatchObject({ error: { code: 'not_allowed' } });
  });

  test('opens by the shortcut that the owner sets, and no longer once it is removed', async () => {
    const isRegistered = () =>
      desktop.app.evaluate(({ globalShortcut }) => globalShortcut.isRegistered('Control+Alt+Y'));
    expect(await isRegistered()).toBe(false);
    await callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: 'Control+Alt+Y' } });
    expect(await isRegistered()).toBe(true);
    await expect(
      callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: 'Nonsense+Y' } }),
    ).rejects.toThrow('another app uses it');
    expect(await isRegistered()).toBe(true);
    expect((await callOwner(desktop.page, 'settings.get', {})).desktop.writeShortcut).toBe('Control+Alt+Y');
    await callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: '' } });
    expect(await isRegistered()).toBe(false);
  });

  test('does not keep the app from quitting', async () => {
    await callOwner(desktop.page, 'settings.update', { desktop: { writeShortcut: 'Control+Alt+Y' } });
    expect(await desktop.stop()).toBe(0);
  });
});
