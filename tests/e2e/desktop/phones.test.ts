import { setTimeout } from 'node:timers/promises';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../../support/chromium.ts';
import {
  countDialogs,
  pressButton,
  readingTime,
  shownDialogs,
  waitForDialog,
  watchDialogs,
  whyNoPresses,
} from '../../support/desktop-screen.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';
import { freePort } from '../../support/headless-process.ts';
import { openTestPhone } from '../../support/phone.ts';

const reason = whyNoDesktop() ?? whyNoPresses();
if (reason) console.log(`The tests of the pairing dialog are skipped: ${reason}.`);

const title = '[0-9]{3} [0-9]{3}: Pair this phone[?]';
const buttons = ['Cancel', 'Pair'];

describe.skipIf(reason)('the native pairing dialog', () => {
  let desktop: RunningDesktop;
  let chromium: Browser;

  beforeAll(async () => {
    const port = await freePort();
    // A passkey needs https or localhost.
    const address = ['--port', `${port}`, '--base-url', `http://localhost:${port}`];
    desktop = await launchDesktop({ args: ['--secrets', 'file', '--me', 'http://localhost/', ...address] });
    await watchDialogs(desktop.app);
    await callOwner(desktop.page, 'settings.update', { phones: { on: true } });
    chromium = await launchChromium();
  });
  afterAll(async () => {
    await chromium.close();
    await desktop.stop();
  });

  /** Scans a QR code with a new phone, and presses a button of the dialog, as somebody does who has compared the codes. */
  async function pair(button: 'Cancel' | 'Pair'): Promise<{ id: string; page: Page }> {
    const phone = await openTestPhone(chromium);
    const { id, url } = await callOwner(desktop.page, 'phones.pair', {});
    const code = await phone.scan(url);
    await waitForDialog(title);
    expect((await shownDialogs(desktop.app)).at(-1)).toMatchObject({
      message: `${code.slice(0, 3)} ${code.slice(3)}: Pair this phone?`,
      buttons,
    });
    await expect(callOwner(desktop.page, 'phones.confirm', { id })).rejects.toMatchObject({
      code: 'not_allowed',
    });
    await setTimeout(readingTime);
    await pressButton(title, buttons.indexOf(button), buttons.length);
    await expect.poll(() => countDialogs(title)).toBe(0);
    return { id, page: phone.page };
  }

  test('Cancel pairs nothing', async () => {
    const { page } = await pair('Cancel');
    await expect.poll(() => callOwner(desktop.page, 'phones.list', {})).toEqual([]);
    expect(await page.getByText('This phone is paired.').count()).toBe(0);
  });

  test('Pair pairs the phone that shows the same code, which only this dialog can do', async () => {
    const { id, page } = await pair('Pair');
    await page.getByText('This phone is paired. No sign-in is waiting.').waitFor();
    const [paired, ...others] = await callOwner(desktop.page, 'phones.list', {});
    expect(paired).toMatchObject({ id, usable: true, pairedAt: expect.any(String) as string });
    expect(paired?.code).toBeUndefined();
    expect(others).toEqual([]);
  });
});
