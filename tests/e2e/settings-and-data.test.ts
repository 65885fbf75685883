import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { settingsHash, settingsPages } from '../../src-renderer/routes.ts';
import { launchChromium } from '../support/chromium.ts';
import { livedInHouse, type House } from '../support/window-fixtures.ts';
import { restoredHouse } from '../support/window-houses.ts';
import { untilSteady } from '../support/steady.ts';
import { serveWindow } from '../support/window-server.ts';
import { comeToRest } from '../support/window-view.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** A name without a place to break it, as long as one can be. */
const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.example`;

/** A house whose every text is long: paths, sites, categories, names. */
function longHouse(): House {
  const house = livedInHouse(Date.now());
  const { settings } = house;
  return {
    ...house,
    blocked: [long],
    settings: {
      ...settings,
      profile: { ...settings.profile, name: long, url: `https://${long}/` },
      webmention: { ...settings.webmention, trustedDomains: [long], hosts: [long] },
      micropub: {
        ...settings.micropub,
        categories: [long],
        channels: [{ uid: long, name: long }],
        syndicateTo: [{ uid: long, name: long }],
      },
    },
  };
}

async function openAt(hash: string, width: number, house = livedInHouse(Date.now())): Promise<Page> {
  const server = await serveWindow(house);
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  const { origin, hash: key } = new URL(server.address);
  await page.goto(`${origin}/${key}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate((place) => void (location.hash = place), hash);
  return page;
}

const width = (page: Page) => page.evaluate(() => document.scrollingElement?.scrollWidth);

const places = [
  '#/settings',
  ...settingsPages.map((page) => settingsHash(page)),
  ...['back-up', 'import', 'export', 'move'].map((tab) => `#/data?tab=${tab}`),
  '#/restore',
];

test('settings and data fit 320 px, and 720 px as at double zoom, however long their texts are', async () => {
  const page = await openAt('#/settings', 320, longHouse());
  for (const place of places) {
    await page.evaluate((hash) => void (location.hash = hash), place);
    await page.getByRole('heading', { name: /^(?:Settings|Your data|Restore a backup)$/ }).waitFor();
    for (const size of [320, 720]) {
      await page.setViewportSize({ width: size, height: 800 });
      await comeToRest(page);
      expect(await width(page), place).toBeLessThanOrEqual(size);
    }
  }
});

test('a backup with a long path fits 320 px', async () => {
  const page = await openAt('#/data', 320);
  await page.getByText('Save it on the computer that runs Porchlight instead').first().click();
  await page.getByLabel('Save the backup to').fill(`/media/${'disk'.repeat(40)}/b.zip`);
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByText('512 MB').waitFor();
  expect(await width(page)).toBeLessThanOrEqual(320);
});

test('the keyboard alone deletes the data that a restore replaced, and keeps its place', async () => {
  const page = await openAt('#/data', 800, restoredHouse(Date.now()));
  const rows = page.getByText('Replaced by a restore');
  await page
    .getByRole('button', { name: /^Delete the data that was replaced/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Delete the data from before the restore?' });
  await untilSteady(dialog.getByRole('button', { name: 'Delete', exact: true }));
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.count()).toBe(1);
  await page.getByText(/^Deleted the data that was replaced/).waitFor();
  const section = page.getByRole('region', { name: 'Data from before a restore' });
  await expect.poll(() => section.evaluate((one) => one.contains(document.activeElement))).toBe(true);
});

test('a narrow window shows the list or a page, a wide one shows both', async () => {
  const page = await openAt('#/settings', 320);
  const list = page.getByRole('navigation', { name: 'Pages of the settings' });
  const profile = page.getByRole('region', { name: 'Profile' });
  await list.waitFor();
  expect(await profile.isVisible()).toBe(false);
  await list.getByRole('link', { name: 'Profile' }).click();
  await profile.waitFor();
  expect(await list.isVisible()).toBe(false);
  await page.getByRole('link', { name: 'All settings' }).click();
  await list.waitFor();
  await page.setViewportSize({ width: 1440, height: 900 });
  await profile.waitFor();
  expect(await list.isVisible()).toBe(true);
  expect(await page.getByRole('link', { name: 'All settings' }).isVisible()).toBe(false);
});

test('the keyboard alone finds a setting, on a narrow screen too', async () => {
  const page = await openAt('#/settings', 320);
  await page.getByRole('searchbox', { name: 'Search settings' }).focus();
  await page.keyboard.type('gps');
  await page.keyboard.press('Enter');
  const found = page.getByRole('switch', { name: /^Remove location/ });
  await found.waitFor();
  await expect.poll(() => found.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('the back button asks before it leaves unsaved changes, and then goes back', async () => {
  const page = await openAt('#/apps', 1440);
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Somebody else');
  await page.goBack();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await name.inputValue()).toBe('Somebody else');
  expect(new URL(page.url()).hash).toBe('#/settings');
  await page.goBack();
  await dialog.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'Apps' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#/apps');
});
