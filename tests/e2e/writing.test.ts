import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { photo, writeArticleByKeyboard } from '../support/article-by-keyboard.ts';
import { launchChromium, launchOnProfile } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { untilSteady } from '../support/steady.ts';

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
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-US',
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

/** Returns what the browser of a page keeps of unsaved posts. */
const keptIn = (page: Page, store: string) =>
  page.evaluate(
    (store) =>
      new Promise<unknown[]>((resolve) => {
        const opening = indexedDB.open('porchlight.photos');
        opening.onsuccess = () => {
          const reading = opening.result.transaction(store).objectStore(store).getAll();
          reading.onsuccess = () => resolve(reading.result);
        };
      }),
    store,
  );

test('an article with three photos is written with the keyboard alone, scheduled, and edited before and after publication', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/posts');
  await writeArticleByKeyboard(page, (method, params) => server.call(method, params));
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

test('photos that are still uploading survive a reload, with their alt text and order', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/write');
  const questions: string[] = [];
  page.on('dialog', (dialog) => {
    questions.push(dialog.type());
    void dialog.accept();
  });
  let isHeld = true;
  await page.route('**/api/media.upload', async (route) => {
    if (!isHeld) await route.continue();
  });
  await page.getByLabel('Photos', { exact: true }).setInputFiles([photo(1), photo(2)]);
  await page.getByRole('textbox', { name: 'Alt text for porch-2.png' }).fill('Two');
  await page.getByRole('textbox', { name: 'Alt text for porch-1.png' }).fill('One');
  await page.getByRole('button', { name: 'Move porch-1.png later' }).click();
  // The browser stores files a moment after they are added; until then, leaving asks first.
  await page.waitForFunction(() =>
    ['porch-1.png', 'porch-2.png'].every((name) =>
      Object.values<string>(sessionStorage).join().includes(name),
    ),
  );
  expect((await server.call('posts.list', {})).items).toEqual([]);
  await page.reload();
  await page.getByRole('textbox', { name: 'Alt text for porch-2.png' }).waitFor();
  await page.getByText('Uploading photo 1 of 2').first().waitFor();
  await text(page).fill('With text, a draft is there already.');
  await saved(page);
  isHeld = false;
  await page.reload();
  await page.getByText('Uploading photo').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published.').waitFor();
  expect(questions).toEqual([]);
  const [post] = (await server.call('posts.list', {})).items;
  const { photos, text: words } = await server.call('posts.source', { url: post?.url ?? '' });
  expect(words).toBe('With text, a draft is there already.');
  expect(photos.map(({ alt }) => alt)).toEqual(['Two', 'One']);
  for (const { url } of photos) {
    const { pathname } = new URL(url);
    expect((await fetch(`http://127.0.0.1:${server.ready.port}${pathname}`)).status).toBe(200);
  }
  await expect.poll(() => keptIn(page, 'photos')).toEqual([]);
  expect(await page.evaluate(() => Object.keys(sessionStorage).join())).not.toContain('unsaved');
});

test('three photos survive a kill of the server during their upload', async () => {
  const first = await startServer();
  const page = await openAt(first, '#/write');
  page.on('dialog', (dialog) => void dialog.accept());
  await text(page).fill('Three of the hills.');
  await saved(page);
  await addressed(page);
  let uploads = 0;
  await page.route('**/api/media.upload', async (route) => {
    uploads += 1;
    // The server dies before it responds to the second one.
    if (uploads !== 2) await route.continue();
  });
  await page.getByLabel('Photos', { exact: true }).setInputFiles([photo(1), photo(2), photo(3)]);
  for (const number of [1, 2, 3])
    await page.getByRole('textbox', { name: `Alt text for porch-${number}.png` }).fill(`Hill ${number}`);
  await page.getByText('Uploading photo 2 of 3').first().waitFor();
  await page.waitForFunction(() => Object.values<string>(sessionStorage).join().includes('Hill 3'));
  await first.stop('SIGKILL');

  const port = new URL(first.ready.consoleUrl).port;
  const second = await startServer(first.dataDir, '--console-port', port);
  await page.goto('about:blank');
  await page.goto(`${second.ready.consoleUrl}/#key=${second.ready.ownerKey}`);
  await page.getByRole('textbox', { name: 'Alt text for porch-3.png' }).waitFor();
  await page.getByText('Uploading photo').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published.').waitFor();
  const { items } = await second.call('posts.list', {});
  expect(items).toHaveLength(1);
  const { photos, text: words } = await second.call('posts.source', { url: items[0]?.url ?? '' });
  expect(words).toBe('Three of the hills.');
  expect(photos.map(({ alt }) => alt)).toEqual(['Hill 1', 'Hill 2', 'Hill 3']);
  for (const { url } of photos) {
    const { pathname } = new URL(url);
    expect((await fetch(`http://127.0.0.1:${second.ready.port}${pathname}`)).status).toBe(200);
  }
});

test('photos that are still uploading survive a kill of the whole browser, and lead back to their post', async () => {
  const server = await startServer();
  const profile = await mkdtemp(join(tmpdir(), 'porchlight-profile-'));
  onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }));
  const start = async ({ isHeld }: { isHeld: boolean }) => {
    const { browser: started, kill } = await launchOnProfile(profile);
    onTestFinished(kill);
    const page = await started.contexts()[0]!.newPage();
    // No upload gets an answer.
    if (isHeld) await page.route('**/api/media.upload', () => undefined);
    await page.goto(`${server.ready.consoleUrl}/#key=${server.ready.ownerKey}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return { page, kill };
  };
  const first = await start({ isHeld: true });
  await first.page.evaluate(() => void (location.hash = '#/write'));
  await first.page.getByLabel('Photos', { exact: true }).setInputFiles([photo(1), photo(2)]);
  await first.page.getByRole('textbox', { name: 'Alt text for porch-2.png' }).fill('Two');
  await first.page.getByRole('textbox', { name: 'Alt text for porch-1.png' }).fill('One');
  await first.page.getByRole('button', { name: 'Move porch-1.png later' }).click();
  await expect
    .poll(async () => JSON.stringify(await keptIn(first.page, 'posts')))
    .toMatch(/porch-2\.png.*porch-1\.png/);
  await first.kill();

  // The window opens at its first screen, and shows the post that the killed browser has kept.
  const second = await start({ isHeld: true });
  await second.page.getByRole('textbox', { name: 'Alt text for porch-2.png' }).waitFor();
  await second.page.getByText('Uploading photo 1 of 2').first().waitFor();
  // A second kill loses nothing either.
  await second.kill();
  const third = await start({ isHeld: false });
  await third.page.getByRole('textbox', { name: 'Alt text for porch-2.png' }).waitFor();
  await third.page.getByText('Uploading photo').waitFor({ state: 'detached' });
  await third.page.getByRole('button', { name: 'Publish' }).click();
  await third.page.getByText('Published.').waitFor();
  const { items } = await server.call('posts.list', {});
  expect(items).toHaveLength(1);
  const { photos } = await server.call('posts.source', { url: items[0]?.url ?? '' });
  expect(photos.map(({ alt }) => alt)).toEqual(['Two', 'One']);
  for (const store of ['photos', 'posts']) await expect.poll(() => keptIn(third.page, store)).toEqual([]);
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
  await untilSteady(use);
  await use.click();
  await expect.poll(() => text(two).inputValue()).toBe('Start. From the first window.');
  const drafts = await server.call('posts.list', { status: 'draft' });
  expect(drafts.items.map(({ summary }) => summary).sort()).toEqual([
    'Start. From the first window.',
    'Start. From the second window.',
  ]);
});

test('a picture that is pasted into an article has the cursor in its alt text, also after its upload', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/write?kind=article');
  const field = text(page);
  const bytes = photo(1).buffer.toString('base64');
  const paste = (name: string) =>
    field.evaluate(
      (element, { name, bytes }) => {
        const content = Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
        const clipboardData = new DataTransfer();
        clipboardData.items.add(new File([content], name, { type: 'image/png' }));
        element.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
        );
      },
      { name, bytes },
    );
  await page.getByRole('textbox', { name: 'Title' }).fill('On doors');
  await field.fill('One.');
  await paste('a.png');
  await page.keyboard.type('A door');
  await expect.poll(() => field.inputValue()).toMatch(/!\[A door\]\(https:/);
  await page.keyboard.type(' at night');
  expect(await field.inputValue()).toContain('![A door at night](https:');
  await paste('b.png');
  await expect.poll(() => field.inputValue()).toMatch(/\)\n\n!\[\]\(https:/);
  await page.getByText('1 picture without alt text').waitFor();
  await page.keyboard.type('A lamp');
  expect(await field.inputValue()).toMatch(
    /^One\.\n\n!\[A door at night\]\(https:\S+\)\n\n!\[A lamp\]\(https:\S+\)\s*$/,
  );
  await page.getByText('without alt text').waitFor({ state: 'detached' });
});

test('an article with two photos inside its text takes four clicks', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/posts');
  await page.getByRole('link', { name: 'Write', exact: true }).click();
  await page.getByText('Article', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Two doors');
  await text(page).fill('One.');
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Add pictures to the text' }).click();
  await (await choosing).setFiles([photo(1), photo(2)]);
  await expect.poll(() => text(page).inputValue()).toMatch(/^One\.(?:\n\n!\[[^\]]*\]\(https?:\S+\)){2}\s*$/);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Published.').waitFor();
  const [post] = (await server.call('posts.list', {})).items;
  expect(post).toMatchObject({ kind: 'article', name: 'Two doors', status: 'published' });
});

test('a preview beside the text follows the cursor', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/write?kind=article');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('textbox', { name: 'Title' }).fill('Doors');
  const paragraphs = Array.from({ length: 60 }, (_, index) => `Door number ${index}, of *oak*.`);
  await text(page).fill(paragraphs.join('\n\n'));
  await page.getByRole('button', { name: 'Preview' }).click();
  const preview = page.getByRole('region', { name: 'Preview' });
  const isShown = (words: string) =>
    preview.getByText(words).evaluate((part) => {
      const box = (part.getRootNode() as ShadowRoot).host.closest('section')?.getBoundingClientRect();
      const { top, bottom } = part.getBoundingClientRect();
      return box !== undefined && top >= box.top && bottom <= box.bottom;
    });
  await text(page).press('Control+Home');
  await expect.poll(() => isShown('Door number 0,')).toBe(true);
  await text(page).press('Control+End');
  await expect.poll(() => isShown('Door number 59,')).toBe(true);
  for (let line = 0; line < 100; line += 1) await page.keyboard.press('ArrowUp');
  await expect.poll(() => isShown('Door number 9,')).toBe(true);
});

test('a window that becomes narrower or wider keeps the cursor where the owner types', async () => {
  const server = await startServer();
  const page = await openAt(server, '#/write');
  await text(page).fill('The swifts left.');
  await page.keyboard.press('Home');
  for (const width of [800, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.keyboard.type('Today. ');
  }
  expect(await text(page).inputValue()).toBe('Today. Today. The swifts left.');
});
