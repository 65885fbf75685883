import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Params } from '../../src-main/contract/contract.ts';
import type { PostText } from '../../src-main/contract/writing.ts';
import { landscape } from '../../src-main/demo/pictures.ts';
import { launchChromium } from '../support/chromium.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';

let browser: Browser;
let server: HeadlessProcess;
let requested: string[];

beforeAll(async () => {
  browser = await launchChromium();
  server = await startHeadless({ args: ['--me', 'https://owner.example/', '--tunnel', 'off'] });
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});

/** Opens the editor in the real window, and notes the origins that its page asks. */
async function openEditor(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  requested = [];
  page.on('request', (request) => requested.push(new URL(request.url()).origin));
  await page.goto(`${server.ready.consoleUrl}/#key=${server.ready.ownerKey}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.evaluate(() => void (location.hash = '#/write?kind=article'));
  await text(page).waitFor();
  return page;
}

const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const title = (page: Page) => page.getByRole('textbox', { name: 'Title' });
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' });
const publish = (page: Page) => page.getByRole('button', { name: 'Publish' }).click();
const posts = async () => (await server.call('posts.list', {})).items;
const onLoopback = (path: string) => `http://127.0.0.1:${server.ready.port}${path}`;

/** Publishes what the editor holds, and opens the post's page as a visitor. */
async function published(page: Page, name: string): Promise<Page> {
  await publish(page);
  await page.getByText('Published.').waitFor();
  const path = (await posts()).find((post) => post.name === name)?.path;
  const visitor = await page.context().newPage();
  await visitor.goto(onLoopback(path ?? '/missing'));
  return visitor;
}

describe('the editor', () => {
  test('shows scripts in Markdown as text, in the preview and on the page', async () => {
    const page = await openEditor();
    await title(page).fill('Scripts');
    const lines = [
      '<script>window.ran = true</script>',
      '<img src="https://elsewhere.example/x.png" onerror="window.ran = true">',
      '[a link](javascript:window.ran=true)',
      '![a picture](https://elsewhere.example/y.png)',
      '<svg onload="window.ran = true"></svg>',
    ];
    await text(page).fill(lines.join('\n\n'));
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview(page).getByText('<script>window.ran = true</script>').waitFor();
    expect(await preview(page).locator('script, svg, [onerror], [href^="javascript"]').count()).toBe(0);
    const visitor = await published(page, 'Scripts');
    await visitor.getByText('<script>window.ran = true</script>').waitFor();
    for (const [index, shown] of [page, visitor].entries()) {
      expect(await shown.evaluate(() => 'ran' in window)).toBe(false);
      if (index === 1) expect(await shown.evaluate(() => document.scripts.length)).toBe(0);
    }
    expect([...new Set(requested)]).toEqual([server.ready.consoleUrl]);
  });

  test('takes 200 KB of nested lists, and the page shows all of them', { timeout: 360_000 }, async () => {
    const page = await openEditor();
    await title(page).fill('Nested');
    const lines: string[] = [];
    for (let size = 0, level = 0; ; level += 1) {
      const line = `${'  '.repeat(level)}- level ${level};`;
      size += line.length + 1;
      if (size > 200_000) break;
      lines.push(line);
    }
    await text(page).fill(lines.join('\n'));
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview(page).getByText('level 0;').first().waitFor();
    const visitor = await published(page, 'Nested');
    const shown = await visitor.locator('.e-content').textContent();
    for (let level = 0; level < lines.length; level += 1) expect(shown).toContain(`level ${level};`);
  });

  test('says that a text is too long, keeps it, and saves it once it is shorter', async () => {
    const page = await openEditor();
    await title(page).fill('Long');
    await text(page).fill('a'.repeat(200_001));
    const words = 'The text has 200,001 characters. A post can have up to 200,000.';
    await page.getByText(words).first().waitFor();
    await page.getByText(`Not saved: ${words}`).first().waitFor();
    await publish(page);
    await page.getByText('Check the text.').waitFor();
    expect(await posts()).not.toContainEqual(expect.objectContaining({ name: 'Long' }));
    await page.reload();
    await expect.poll(async () => (await text(page).inputValue()).length).toBe(200_001);
    await text(page).fill('a'.repeat(200_000));
    await page.getByText(/^Draft saved at/).waitFor();
    expect(await posts()).toContainEqual(expect.objectContaining({ name: 'Long', status: 'draft' }));
  });

  test('refuses 500 photos with one message, and uploads none', async () => {
    const page = await openEditor();
    const before = (await server.call('media.list', {})).items.length;
    const buffer = landscape(1);
    const files = Array.from({ length: 500 }, (_, index) => ({
      name: `${index}.png`,
      mimeType: 'image/png',
      buffer,
    }));
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByLabel('Cover', { exact: true }).setInputFiles(files);
    await page
      .getByText('A post can have up to 100 photos. You chose 500, so Porchlight added none of them.')
      .waitFor();
    expect(await page.getByRole('list', { name: 'Photos in this post' }).count()).toBe(0);
    expect((await server.call('media.list', {})).items).toHaveLength(before);
  });

  test('takes no year above 9999, and names a slug that is taken without losing the post', async () => {
    await server.call('posts.create', { ...empty, text: 'The first one', slug: 'chosen' });
    const page = await openEditor();
    await title(page).fill('Second');
    await text(page).fill('The second one');
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByLabel('Date and time').focus();
    await page.keyboard.type('010110000');
    await page.keyboard.press('Tab');
    await page.keyboard.type('1200PM');
    const typed = await page.getByLabel('Date and time').inputValue();
    expect(typed).not.toBe(''); // as it is while a part of the date is missing
    expect(typed).not.toContain('10000');
    await page.getByLabel('Date and time').fill('');
    const slug = page.getByLabel('Address (slug)');
    await slug.fill('chosen');
    await publish(page);
    await page
      .getByText('Another post of that month has this address. Choose a different one.')
      .first()
      .waitFor();
    await page.getByText('Check the address (slug).').waitFor();
    await page.getByText(/^Draft saved at/).waitFor();
    expect(await posts()).toContainEqual(expect.objectContaining({ name: 'Second', status: 'draft' }));
    await slug.fill('chosen-too');
    const visitor = await published(page, 'Second');
    expect(new URL(visitor.url()).pathname).toMatch(/\/chosen-too$/);
  });
});

const empty: PostText = {
  text: 'Hello',
  format: 'markdown',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};

describe('the contract', () => {
  const photos = Array.from({ length: 500 }, (_, index) => ({
    url: `https://owner.example/${index}.jpg`,
    alt: '',
  }));
  test.each<[string, Partial<Params<'posts.create'>>, string, string]>([
    ['500 photos', { photos }, 'invalid_request', 'must not have more than 100 items'],
    ['200,001 characters', { text: 'a'.repeat(200_001) }, 'invalid_request', '200000 characters'],
    ...['10000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', 'soon'].map(
      (published): [string, Partial<Params<'posts.create'>>, string, string] => [
        `the date ${published}`,
        { published },
        'invalid_request',
        `“${published}” isn’t a date between the years 0 and 9999.`,
      ],
    ),
    ['a slug that is taken', { slug: 'Occupied' }, 'slug_taken', 'Choose another one.'],
    ['a slug without letters', { slug: '…' }, 'invalid_request', 'needs letters or digits'],
    [
      'a photo that is a script',
      { photos: [{ url: 'javascript:alert(1)', alt: '' }] },
      'invalid_request',
      'http',
    ],
    ['a reply to a script', { inReplyTo: 'javascript:alert(1)' }, 'invalid_request', 'isn’t a web address'],
  ])(
    'refuses %s with a message, and neither creates nor changes a post',
    async (_what, part, code, words) => {
      if (part.slug === 'Occupied')
        await server.call('posts.create', { ...empty, slug: 'occupied' }).catch(() => undefined);
      const { url } = await server.call('posts.create', { ...empty, text: 'As it was' });
      const before = [await posts(), await server.call('posts.source', { url })];
      const message = expect.stringContaining(words) as unknown;
      await expect(server.call('posts.create', { ...empty, ...part })).rejects.toMatchObject({
        code,
        message,
      });
      const change = { url, ...part, text: part.text ?? 'Changed' };
      await expect(server.call('posts.update', change)).rejects.toMatchObject({ code });
      expect([await posts(), await server.call('posts.source', { url })]).toEqual(before);
    },
  );

  test.each([
    ['lists in one line', '- '.repeat(99_990)],
    ['quotes', '> '.repeat(99_990)],
    ['brackets', '['.repeat(199_980)],
    ['emphasis', '*a '.repeat(66_600)],
    ['pictures in pictures', '![a]('.repeat(39_990)],
  ])('publishes 200 KB of nested %s, and the page shows the words', async (_what, nested) => {
    const { path } = await server.call('posts.create', { ...empty, text: `${nested}x\n\nThe end.` });
    const page = await fetch(onLoopback(path));
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<p>The end.</p>');
  });
});

test.each([
  ['x'.repeat(10_000), 400, 'This search is too long. Use at most 200 characters.'],
  ['tea OR -kettle NEAR(a) * ^ "', 200, 'No posts contain'],
])('a search like “%.12s…” gets a page that explains the mistake', async (query, status, words) => {
  const page = await fetch(onLoopback(`/search?q=${encodeURIComponent(query)}`));
  expect(page.status).toBe(status);
  expect(await page.text()).toContain(words);
});

test.each([
  ['a {}\n@import url("https://elsewhere.example/x.css");', 'CSS, line 2: The site can’t import'],
  ['a { background: url(https://elsewhere.example/x.png) }', 'CSS can load pictures only from this site.'],
])('CSS that requests another server is refused, and the site stays the same', async (css, words) => {
  const before = await server.call('settings.get', {});
  await expect(server.call('settings.update', { site: { title: 'New', css } })).rejects.toThrow(words);
  expect(await server.call('settings.get', {})).toEqual(before);
});
