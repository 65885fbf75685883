import { expect, test } from 'vitest';
import type { Status } from '../../../src-main/contract/status.ts';
import { runCli } from '../../support/cli.ts';
import { launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';

const why = whyNoDesktop();
if (why !== undefined) console.warn(`The command with the desktop app is not tested: ${why}.`);

test.skipIf(why !== undefined)(
  'the porchlight command reaches the desktop app and shows its window',
  async () => {
    const desktop = await launchDesktop();
    const { app, dataDir, ready } = desktop;
    const { code, stdout } = await runCli(['status', '--json', '--data', dataDir]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Status).baseUrl).toBe(ready.baseUrl);

    const isVisible = () =>
      app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().some((window) => window.isVisible()));
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().forEach((window) => window.hide()),
    );
    expect(await isVisible()).toBe(false);
    const opened = await runCli(['open', '--data', dataDir]);
    expect(opened).toMatchObject({ code: 0, stdout: 'The window is open.\n' });
    await expect.poll(isVisible).toBe(true);

    expect(await desktop.stop()).toBe(0);
    expect(await runCli(['status', '--data', dataDir])).toMatchObject({ code: 3 });
  },
);
