import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { settingsHash } from '../../src-renderer/routes.ts';
import { launchChromium } from '../support/chromium.ts';
import { untilSteady } from '../support/steady.ts';
import { hugoFolder, withFolder } from '../support/window-folder-handlers.ts';
import { livedInHouse, type House } from '../support/window-fixtures.ts';
import { serveWindow } from '../support/window-server.ts';
import { openView } from '../support/window-view.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** Opens “Your own site” in a browser, with the client that headless mode uses. */
async function openFolder(house: House): Promise<Page> {
  const server = await serveWindow(house);
  const page = await browser.newPage({ viewport: { width: 800, height: 900 }, reducedMotion: 'reduce' });
  onTestFinished(async () => {
    await page.close();
    await server.close();
  });
  await openView(page, server.address, { hash: settingsHash('site-folder') });
  return page;
}

/** Presses a button with the keyboard once it takes keys. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  const found = page.getByRole('button', { name, exact: true });
  await found.focus();
  await untilSteady(found);
  // A dialog that has just opened may have moved the focus to its first button meanwhile.
  await found.press('Enter');
}

/** Returns in words where the focus is. */
const focusIn = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    const kind = element?.closest('a, button, input') ? 'a control' : 'a place';
    return `${kind} in ${element?.closest('main') ? 'main' : 'the page'}: ${element?.outerHTML.slice(0, 200)}`;
  });

test('with the keyboard alone, the folder is checked, adjusted, turned on and turned off', async () => {
  const house = livedInHouse(Date.now());
  const page = await openFolder(house);
  await page.getByLabel('Folder of your site').focus();
  await page.keyboard.type('/home/robin/site');
  await page.keyboard.press('Enter');
  const found = page.getByRole('heading', { name: 'What Porchlight found' });
  await found.waitFor();
  await expect.poll(() => found.evaluate((one) => one === document.activeElement)).toBe(true);
  await page.getByText('content/posts/2026-11-21-a-note.md').waitFor();

  // From the heading, Tab leads on to the kind of post.
  await page.keyboard.press('Tab');
  await page.keyboard.type('Article');
  await page.getByText('content/posts/2026-11-21-a-article.md').waitFor();

  await page.getByLabel('File of a post').focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('notes/x.md');
  const problem = page.getByText('The file of a post needs {slug} in its name.');
  await problem.waitFor();
  const described = await page.getByLabel('File of a post').getAttribute('aria-describedby');
  expect(described?.split(' ')).toContain(await problem.getAttribute('id'));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('notes/{slug}.md');
  await page.getByText('notes/a-article.md').waitFor();
  expect(house.settings.siteFolder.on).toBe(false);

  await press(page, 'Turn on');
  const on = page.getByText('On. New posts appear on marlow.example.');
  await on.waitFor();
  await expect.poll(() => on.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(house.settings.siteFolder).toEqual({ ...hugoFolder, postFile: 'notes/{slug}.md' });

  await press(page, 'Turn off');
  await page.getByText('Off. New posts appear on porch.marlow.example.').waitFor();
  expect(house.settings.siteFolder).toEqual({ ...hugoFolder, on: false, postFile: 'notes/{slug}.md' });
});

test('with the keyboard alone, a conflict is decided, and the focus is not lost', async () => {
  const now = Date.now();
  const house = withFolder(livedInHouse(now), 'trouble', now);
  const page = await openFolder(house);
  await press(page, 'Replace the file of On porches…');
  await page.getByRole('dialog', { name: 'Replace the file?' }).waitFor();
  await press(page, 'Cancel');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const opener = page.getByRole('button', { name: 'Replace the file of On porches…' });
  await expect.poll(() => opener.evaluate((one) => one === document.activeElement)).toBe(true);
  expect(house.folder?.items).toHaveLength(4);

  await page.keyboard.press('Enter');
  await press(page, 'Replace the file');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await opener.waitFor({ state: 'detached' });
  expect(house.folder?.items.map(({ id }) => id)).toEqual(['the-lamp-is-on', 'fog', 'well']);
  // The button that opened the dialog is gone. Screen readers continue at the heading of the screen, or in the place of
  // the button if it had the focus once more before it went.
  await expect.poll(() => focusIn(page)).toMatch(/^a place in main: /);
});
