import { expect, onTestFinished, test } from 'vitest';
import { callOwner, launchDesktop, whyNoDesktop } from '../../support/electron-app.ts';
import { keyboardOf } from '../../support/keyboard.ts';
import { untilSteady } from '../../support/steady.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The editor in the desktop app is not tested: ${reason}.`);

test.skipIf(reason)(
  'in the desktop app, a draft is published from the list of posts with the keyboard',
  { timeout: 360_000 },
  async () => {
    const desktop = await launchDesktop({
      args: ['--secrets', 'file', '--me', 'https://robin.example/', '--tunnel', 'off'],
    });
    onTestFinished(async () => expect(await desktop.stop()).toBe(0));
    const { page } = desktop;
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const { url } = await callOwner(page, 'posts.create', {
      text: 'Half a thought.',
      format: 'plain',
      photos: [],
      categories: [],
      visibility: 'public',
      status: 'draft',
    });
    expect((await fetch(url)).status).toBe(404);
    await page.evaluate(() => void (location.hash = '#/posts'));
    const row = page.getByRole('button', { name: /Half a thought/ });
    await row.waitFor();
    await row.focus();
    const keyboard = keyboardOf(page);
    await keyboard.press('Enter');
    const publish = page.getByRole('button', { name: 'Publish', exact: true });
    await untilSteady(publish);
    await publish.focus();
    await keyboard.press('Enter');
    await expect.poll(async () => (await fetch(url)).status).toBe(200);
  },
);
