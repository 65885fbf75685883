import { expect, onTestFinished, test } from 'vitest';
import { callOwner, launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';
import { mailboxScene, mentionSources, sendMention } from '../../support/mailbox-scene.ts';

const reason = whyNoDesktop();
if (reason !== undefined) console.log(`The mailbox is not tested with the desktop app: ${reason}.`);

const patience = { timeout: 120_000, interval: 250 };

test.skipIf(reason)(
  'the mailbox answers from suspend to resume, and what came meanwhile is fetched on waking',
  { timeout: 240_000 },
  async () => {
    const scene = await mailboxScene();
    const sources = await mentionSources(`${scene.url}/`);
    const desktop = await launchDesktop({
      dataDir: scene.dataDir,
      args: ['--secrets', 'file', ...scene.args],
    });
    onTestFinished(async () => {
      await desktop.stop();
    });
    const status = () => callOwner(desktop.page, 'mailbox.status', {});
    const power = (event: 'suspend' | 'resume') =>
      desktop.app.evaluate(({ powerMonitor }, name) => void powerMonitor.emit(name), event);
    const home = async () => (await fetch(`${scene.url}/`, { headers: { accept: 'text/html' } })).text();
    await expect.poll(status, patience).toMatchObject({ state: 'asleep-ready', toCopy: 0 });
    expect(await home()).not.toContain('This is a copy from');

    await power('suspend');
    await expect.poll(home, patience).toContain('This is a copy from');
    expect(await sendMention(scene.url, sources.page('while-asleep'), `${scene.url}/`)).toBe(202);
    expect(sources.reads.size).toBe(0);

    await power('resume');
    await expect.poll(status, patience).toMatchObject({ lastDrain: { arrived: 1 } });
    await expect
      .poll(async () => (await callOwner(desktop.page, 'webmentions.list', {})).items, patience)
      .toMatchObject([{ source: sources.page('while-asleep') }]);
    await expect.poll(home, patience).not.toContain('This is a copy from');

    await desktop.stop();
    expect(await home()).toContain('This is a copy from');
  },
);
