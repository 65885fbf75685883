import AxeBuilder from '@axe-core/playwright';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { sampleSite } from '../support/site-sample.ts';
import { memoryPosts, postOf, serveSite, type SiteServer } from '../support/site.ts';

let browser: Browser;
let site: SiteServer;
beforeAll(async () => {
  browser = await launchChromium();
  site = await serveSite(memoryPosts(sampleSite));
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const pages = ['/', '/categories/porch', '/posts/nothing', ...sampleSite.map(({ path }) => path)];

describe.each(['light', 'dark'] as const)('the site in %s', (colorScheme) => {
  test.each(pages)('%s has nothing that axe finds, fits a phone, and asks nobody else', async (path) => {
    const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 800 } });
    try {
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
      const { violations } = await new AxeBuilder({ page }).analyze();
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      expect(found).toEqual([]);
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow).toBe(0);
    } finally {
      await context.close();
    }
  });
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
      me: 'https://ann.example/',
      name: 'Ann & <Co>\u0001',
      url: 'https://ann.example/?a=1&b=2',
      photo: '',
      email: '',
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
