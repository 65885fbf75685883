import type { Browser, BrowserContext } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeFindings, provideAxe } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { sampleMedia, sampleMediaRoutes } from '../support/site-sample-media.ts';
import { sampleResponses } from '../support/site-responses.ts';
import { sampleSite } from '../support/site-sample.ts';
import { memoryPosts, postOf, serveSite, type SiteServer } from '../support/site.ts';
import { layoutFaults } from '../support/window-layout.ts';
import { motionOn, watchMotion } from '../support/window-motion.ts';

let browser: Browser;
let site: SiteServer;
beforeAll(async () => {
  browser = await launchChromium();
  site = await serveSite(memoryPosts(sampleSite), {
    media: sampleMedia,
    responses: sampleResponses,
    beside: sampleMediaRoutes,
  });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const pages = [
  ...['/', '/categories/porch', '/posts/nothing', '/posts/2026/11/answered?responses=2'],
  ...sampleSite.map(({ path }) => path),
];

describe('the site', () => {
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width: 390, height: 800 },
    });
    await provideAxe(context);
    await watchMotion(context);
  });
  afterAll(() => context.close());

  test('a fault would be found, and one that only the dark mode has', async () => {
    const page = await context.newPage();
    await page.goto(`${site.base}/posts/nothing`);
    expect(await axeFindings(page)).toEqual([]);
    await page.evaluate(() => document.body.append(document.createElement('img')));
    expect((await axeFindings(page)).join()).toContain('image-alt');
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).not.toBe(ink);
    expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
    await page.evaluate((color) => {
      for (const element of document.querySelectorAll<HTMLElement>('main *')) element.style.color = color;
    }, ink);
    expect((await axeFindings(page, ['color-contrast'])).join()).toContain('color-contrast');
    await page.close();
  });

  // Only colours differ in dark mode (page-palette.ts), and the pages have no scripts: only colours are checked there.
  test.concurrent.each(pages)(
    '%s has nothing that axe finds in light and dark, fits a phone and double zoom, moves nothing, and asks nobody else',
    async (path) => {
      const page = await context.newPage();
      const elsewhere: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(`${site.base}/`)) elsewhere.push(request.url());
      });
      page.on('console', (message) => {
        if (/content security policy/i.test(message.text())) complaints.push(message.text());
      });
      await page.goto(site.base + path);
      expect(await axeFindings(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, ['color-contrast'])).toEqual([]);
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
      for (const width of [390, 320, 640]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await layoutFaults(page), `${width} px wide`).toEqual([]);
      }
      expect(await motionOn(page)).toEqual([]);
      await page.close();
    },
  );
});

test('the site is read without scripts', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site.base}/`);
  await page.getByRole('link', { name: 'On porches', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'On porches' }).waitFor();
  await context.close();
});

describe('the feeds, as the strict reader in a browser takes them', () => {
  const awkward = postOf(
    {
      name: ['A ]]> b ]]> <c> & "d" \u0000\u0008\u001F\uFFFE\uD800!'],
      content: [
        {
          html: '<p title="]]>">one ]]> two ]]&gt; \u0007 👋🏽 &nbsp; שלום</p><img src="/media/a.jpg" alt="x">',
        },
      ],
      category: ['R&D <"x">', 'b'],
    },
    { slug: 'awkward' },
  );

  test.each(['atom', 'rss'])('%s is well-formed, with all that was posted', async (format) => {
    const server = await serveSite([awkward, ...sampleSite], {
      profile: {
        me: 'https://ann.example/',
        name: 'Ann & <Co>\u0001',
        url: 'https://ann.example/?a=1&b=2',
        photo: '',
        email: '',
      },
    });
    const page = await browser.newPage();
    try {
      const response = await server.get(`/feed.${format}`);
      expect(response.headers.get('content-type')).toBe(`application/${format}+xml; charset=utf-8`);
      const read = await page.evaluate(
        (text) => {
          const document = new DOMParser().parseFromString(text, 'text/xml');
          const item = document.querySelector('entry, item');
          const words = (selector: string) => item?.querySelector(selector)?.textContent ?? null;
          return {
            error: document.querySelector('parsererror')?.textContent ?? null,
            title: document.querySelector('feed > title, channel > title')?.textContent,
            count: document.querySelectorAll('entry, item').length,
            name: words('title'),
            address: words('id') ?? words('link'),
            content: words('content') ?? item?.getElementsByTagName('content:encoded')[0]?.textContent,
            categories: [...(item?.querySelectorAll('category') ?? [])].map(
              (one) => one.getAttribute('term') ?? one.textContent,
            ),
          };
        },
        await response.text(),
      );
      expect(read.error).toBe(null);
      expect(read.title).toBe('Ann & <Co>');
      expect(read.count).toBe(1 + sampleSite.filter(({ deletedAt }) => deletedAt === null).length);
      expect(read.address).toBe(`${server.base}${awkward.path}`);
      expect(read.name).toContain(format === 'atom' ? '&lt;c&gt; &amp; ' : '<c> & "d"');
      expect(read.content).toContain(' two ]]&gt;');
      expect(read.content).toContain('👋🏽');
      expect(read.content).toContain(`src="${server.base}/media/a.jpg"`);
      expect(read.categories).toEqual(['R&D <"x">', 'b']);
    } finally {
      await page.close();
      await server.close();
    }
  });
});
