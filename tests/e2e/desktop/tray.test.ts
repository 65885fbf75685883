import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickTray, trayImage, trayLabels, watchTray } from '../../support/desktop-tray.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

/** The HTTP status with which the server answers; while it is off, the port stays open and says so. */
async function statusOf(port: number): Promise<number> {
  // A connection that an earlier request left open is closed when the server is turned on or off.
  const headers = { connection: 'close' };
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers, signal: AbortSignal.timeout(5000) });
  await answer.body?.cancel();
  return answer.status;
}

describe.skipIf(reason)('the tray', () => {
  let desktop: RunningDesktop;
  beforeAll(async () => {
    desktop = await launchDesktop();
    await watchTray(desktop);
    await callOwner(desktop.page, 'server.turnOff', {});
    await callOwner(desktop.page, 'server.turnOn', {});
  });
  afterAll(async () => {
    await desktop.stop();
  });

  test('turns Porchlight off and on again, and changes its image', async () => {
    const { port } = desktop.ready;
    await expect.poll(() => trayLabels(desktop)).toContain('Turn off');
    const lit = await trayImage(desktop);
    expect(await statusOf(port)).toBe(200);

    await clickTray(desktop, 'Turn off');
    await expect.poll(() => trayLabels(desktop)).toContain('Turn on');
    expect(await statusOf(port)).toBe(503);
    expect(await trayImage(desktop)).not.toBe(lit);

    await clickTray(desktop, 'Turn on');
    await expect.poll(() => trayLabels(desktop)).toContain('Turn off');
    expect(await trayImage(desktop)).toBe(lit);
    const { port: now } = await callOwner(desktop.page, 'status.get', {});
    expect(now).toBe(port);
    expect(await statusOf(port)).toBe(200);
  });

  test('shows the status in words and brings back a window that was closed', async () => {
    const { words, baseUrl } = await callOwner(desktop.page, 'status.get', {});
    expect(await trayLabels(desktop)).toEqual([
      words,
      `Copy ${baseUrl}`,
      'Turn off',
      'Self-test',
      'Write a post',
      'Open Porchlight',
      'Start at login',
      'Quit',
    ]);
    const visible = () =>
      desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.isVisible());
    await desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    expect(await visible()).toBe(false);
    await clickTray(desktop, 'Open Porchlight');
    await expect.poll(visible).toBe(true);
  });

  test('offers an import only while there is a token', async () => {
    await callOwner(desktop.page, 'secrets.setAggregatorToken', { token: 'a-token' });
    await expect.poll(() => trayLabels(desktop)).toContain('Import now');
    await callOwner(desktop.page, 'secrets.setAggregatorToken', { token: '' });
    await expect.poll(() => trayLabels(desktop)).not.toContain('Import now');
  });

  test('keeps the window in step: the page learns of each change made in the tray', async () => {
    await desktop.page.evaluate(() => {
      Reflect.set(window, 'heard', []);
      window.porchlight!.subscribe(({ name, data }) => {
        if (name === 'status.changed') (Reflect.get(window, 'heard') as string[]).push(data.server);
      });
    });
    await clickTray(desktop, 'Turn off');
    await expect
      .poll(() => desktop.page.evaluate(() => (Reflect.get(window, 'heard') as string[]).at(-1)))
      .toBe('off');
  });

  test('ends the app with its Quit', async () => {
    const other = await launchDesktop();
    await watchTray(other);
    await callOwner(other.page, 'server.turnOff', {});
    await expect.poll(() => trayLabels(other)).toContain('Turn on');
    const child = other.app.process();
    await clickTray(other, 'Quit').catch(() => undefined);
    await expect.poll(() => child.exitCode, { timeout: 60_000 }).toBe(0);
    await other.stop();
  });
});
