import { expect, onTestFinished, test } from 'vitest';
import { resultOf } from '../../../src-main/contract/reply.ts';
import { launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';
import { openFakeLogind, whyNoLogind } from '../../support/fake-logind.ts';
import { mailboxScene, mentionSources, sendMention } from '../../support/mailbox-scene.ts';

const reason = whyNoDesktop() ?? whyNoLogind();
if (reason !== undefined) console.log(`The mailbox is not tested with the desktop app: ${reason}.`);

const patience = { timeout: 360_000, interval: 250 };

test.skipIf(reason)(
  'the mailbox answers from suspend to resume, and its mentions are fetched on waking',
  { timeout: 240_000 },
  async () => {
    const scene = await mailboxScene();
    const sources = await mentionSources(`${scene.url}/`);
    const logind = await openFakeLogind();
    onTestFinished(() => logind.close());
    const desktop = await launchDesktop({
      dataDir: scene.dataDir,
      args: ['--secrets', 'file', ...scene.args],
      env: logind.env,
    });
    onTestFinished(async () => {
      await desktop.stop();
    });
    // The sleep ends the connection to the window, as it ends others.
    const call = async <M extends 'mailbox.status' | 'webmentions.list'>(method: M) =>
      resultOf<M>(
        await desktop.app.evaluate(
          ({ BrowserWindow }, script) =>
            BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(script) as Promise<unknown>,
          `window.porchlight.call('${method}', {})`,
        ),
      );
    const status = () => call('mailbox.status');
    const home = async () => (await fetch(`${scene.url}/`, { headers: { accept: 'text/html' } })).text();
    await expect.poll(status, patience).toMatchObject({ state: 'asleep-ready', toCopy: 0 });
    expect(await home()).not.toContain('This is a copy from');

    await logind.announce('sleep');
    await expect.poll(home, patience).toContain('This is a copy from');
    expect(await sendMention(scene.url, sources.page('while-asleep'), `${scene.url}/`)).toBe(202);
    expect(sources.reads.size).toBe(0);

    await logind.announce('waking');
    await expect.poll(status, patience).toMatchObject({ lastDrain: { arrived: 1 } });
    await expect
      .poll(async () => (await call('webmentions.list')).items, patience)
      .toMatchObject([{ source: sources.page('while-asleep') }]);
    await expect.poll(home, patience).not.toContain('This is a copy from');

    await desktop.stop();
    expect(await home()).toContain('This is a copy from');
  },
);
