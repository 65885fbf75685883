import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The tests of the hidden window are skipped: ${reason}.`);

describe.skipIf(reason)('the hidden window', () => {
  let desktop: RunningDesktop;
  let page: Page;
  beforeAll(async () => {
    desktop = await launchDesktop();
    page = desktop.page;
    await callOwner(page, 'settings.update', { profile: { me: 'https://robin.example/' } });
  });
  afterAll(async () => {
    await desktop.stop();
  });

  const windows = () =>
    desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().map((window) => window.isVisible()),
    );
  const hide = () => desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
  /** What the app says after ten minutes. */
  const ask = () =>
    desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.send('porchlight:signal', { name: 'rest' }),
    );
  const startAgain = async (): Promise<void> => {
    await desktop.app.evaluate(({ app }) => void app.emit('second-instance', {}, []));
  };

  test('stays with unsaved changes', async () => {
    await page.evaluate(() => (window.location.hash = '#/settings/profile'));
    await page.getByLabel('Name', { exact: true }).fill('Robin');
    await hide();
    await ask();
    // The page's answer would come before the answer to this call.
    await callOwner(page, 'status.get', {});
    expect(await windows()).toEqual([false]);
    await page.getByRole('button', { name: 'Save' }).evaluate((button) => (button as HTMLElement).click());
    await page.getByText('Saved.').waitFor({ state: 'attached' });
  });

  test('is closed without them, while the server keeps running', async () => {
    await ask();
    await expect.poll(windows).toEqual([]);
    expect((await fetch(`http://127.0.0.1:${desktop.ready.port}/`)).status).toBe(200);
    expect(desktop.app.process().exitCode).toBeNull();
  });

  test('comes back at the same place, and works', async () => {
    const opened = desktop.app.waitForEvent('window');
    await startAgain();
    page = await opened;
    await expect.poll(windows).toEqual([true]);
    expect(new URL(page.url()).hash).toBe('#/settings/profile');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Robin');
    expect(await callOwner(page, 'status.get', {})).toMatchObject({ server: 'on' });
  });
});
