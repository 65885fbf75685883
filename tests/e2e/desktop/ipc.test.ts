import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MethodName, Reply } from '../../../src-main/contract/contract.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The desktop tests are skipped: ${reason}.`);

/** Opens a hidden window with the real preload, and asks from its main frame. */
function askFromAnotherWindow(desktop: RunningDesktop, address: string): Promise<Reply> {
  return desktop.app.evaluate(async ({ app, BrowserWindow }, address) => {
    const stranger = new BrowserWindow({
      show: false,
      webPreferences: { preload: `${app.getAppPath()}/out/main/preload.cjs`, sandbox: true },
    });
    await stranger.loadURL(address);
    const ask = "window.porchlight.call('secrets.managementToken', {})";
    const reply = (await stranger.webContents.executeJavaScript(ask)) as Reply;
    stranger.destroy();
    return reply;
  }, address);
}

describe.skipIf(reason)('calls from the window', () => {
  let desktop: RunningDesktop;
  beforeAll(async () => {
    desktop = await launchDesktop();
  });
  afterAll(async () => {
    await desktop.stop();
  });

  test('are answered', async () => {
    await expect
      .poll(() => callOwner(desktop.page, 'status.get', {}))
      .toMatchObject({ server: 'on', secrets: 'file' });
  });

  test('an unknown method and wrong parameters are errors', async () => {
    await expect(callOwner(desktop.page, 'status.nothing' as MethodName, {})).rejects.toThrow();
    await expect(callOwner(desktop.page, 'status.get', { extra: 1 })).rejects.toThrow();
  });

  test.each(['app://porchlight/index.html', 'data:text/html,stranger', 'about:blank'])(
    'are refused to another window, at %s',
    async (address) => {
      expect(await askFromAnotherWindow(desktop, address)).toMatchObject({ error: { code: 'not_allowed' } });
    },
  );

  test('calls from a frame in the window are refused', async () => {
    // Frames have no preload, so no real frame can send. The test passes its call to the real handler.
    const replies = await desktop.app.evaluate(async ({ BrowserWindow, ipcMain }) => {
      const contents = BrowserWindow.getAllWindows()[0]!.webContents;
      const handlers = (
        ipcMain as unknown as { _invokeHandlers: Map<string, (...args: unknown[]) => Promise<unknown>> }
      )._invokeHandlers;
      const handle = handlers.get('porchlight:call')!;
      await contents.executeJavaScript(
        "document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: 'x' })), undefined",
      );
      // The main process hears of a frame a little later than the page that makes it.
      while (contents.mainFrame.frames[0] === undefined)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const [frame] = contents.mainFrame.frames;
      const from = (senderFrame: unknown) =>
        handle({ sender: contents, senderFrame }, 'secrets.managementToken', {});
      return { frame: await from(frame), main: await from(contents.mainFrame), gone: await from(null) };
    });
    expect(replies.frame).toMatchObject({ error: { code: 'not_allowed' } });
    expect(replies.gone).toMatchObject({ error: { code: 'not_allowed' } });
    expect(replies.main).toHaveProperty('result');
  });

  test('calls are refused once the window shows another origin', async () => {
    // The window cannot get there by itself; the main process takes it there.
    const second = await launchDesktop();
    try {
      const reply = await second.app.evaluate(async ({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]!.webContents;
        await contents.loadURL('data:text/html,stranger');
        return (await contents.executeJavaScript(
          "window.porchlight.call('secrets.managementToken', {})",
        )) as Reply;
      });
      expect(reply).toMatchObject({ error: { code: 'not_allowed' } });
    } finally {
      await second.stop();
    }
  });
});
