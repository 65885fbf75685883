import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { writeHash } from '../../src-renderer/routes.ts';
import { landscape } from '../../src-main/demo/pictures.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { keyboardOf } from '../support/keyboard.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

/** Starts the real server on a folder that outlives it. */
async function startServer(dataDir?: string, ...more: string[]): Promise<HeadlessProcess> {
  const dir = dataDir ?? (await mkdtemp(join(tmpdir(), 'porchlight-writing-')));
  const server = await startHeadless({
    dataDir: dir,
    args: ['--base-url', 'https://porch.example', ...more],
  });
  onTestFinished(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });
  if (dataDir === undefined)
    await server.call('settings.update', { profile: { me: 'https://robin.example/' } });
  return server;
}

async function newContext(): Promise<BrowserContext> {
  const context = await browser.newContext({
    ...{ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', locale: 'en-US' },
  });
  onTestFinished(() => context.close());
  return context;
}

async function openAt({ ready }: HeadlessProcess, hash: string, context?: BrowserContext): Promise<Page> {
  const page = await (context ?? (await newContext())).newPage();
  await page.goto(`${ready.consoleUrl}/#key=${ready.ownerKey}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate((place) => void (location.hash = place), hash);
  return page;
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const saved = (page: Page) => page.getByText(/^(?:Draft|Edits) saved at/).waitFor();
const addressed = (page: Page) =>
  page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('post'));
const isFocused = (page: Page, label: string) =>
  expect
    .poll(() => page.getByLabel(label).evaluate((element) => element === document.activeElement))
    .toBe(true);
const photo = (number: number) => ({
  ...{ name: `porch-${number}.png`, mimeType: 'image/png', buffer: landscape(number) },
});

/** Types a date into the date field that has the focus, as Chromium takes it in English. */
async function typeDate(page: Page, date: string, time: string): Promise<void> {
  await page.keyboard.type(`${date}${time}`);
}

test('an article with three photos is written with the keyboard alone, scheduled, and edited before and after publication', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/posts');
  const keyboard = keyboardOf(page);
  await keyboard.tabTo('link', 'New post');
  await keyboard.press('Enter');
  await keyboard.isAt('textbox', 'Text');
  await keyboard.tabTo('radio', 'Note', { back: true });
  await keyboard.press('ArrowRight');
  await keyboard.tabTo('textbox', 'Title');
  await keyboard.type('On porches');
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.type('A porch is a room with *one* wall missing.');
  const choosing = page.waitForEvent('filechooser');
  await keyboard.tabTo('button', 'Add photos');
  await keyboard.press('Enter');
  await (await choosing).setFiles([photo(1), photo(2), photo(3)]);
  await page.getByRole('textbox', { name: 'Alt text for porch-3.png' }).waitFor();
  await keyboard.tabTo('textbox', 'Alt text for porch-3.png', { back: true });
  await keyboard.type('Three');
  await keyboard.tabTo('textbox', 'Alt text for porch-2.png', { back: true });
  await keyboard.type('Two');
  await keyboard.tabTo('textbox', 'Alt text for porch-1.png', { back: true });
  await keyboard.type('One');
  await keyboard.tabTo('button', 'Move porch-1.png later');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Move porch-1.png later');
  await keyboard.tabTo('combobox', 'Categories');
  await keyboard.type('porches');
  await keyboard.press('Enter', 'Tab', 'Enter', 'Tab');
  await isFocused(page, 'Date and time');
  await typeDate(page, '01022099', '0304AM');
  await page.locator('section[aria-label="Preview"] em').getByText('one').waitFor();
  await saved(page);
  await keyboard.press('Control+Enter');
  await page.getByText('Scheduled for 2 Jan 2099, 03:04.').waitFor();

  const [scheduled] = (await server.call('posts.list', { status: 'scheduled' })).items;
  const url = scheduled?.url ?? '';
  expect(new URL(url).pathname).toBe('/posts/2099/01/on-porches');
  const source = await server.call('posts.source', { url });
  expect(source).toMatchObject({ name: 'On porches', format: 'markdown', categories: ['porches'] });
  expect(source.photos.map(({ alt }) => alt)).toEqual(['Two', 'One', 'Three']);

  // Before publication: the edits survive a reload, and reach the post with Update.
  await page.evaluate((place) => void (location.hash = place), writeHash({ post: url }));
  await text(page).waitFor();
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.press('Control+End');
  await keyboard.type(' Sit down.');
  await saved(page);
  expect((await server.call('posts.source', { url })).text).not.toContain('Sit down.');
  await page.reload();
  await page.getByText(/^You have unsaved edits from/).waitFor();
  expect(await text(page).inputValue()).toContain('Sit down.');
  await page.getByText('More: address, date, visibility').press('Enter');
  await keyboard.press('Tab');
  await isFocused(page, 'Date and time');
  await typeDate(page, '01022020', '0304AM');
  await keyboard.press('Control+Enter');
  await page.getByText('Published.').waitFor();
  expect(await server.call('posts.source', { url })).toMatchObject({
    text: 'A porch is a room with *one* wall missing. Sit down.',
  });

  // After publication.
  await page.evaluate((place) => void (location.hash = place), writeHash({ post: url }));
  await text(page).waitFor();
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.press('Control+End');
  await keyboard.type(' Stay.');
  await keyboard.press('Control+Enter');
  await page.getByText('Updated.').waitFor();
  expect((await server.call('posts.source', { url })).text).toContain('Sit down. Stay.');
});

test('a draft survives a reload without a pause and a kill of the server, and is then published', async () => {
  const first = await startServer();
  const page = await openAt(first, '#/write');
  await text(page).fill('The first half.');
  await saved(page);
  await addressed(page);
  const address = await page.evaluate(() => location.hash);
  await text(page).fill('The first half. And without a pause,');
  await page.reload();
  await expect.poll(() => text(page).inputValue()).toBe('The first half. And without a pause,');
  await text(page).fill('The first half. And the second.');
  await expect
    .poll(async () => (await first.call('posts.list', { status: 'draft' })).items[0]?.summary)
    .toBe('The first half. And the second.');
  await first.stop('SIGKILL');
  await text(page).fill('Not on disk.');
  await page.getByText(/^Not saved: .* Porchlight tries again\.$/).waitFor();
  expect(await text(page).inputValue()).toBe('Not on disk.');

  const second = await startServer(first.dataDir);
  const again = await openAt(second, address);
  await expect.poll(() => text(again).inputValue()).toBe('The first half. And the second.');
  await again.getByRole('button', { name: 'Publish' }).click();
  await again.getByText('Published.').waitFor();
  const { items } = await second.call('posts.list', {});
  expect(items).toMatchObject([{ status: 'published', summary: 'The first half. And the second.' }]);
  expect(new URL(items[0]?.url ?? '').pathname).toMatch(/\/the-first-half/);
});

test('text that is typed while the server is down comes back in the same tab after a restart with another key', async () => {
  const first = await startServer();
  const page = await openAt(first, '#/write');
  await text(page).fill('On disk.');
  await saved(page);
  await addressed(page);
  await first.stop('SIGKILL');
  await text(page).fill('On disk. Typed while nobody listened.');
  await page.getByText(/^Not saved: .* Porchlight tries again\.$/).waitFor();
  await text(page).fill('On disk. Typed while nobody listened. And on.');

  const port = new URL(first.ready.consoleUrl).port;
  const second = await startServer(first.dataDir, '--console-port', port);
  await page.getByRole('heading', { name: 'This window is locked' }).waitFor();
  await page.goto(`${second.ready.consoleUrl}/#key=${second.ready.ownerKey}`);
  await expect.poll(() => text(page).inputValue()).toBe('On disk. Typed while nobody listened. And on.');
  await saved(page);
  const drafts = await second.call('posts.list', { status: 'draft' });
  expect(drafts.items.map(({ summary }) => summary)).toEqual([
    'On disk. Typed while nobody listened. And on.',
  ]);
  expect(await page.evaluate(() => Object.keys(sessionStorage).join())).not.toContain('unsaved');
});

test('a new post that the server never got survives a reload, and becomes one draft', async () => {
  const first = await startServer();
  const page = await openAt(first, '#/write');
  await text(page).waitFor();
  await first.stop('SIGKILL');
  await text(page).fill('Never on disk.');
  await page.getByText(/^Not saved: .* Porchlight tries again\.$/).waitFor();
  const port = new URL(first.ready.consoleUrl).port;
  const second = await startServer(first.dataDir, '--console-port', port);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.goto('about:blank');
  await page.goto(`${second.ready.consoleUrl}/#key=${second.ready.ownerKey}`);
  await expect.poll(() => text(page).inputValue()).toBe('Never on disk.');
  await addressed(page);
  expect((await second.call('posts.list', {})).items).toHaveLength(1);
});

test('two windows on one draft keep both versions', async () => {
  const server = await startServer();
  const context = await newContext();
  const one = await openAt(server, '#/write', context);
  await text(one).fill('Start.');
  await saved(one);
  await addressed(one);
  const two = await openAt(server, await one.evaluate(() => location.hash), context);
  await expect.poll(() => text(two).inputValue()).toBe('Start.');
  await text(one).fill('Start. From the first window.');
  await expect
    .poll(async () => (await server.call('posts.list', { status: 'draft' })).items[0]?.summary)
    .toBe('Start. From the first window.');
  await text(two).fill('Start. From the second window.');
  const conflict = two.getByRole('alert', { name: 'This post was changed elsewhere' });
  await conflict.getByText('Start. From the first window.').waitFor();
  const use = conflict.getByRole('button', { name: 'Use the other version' });
  await expect.poll(() => use.getAttribute('aria-disabled')).toBeNull();
  await use.click();
  await expect.poll(() => text(two).inputValue()).toBe('Start. From the first window.');
  const drafts = await server.call('posts.list', { status: 'draft' });
  expect(drafts.items.map(({ summary }) => summary).sort()).toEqual([
    'Start. From the first window.',
    'Start. From the second window.',
  ]);
});

test('a window that becomes narrower or wider leaves the owner where they type', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/write');
  await text(page).fill('The swifts left.');
  await page.keyboard.press('Home');
  for (const [width, views] of [
    [800, 1],
    [1440, 0],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => page.getByRole('tab', { name: 'Preview' }).count()).toBe(views);
    await page.keyboard.type('Today. ');
  }
  expect(await text(page).inputValue()).toBe('Today. Today. The swifts left.');
  expect(await page.getByRole('tabpanel').count()).toBe(0);
});
