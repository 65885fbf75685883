import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeFindings, haveAxe } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { openSite, page as html } from '../support/client-app.ts';
import { freePort, type HeadlessProcess, startHeadless } from '../support/headless-process.ts';
import { openTestPhone, pairTestPhone, type TestPhone } from '../support/phone.ts';
import { ask, signInRequest } from '../support/sign-in.ts';
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
  console.log(`approved on the phone, from the waiting page to the tokens: ${took} ms`);
  expect(took).toBeLessThan(3000);
  const [past] = await porchlight.call('signIns.history', {});
  expect(past).toMatchObject({ outcome: 'approved', by: 'My phone', canUndo: true });
  await visitor.context().close();
  await app.close();
});

test('an approval in the phone’s own browser needs no number, and Deny sends the app away', async () => {
  const app = await openStrictClient('Own Browser');
  const visitor = await phone.page.context().newPage();
  await askIn(visitor, await app.start(porchlight.ready.baseUrl, 'profile'));
  const card = phone.page.locator('section', { hasText: 'Own Browser' });
  await card.getByText('You asked in this browser.').waitFor();
  expect(await card.getByLabel('The two digits').isVisible()).toBe(false);
  await card.getByRole('button', { name: 'Deny' }).click();
  await card.getByText('Denied: Own Browser.').waitFor();
  await visitor.waitForURL(/\/callback\?/);
  await expect(app.finish()).rejects.toMatchObject({ error: 'access_denied' });
  await visitor.close();
  await app.close();
});

test('a sign-in that ends moves no button of another one', async () => {
  const apps = await Promise.all([openStrictClient('First'), openStrictClient('Second')]);
  const visitors: Page[] = [];
  for (const app of apps) {
    const visitor = await (await chromium.newContext()).newPage();
    await askIn(visitor, await app.start(porchlight.ready.baseUrl, 'profile'));
    visitors.push(visitor);
  }
  const [first, second] = ['First', 'Second'].map((name) =>
    phone.page.locator('section', { hasText: `Sign in to ${name}?` }),
  );
  const button = second!.getByRole('button', { name: 'Approve' });
  await button.waitFor();
  const before = await button.evaluate((one: HTMLElement) => one.offsetTop);
  const [{ id } = { id: '' }] = await porchlight.call('signIns.list', {});
  await porchlight.call('signIns.deny', { id });
  await first!.getByText('This sign-in is no longer waiting.').waitFor();
  expect(await button.evaluate((one: HTMLElement) => one.offsetTop)).toBe(before);
  for (const one of await porchlight.call('signIns.list', {}))
    await porchlight.call('signIns.deny', { id: one.id });
  await Promise.all([...visitors.map((one) => one.context().close()), ...apps.map((app) => app.close())]);
});

test('a phone whose cookie is gone uses its passkey first; a removed one and a stranger see nothing', async () => {
  await phone.page.context().clearCookies();
  await phone.page.reload();
  await phone.page.getByRole('button', { name: 'Show what waits' }).click();
  await phone.page.getByText('No sign-in is waiting.').waitFor();
  const second = await openTestPhone(chromium, { synced: true });
  const id = await pairTestPhone(porchlight, second);
  const listed = (await porchlight.call('phones.list', {})).find((one) => one.id === id);
  expect(listed?.synced).toBe(true);
  await porchlight.call('phones.remove', { id });
  await second.page.getByRole('button', { name: 'Show what waits' }).click();
  await second.page.getByText(/isn't paired, or no longer/).waitFor();
  await second.close();
});

test('a phone that doesn’t check who uses it can’t be paired', async () => {
  const careless = await openTestPhone(chromium, { isUserVerified: false });
  const { url } = await porchlight.call('phones.pair', {});
  await careless.page.goto(url);
  await careless.page.getByRole('button', { name: 'Create a passkey' }).click();
  await careless.page.getByText('The passkey was not used. Try again.').waitFor();
  expect((await porchlight.call('phones.list', {})).every(({ code }) => code === undefined)).toBe(true);
  await careless.close();
});

test('50 sign-ins and a thumb that taps at random: none is granted', { timeout: 240_000 }, async () => {
  const app = await openSite();
  app.pages.set('/', html('<title>Pushy</title>'));
  let seed = 7;
  const random = (most: number) => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) % most;
  let seen = 0;
  for (let round = 0; round < 10; round += 1) {
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => ask({ base: porchlight.ready.baseUrl }, signInRequest(app.origin))),
    );
    for (const { id } of asked) {
      const card = phone.page.locator(`[data-id="${id}"]`);
      await card.waitFor();
      seen += 1;
      for (const name of ['Approve', 'Deny', 'Approve'].slice(random(3)))
        await card
          .getByRole('button', { name })
          .tap({ timeout: 300 })
          .catch(() => undefined);
    }
    for (const { id } of await porchlight.call('signIns.list', {}))
      await porchlight.call('signIns.deny', { id }).catch(() => undefined);
  }
  expect(seen).toBe(50);
  const history = await porchlight.call('signIns.history', { limit: 500 });
  const pushy = history.filter(({ clientId }) => clientId.startsWith(app.origin));
  expect(pushy).toHaveLength(50);
  expect(pushy.filter(({ outcome }) => outcome === 'approved')).toEqual([]);
  await app.close();
});

test.each(['light', 'dark'] as const)(
  'the page has no faults that axe finds, in %s colors',
  async (colorScheme) => {
    const context = phone.page.context();
    await haveAxe(context);
    const page = await context.newPage();
    await page.emulateMedia({ colorScheme });
    const app = await openStrictClient('Quill');
    const visitor = await (await chromium.newContext()).newPage();
    await askIn(visitor, await app.start(porchlight.ready.baseUrl, 'profile email create delete'));
    await page.goto(`${porchlight.ready.baseUrl}/phone`);
    const number = page.getByLabel('The two digits');
    await number.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await picture(page, `phone-${colorScheme}`);
    // With the keyboard alone.
    await number.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Approve');
    for (const { id } of await porchlight.call('signIns.list', {}))
      await porchlight.call('signIns.deny', { id });
    await page.getByText('This sign-in is no longer waiting.').waitFor();
    await Promise.all([page.close(), visitor.context().close(), app.close()]);
  },
);

/** Keeps a picture where PORCHLIGHT_PICTURES says so. */
async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['PORCHLIGHT_PICTURES'];
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
