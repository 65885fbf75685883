import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { axeFindings } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { drawing } from '../support/picture-samples.ts';

let browser: Browser;
let porchlight: HeadlessProcess;

beforeAll(async () => {
  browser = await launchChromium();
  porchlight = await startHeadless({ args: ['--allow-private-fetch'] });
  await porchlight.call('settings.update', {
    profile: { me: 'https://robin.example/', name: 'Robin Marlow' },
  });
  const photo = (await drawing(600, 400).png().toBuffer()).toString('base64');
  await porchlight.call('profile.setPhoto', { data: photo });
  const { url } = await porchlight.call('media.upload', { name: 'porch.png', data: photo });
  await porchlight.call('posts.create', {
    text: 'The light is **on**.',
    format: 'markdown',
    categories: ['porch'],
    photos: [{ url, alt: 'A porch' }],
    visibility: 'public',
    status: 'published',
  });
});
afterAll(async () => {
  await browser.close();
  await porchlight.remove();
});

/** Opens “Your site” in the real window of the running server, and notes what it complains about. */
async function openSettings(
  width = 1100,
): Promise<{ page: Page; complaints: string[]; requested: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  onTestFinished(() => context.close());
  const complaints: string[] = [];
  const requested: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => requested.push(new URL(request.url()).origin));
  const { consoleUrl, ownerKey } = porchlight.ready;
  await page.goto(`${consoleUrl}/#key=${ownerKey}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(() => void (location.hash = '#/settings/site'));
  await page.getByRole('region', { name: 'Your site' }).waitFor();
  return { page, complaints, requested };
}

const ground = (page: Page) =>
  page
    .getByRole('region', { name: 'Preview' })
    .locator('body')
    .evaluate((body) => getComputedStyle(body).backgroundColor);

test('the preview shows unsaved settings as the site will; visitors see them after Save', async () => {
  const { page, complaints, requested } = await openSettings();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('The light is on.').waitFor();
  expect(await preview.locator('h1').textContent()).toBe('Robin Marlow');
  await expect
    .poll(() => preview.locator('.portrait').evaluate((photo: HTMLImageElement) => photo.naturalWidth))
    .toBeGreaterThan(100);
  const shownPhoto = preview.getByRole('img', { name: 'A porch', includeHidden: true });
  await expect
    .poll(() =>
      shownPhoto.evaluate((photo: HTMLImageElement) => [photo.src.slice(0, 11), photo.naturalWidth > 100]),
    )
    .toEqual(['data:image/', true]);
  expect(await shownPhoto.getAttribute('data-missing')).toBeNull();
  await expect.poll(() => ground(page)).toBe('rgb(250, 248, 245)');

  await page.getByRole('radio', { name: 'Garden' }).check();
  await expect.poll(() => ground(page)).toBe('rgb(238, 243, 234)');
  await page.getByLabel('Site title').fill('The porch');
  await page.getByLabel('Tagline').fill('Neither in nor out.');
  await expect.poll(() => preview.locator('h1').textContent()).toBe('The porch');

  await page.getByLabel('Your own CSS').fill('h1 { color: rgb(1, 2, 3) }\n@import "https://x.example/";');
  await page.getByRole('alert').getByText('CSS, line 2: The site can’t import other style sheets.').waitFor();
  await page.getByLabel('Your own CSS').fill('h1 a { color: rgb(1, 2, 3) }');
  await expect
    .poll(() => preview.locator('h1 a').evaluate((link) => getComputedStyle(link).color))
    .toBe('rgb(1, 2, 3)');
  expect(await axeFindings(page)).toEqual([]);

  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const visitor = await page.context().newPage();
  await visitor.goto(porchlight.ready.baseUrl);
  expect(await visitor.title()).toBe('The porch');
  expect(await visitor.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe(
    'rgb(238, 243, 234)',
  );
  expect(await visitor.locator('h1 a').evaluate((link) => getComputedStyle(link).color)).toBe('rgb(1, 2, 3)');
  expect(complaints).toEqual([]);
  expect([...new Set(requested)]).toEqual([porchlight.ready.consoleUrl]);
});

test('themes are pictures of the owner’s own home page, and Save is in sight wherever the page is scrolled', async () => {
  const { page } = await openSettings(800);
  const picture = page.getByRole('radiogroup', { name: 'Theme' }).locator('[inert]');
  await expect.poll(() => picture.locator('h1').allTextContents()).toHaveLength(3);
  await picture.nth(1).locator('..').click();
  expect(await page.getByRole('radio', { name: 'Paper' }).isChecked()).toBe(true);
  for (const place of ['Site title', 'Time zone', 'Your own CSS']) {
    await page.getByLabel(place).focus();
    const { top, bottom } = await page
      .getByRole('button', { name: 'Save' })
      .evaluate((button) => button.getBoundingClientRect());
    expect(top > 0 && bottom <= 900, place).toBe(true);
  }
});

test('pages in the list lead to Write, and visitors find them in the navigation', async () => {
  await porchlight.call('settings.update', {
    site: { pages: [{ slug: 'about-me', title: 'About me', text: 'I am **Robin**.' }] },
  });
  const { page } = await openSettings(800);
  await page.getByRole('link', { name: 'Edit About me' }).click();
  await page.waitForURL(/#\/write\?page=about-me$/);
  const visitor = await page.context().newPage();
  await visitor.goto(porchlight.ready.baseUrl);
  await visitor.getByRole('link', { name: 'About me' }).click();
  await visitor.getByRole('heading', { level: 1, name: 'About me' }).waitFor();
  expect(new URL(visitor.url()).pathname).toBe('/about-me');
  expect(await visitor.locator('strong').textContent()).toBe('Robin');
});
