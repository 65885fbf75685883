import type { Browser, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { openSite, page as sitePage } from '../support/client-app.ts';
import { openEdge } from '../support/fake-edge.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { untilSteady } from '../support/steady.ts';

let porchlight: HeadlessProcess;
let chromium: Browser;
beforeEach(async () => {
  chromium = await launchChromium();
});
afterEach(async () => {
  await chromium.close();
  await porchlight.remove();
});

async function openWindow(hash = ''): Promise<Page> {
  const page = await chromium.newPage();
  await page.goto(`${porchlight.ready.consoleUrl}/#key=${porchlight.ready.ownerKey}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (hash !== '') {
    await page.evaluate((to) => {
      window.location.hash = to;
    }, hash);
  }
  return page;
}

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('the set-up in a real browser', () => {
  test('leads from the first start to Overview by keyboard, and the answers are saved', async () => {
    porchlight = await startHeadless({ args: ['--allow-private-fetch'] });
    const page = await openWindow();
    await page.getByLabel('Your domain').fill('http://ada.localhost/');
    await page.keyboard.press('Enter');
    await title(page, 'Your profile');
    await page.getByLabel('Name').fill('Ada Marlow');
    await press(page, 'Continue');

    await title(page, 'How can the web reach you?');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await press(page, 'Skip for now');

    await title(page, 'Connect your home page');
    await page.getByText('Problem:').first().waitFor();
    await press(page, 'Skip for now');

    await title(page, 'Check');
    await page.getByText(/Last checked/).waitFor();
    await page.getByText(/checks passed$/).click();
    await page.getByText('Your public address leads to this Porchlight').waitFor();
    await press(page, 'Go to Overview');

    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
    expect(await porchlight.call('settings.get', {})).toMatchObject({
      profile: { me: 'http://ada.localhost/', name: 'Ada Marlow' },
    });
    const last = await porchlight.call('setup.lastCheck', {});
    const levels = last?.findings.map(({ id, level }) => `${id} ${level}`);
    expect(levels).toEqual(
      expect.arrayContaining([
        'reach pass',
        'metadata pass',
        'authorization pass',
        'cookies pass',
        'uploads pass',
        'site fail',
      ]),
    );
  });

  test('the lines are found as soon as they are on the site, without a button', async () => {
    const site = await openSite('localhost');
    site.pages.set('/', sitePage('<head></head><p>hello</p>'));
    porchlight = await startHeadless({ args: ['--allow-private-fetch', '--me', `${site.origin}/`] });
    const page = await openWindow('#/welcome?step=links');
    await page.getByText(/doesn’t point to this Porchlight yet/).waitFor();
    const lines = await page.getByLabel('the lines for your home page', { exact: true }).textContent();
    site.pages.set('/', sitePage(`<head>${lines ?? ''}</head>`));
    await page.getByText('Everything works. Apps can find your sign-in.').waitFor();
    await press(page, 'Continue');
    await title(page, 'Done');
    await site.close();
  });

  test('a window that was closed in the middle finds its way back from Overview', async () => {
    porchlight = await startHeadless({ args: ['--allow-private-fetch', '--me', 'http://ada.localhost/'] });
    const page = await openWindow();
    await page.getByRole('link', { name: 'Choose how the web can reach you' }).click();
    await title(page, 'How can the web reach you?');
    await page.goBack();
    await page.getByRole('navigation', { name: 'Screens' }).waitFor();
  });

  test('without a website: the public address is the home page, and the test sign-in explains itself', async () => {
    let target = '';
    const edge = await openEdge(() => target);
    porchlight = await startHeadless({ args: ['--allow-private-fetch', '--base-url', edge.origin] });
    target = `http://127.0.0.1:${porchlight.ready.port}`;
    const page = await openWindow('#/welcome?step=who&website=none');
    await page.getByRole('radio', { name: 'No', exact: true }).check();
    await page.getByLabel('Your name').fill('Ada 🏮');
    await page.keyboard.press('Enter');
    await title(page, 'How can the web reach you?');
    // Here the public address is one of this computer, which the window does not take for a public one.
    await porchlight.call('settings.update', { profile: { me: `${edge.origin}/` } });
    await press(page, 'Skip for now');
    await title(page, 'Done');
    await page.getByText('Step 3 of 3').waitFor();

    const [test] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'Start the test sign-in' }).click(),
    ]);
    await test.getByRole('button').click();
    await test.locator('#match-code').waitFor();
    await page.getByText('Porchlight test app is waiting for your approval.').waitFor();
    await page.getByRole('link', { name: 'Review this sign-in' }).click();
    const approve = page.getByRole('button', { name: 'Approve' });
    await untilSteady(approve);
    await approve.click();
    await test.getByRole('heading', { name: 'Your sign-in works' }).waitFor();
    expect(await test.getByRole('main').textContent()).toContain('Ada 🏮');
    expect(await porchlight.call('apps.list', {})).toEqual([]);
    await edge.close();
  });
});
