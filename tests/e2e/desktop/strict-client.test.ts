import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import {
  answerSignIn,
  shownDialogs,
  signInTitle,
  waitForDialog,
  watchDialogs,
  whyNoPresses,
} from '../../support/desktop-screen.ts';
import { launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { openStrictClient } from '../../support/strict-client.ts';

const reason = whyNoDesktop() ?? whyNoPresses();
if (reason) console.log(`The sign-in through the desktop app is skipped: ${reason}.`);

describe.skipIf(reason)('a sign-in, answered in the native dialog', () => {
  let desktop: RunningDesktop;
  let chromium: Browser;

  beforeAll(async () => {
    desktop = await launchDesktop({
      args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://localhost/'],
    });
    await watchDialogs(desktop.app);
    chromium = await launchChromium();
  });
  afterAll(async () => {
    await chromium.close();
    await desktop.stop();
  });

  test('Approve leads the browser of a strict client to the client, with the code that both screens showed', async () => {
    const client = await openStrictClient('Weather Vane');
    const visitor = await chromium.newPage();
    await visitor.goto(await client.start(desktop.ready.baseUrl, 'profile create'));
    await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
    const matchCode = (await visitor.locator('#match-code').textContent()) ?? '';
    await waitForDialog(signInTitle);
    const dialog = (await shownDialogs(desktop.app)).at(-1);
    expect(dialog?.message).toContain('Weather Vane');
    expect(dialog?.detail).toContain(`Approve only if your browser shows ${matchCode}.`);
    await answerSignIn('Approve');
    await visitor.waitForURL(/\/callback\?/);
    expect(await client.finish()).toMatchObject({ scope: 'profile create', me: 'http://localhost/' });
    await client.close();
  });
});
