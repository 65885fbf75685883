import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { windowUploadBytes } from '../../src-main/contract/media.ts';
import { launchChromium } from '../support/chromium.ts';
import { openSite, page as html, type Site } from '../support/client-app.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { drawing } from '../support/picture-samples.ts';

let browser: Browser;
let porchlight: HeadlessProcess;
let site: Site;

beforeAll(async () => {
  browser = await launchChromium();
  porchlight = await startHeadless({ args: ['--allow-private-fetch'] });
  site = await openSite('localhost');
  await porchlight.call('settings.update', { profile: { me: `${site.origin}/`, name: 'Ada' } });
});
afterAll(async () => {
  await browser.close();
  await porchlight.remove();
  await site.close();
});
beforeEach(() => porchlight.call('profile.removePhoto', {}));

/** The profile page of the settings, in the real window of the running server. */
async function openProfile(): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1024, height: 800 } });
  page.setDefaultTimeout(30_000);
  onTestFinished(() => page.close());
  const { consoleUrl, ownerKey } = porchlight.ready;
  await page.goto(`${consoleUrl}/#key=${ownerKey}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(() => void (location.hash = '#/settings'));
  await page.getByRole('region', { name: 'Profile' }).waitFor();
  return page;
}

const chooser = (page: Page) => page.getByLabel('Choose a photo');
const shown = (page: Page) => page.getByRole('region', { name: 'Profile' }).locator('img');
const savedPhoto = async () => (await porchlight.call('settings.get', {})).profile.photo;
const png = async (name = 'me.png', width = 600) => ({
  name,
  mimeType: 'image/png',
  buffer: await drawing(width, 400).png().toBuffer(),
});

test('a photo is uploaded, replaced and removed, and each is saved at once', async () => {
  const page = await openProfile();
  await page.getByRole('button', { name: 'Upload a photo' }).waitFor();
  await chooser(page).setInputFiles(await png());
  await page.getByText('Photo saved.').waitFor();
  const first = await savedPhoto();
  const response = await fetch(first);
  expect(response.headers.get('content-type')).toBe('image/webp');
  const bytes = Buffer.from(await response.arrayBuffer());
  await expect
    .poll(() => shown(page).getAttribute('src'))
    .toBe(`data:image/webp;base64,${bytes.toString('base64')}`);

  await page.getByRole('button', { name: 'Replace photo' }).waitFor();
  await chooser(page).setInputFiles(await png('other.png', 300));
  await expect.poll(savedPhoto).not.toBe(first);
  await expect.poll(() => shown(page).getAttribute('src')).not.toContain(bytes.toString('base64'));

  await page.getByRole('button', { name: 'Remove photo' }).click();
  await page.getByText('Photo removed.').waitFor();
  expect(await savedPhoto()).toBe('');
  await expect.poll(() => shown(page).count()).toBe(0);
  await page.getByRole('button', { name: 'Upload a photo' }).waitFor();
});

test('a file that isn’t a picture or is too large is refused with a message, and the photo stays', async () => {
  const page = await openProfile();
  await chooser(page).setInputFiles(await png());
  await page.getByText('Photo saved.').waitFor();
  const before = await savedPhoto();
  const alert = page.getByRole('region', { name: 'Profile' }).getByRole('alert');

  const text = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('Not a picture.') };
  await chooser(page).setInputFiles(text);
  await alert.filter({ hasText: 'The file isn’t a picture.' }).waitFor();
  expect(await alert.textContent()).toContain('Porchlight couldn’t save the photo.');
  expect(await page.getByText('Photo saved.').count()).toBe(0);

  let sent = 0;
  page.on('request', (request) => (sent += request.url().endsWith('/profile.setPhoto') ? 1 : 0));
  const large = { ...text, name: 'large.png', buffer: Buffer.alloc(windowUploadBytes + 1) };
  await chooser(page).setInputFiles(large);
  await alert.filter({ hasText: 'The file is larger than 20 MB. Choose a smaller picture.' }).waitFor();
  expect(sent).toBe(0);
  expect(await savedPhoto()).toBe(before);
  await shown(page).waitFor();

  // The same file can be chosen again, and a picture ends the failure.
  await chooser(page).setInputFiles(await png());
  await page.getByText('Photo saved.').waitFor();
  expect(await alert.count()).toBe(0);
});

test('the photo of the owner’s site is copied when the profile is saved', async () => {
  site.pages.set(
    '/',
    html(
      '<div class="h-card"><a class="u-url u-uid p-name" href="/">Ada</a><img class="u-photo" src="/ada.png"></div>',
    ),
  );
  const { buffer } = await png();
  site.pages.set(
    '/ada.png',
    (_request, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(buffer),
  );
  const page = await openProfile();
  await page.getByRole('button', { name: 'Read from my site' }).click();
  await page.getByText('Porchlight copies the photo from your site when you save.').waitFor();
  expect(await savedPhoto()).toBe('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await expect
    .poll(savedPhoto, { timeout: 60_000 })
    .toMatch(/^http:\/\/127\.0\.0\.1:\d+\/photo\/[0-9a-f]{16}\.webp$/);
  // Without a reload: the server tells the window of the copy.
  await expect.poll(() => shown(page).getAttribute('src')).toMatch(/^data:image\/webp;base64,/);
  expect(site.requests).toContain('GET /ada.png');
});
