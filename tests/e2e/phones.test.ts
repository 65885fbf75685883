import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { freePort, type HeadlessProcess, startHeadless } from '../support/headless-process.ts';
import { openTestPhone, pairTestPhone, type TestPhone } from '../support/phone.ts';
import { openStrictClient } from '../support/strict-client.ts';

let porchlight: HeadlessProcess;
let chromium: Browser;
let phone: TestPhone;

beforeAll(async () => {
  const port = await freePort();
  const base = `http://localhost:${port}`;
  porchlight = await startHeadless({
    args: ['--allow-private-fetch', '--me', 'http://localhost/', '--port', `${port}`, '--base-url', base],
  });
  await porchlight.call('settings.update', { phones: { on: true } });
  chromium = await launchChromium();
  phone = await openTestPhone(chromium);
  await pairTestPhone(porchlight, phone);
});

afterAll(async () => {
  await chromium.close();
  await porchlight.remove();
});

/** Asks for a sign-in in a browser, which is that of the phone or another one. */
async function askIn(visitor: Page, address: string): Promise<string> {
  await visitor.goto(address);
  await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
  await visitor.waitForURL(/\/auth\/requests\//);
  return (await visitor.locator('#match-code').textContent()) ?? '';
}

test('a strict client signs in, approved on the phone with the number of the other screen', async () => {
  const app = await openStrictClient();
  const visitor = await (await chromium.newContext()).newPage();
  const code = await askIn(visitor, await app.start(porchlight.ready.baseUrl, 'profile create delete'));
  const began = performance.now();
  await phone.page.getByRole('heading', { name: 'Sign in to Weather Vane?' }).waitFor();
  expect(await phone.page.getByText('Not from a phone, so left out: delete').count()).toBe(1);
  await phone.page.getByLabel('The two digits').fill(code);
  await phone.page.getByRole('button', { name: 'Approve' }).click();
  await phone.page.getByText('Approved: Weather Vane. Go back to your browser.').waitFor();
  await visitor.waitForURL(/\/callback\?/);
  expect(await app.finish()).toMatchObject({ scope: 'profile create' });
  const took = Math.round(performance.now() - began);
  console.log(`from the phone's first look to the tokens: ${took} ms`);
  expect(took).toBeLessThan(3000 + 2500);
  const [past] = await porchlight.call('signIns.history', {});
  expect(past).toMatchObject({ outcome: 'approved', by: 'My phone', canUndo: true });
  await visitor.context().close();
  await app.close();
});
