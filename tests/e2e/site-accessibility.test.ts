import type { Browser, BrowserContext, ConsoleMessage, Page, Request } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appearanceOf } from '../../src-main/site/appearance.ts';
import { axeFindings, colourRules, createAxeMemory, haveAxe } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { sampleMedia, sampleMediaRoutes } from '../support/site-sample-media.ts';
import { sampleResponses } from '../support/site-responses.ts';
import { sampleSite } from '../support/site-sample.ts';
import { memoryPosts, postOf, serveSite, type SiteServer } from '../support/site.ts';
import { moreThanColours } from '../support/dark-rules.ts';
import { layoutFaults } from '../support/window-layout.ts';
import { motionOn, watchMotion } from '../support/window-motion.ts';

/** What owners say about themselves, with a name that doesn't fit a line. */
const ownSettings = {
  tagline: 'Carpenter, gardener, keeper of a small porch.',
  about: 'I write about **wood** and slow weekends. [More about me](/about).',
  links: [
    { label: 'Mastodon', url: 'https://social.example/@ann' },
    { label: 'Code', url: 'https://code.example/ann' },
  ],
  pages: [
    {
      slug: 'about',
      title: 'About',
      text: 'I am Ann.\n\n## This site\n\n- Notes\n- Articles\n\n> Sit down.\n\n![Hills](/media/3.webp)',
    },
    { slug: 'now', title: 'Unbreakable'.repeat(6), text: '`code` and a [link](https://bo.example/)' },
  ],
};

let browser: Browser;
let site: SiteServer;
beforeAll(async () => {
  browser = await launchChromium({ draws: false });
  site = await serveSite(memoryPosts(sampleSite), {
    media: sampleMedia,
    responses: sampleResponses,
    beside: sampleMediaRoutes,
    settings: ownSettings,
  });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

const pages = [
  '/',
  '/about',
  '/now',
  '/categories/porch',
  '/categories',
  '/kinds/photo',
  '/archive',
  '/posts/2026/',
  '/posts/2026/11/',
  '/search',
  '/search?q=porch',
  '/search?q=no-such-word',
  '/subscribe',
  `/search?q=${'x'.repeat(300)}`,
  '/posts/2020/',
  '/posts/nothing',
  '/no-such-page',
  '/posts/2026/11/answered?responses=2',
  ...sampleSite.map(({ path }) => path),
];

/** The pages on which the colors of the themes differ. */
const themedPages = new Set([
  '/',
  '/about',
  '/archive',
  '/posts/2026/',
  '/search?q=porch',
  '/posts/nothing',
  '/posts/2026/11/article',
  '/posts/2026/11/photos-three',
  '/posts/2026/11/answered',
]);

const otherThemes = ['paper', 'garden'] as const;
/** Accents that are hard to read as they are. */
const accents = [
  { theme: 'porch', accent: '#ffee00' },
  { theme: 'paper', accent: '#101080' },
  { theme: 'garden', accent: '#f6c1d0' },
] as const;

/** A theme is a style sheet: the markup, on which axe has most of its rules, is that of the usual theme. */
const styleRules = [...colourRules, 'scrollable-region-focusable'];

const styleOf = (theme: 'porch' | 'paper' | 'garden', accent = '') =>
  appearanceOf({ theme, accent, css: '' }).style;

/** Shows an open page in another style. The policy of the page keeps other ways out. */
const wear = (page: Page, style: string) =>
  page.evaluate((css) => {
    for (const sheet of document.styleSheets) sheet.disabled = true;
    const worn = new CSSStyleSheet();
    worn.replaceSync(css);
    document.adoptedStyleSheets = [worn];
  }, style);

const allWidths = [1440, 390, 320, 640];

describe('the site', () => {
  const axe = createAxeMemory();
  let context: BrowserContext;
  beforeAll(async () => {
    context = await browser.newContext({
      colorScheme: 'light',
      reducedMotion: 'reduce',
      viewport: { width: 390, height: 800 },
    });
    await watchMotion(context);
    await haveAxe(context);
  });
  afterAll(() => context.close());

  /** Pages of former tests. A page keeps its process, which has axe compiled. */
  const idle: Page[] = [];

  test('a fault is found, also one that only the dark mode has', async () => {
    const page = await context.newPage();
    await page.goto(`${site.base}/posts/nothing`);
    expect(await axeFindings(page)).toEqual([]);
    await page.evaluate(() => document.body.append(document.createElement('img')));
    expect((await axeFindings(page)).join()).toContain('image-alt');
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await page.evaluate(() => getComputedStyle(document.body).color)).not.toBe(ink);
    expect(await axeFindings(page, colourRules)).toEqual([]);
    await page.evaluate((color) => {
      for (const element of document.querySelectorAll<HTMLElement>('main *')) element.style.color = color;
    }, ink);
    expect((await axeFindings(page, colourRules)).join()).toContain('color-contrast');
    expect(await moreThanColours(page)).toEqual([]);
    await page.evaluate(() =>
      document.styleSheets[0]?.insertRule(
        '@media (prefers-color-scheme: dark) { :root { --ink: red } h1 { &:hover { color: red } display: none } }',
      ),
    );
    expect(await moreThanColours(page)).toEqual([
      '&:hover { color: red; }',
      expect.stringContaining('display: none'),
    ]);
    await page.close();
  });

  test('a fault of another style is found', async () => {
    const page = await context.newPage();
    await page.goto(`${site.base}/posts/nothing`);
    expect(await axe.looks(page, styleRules)).toEqual([]);
    await wear(page, `${styleOf('paper')} main * { color: #eee }`);
    expect((await axe.looks(page, styleRules)).join()).toContain('color-contrast');
    await wear(page, `${styleOf('paper')} main h1 { overflow: scroll; height: 4px }`);
    expect((await axe.looks(page, styleRules)).join()).toContain('scrollable-region-focusable');
    await wear(page, `${styleOf('paper')} main { width: 3000px }`);
    expect(await layoutFaults(page)).not.toEqual([]);
    await page.close();
  });

  async function judgeColours(page: Page, style: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axe.looks(page, styleRules), `${style}, ${colorScheme}`).toEqual([]);
    }
  }

  /** Only colours differ in dark mode, and no page has scripts: width and colours needn't be combined. */
  async function judgeStyle(page: Page, style: string): Promise<void> {
    await judgeColours(page, style);
    expect(await moreThanColours(page), style).toEqual([]);
    for (const width of allWidths) {
      await page.setViewportSize({ width, height: 800 });
      expect(await layoutFaults(page), `${style}, ${width} px wide`).toEqual([]);
    }
    // The widest has the owner beside the posts.
    await page.setViewportSize({ width: 1440, height: 800 });
  }

  test.concurrent.each(pages)(
    '%s has nothing that axe finds in light and dark and in all themes, fits all widths, moves nothing, and asks nobody else',
    async (path) => {
      const page = idle.pop() ?? (await context.newPage());
      await page.emulateMedia({ colorScheme: 'light' });
      const elsewhere: string[] = [];
      const complaints: string[] = [];
      const see = (request: Request) => {
        if (!request.url().startsWith(`${site.base}/`)) elsewhere.push(request.url());
      };
      const hear = (message: ConsoleMessage) => {
        if (/content security policy/i.test(message.text())) complaints.push(message.text());
      };
      page.on('request', see).on('console', hear);
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(site.base + path);
      expect(await axe.all(page)).toEqual([]);
      expect(await page.evaluate(() => document.scripts.length)).toBe(0);
      expect(await motionOn(page)).toEqual([]);
      await judgeStyle(page, 'porch');
      for (const theme of otherThemes) {
        await wear(page, styleOf(theme));
        expect(await motionOn(page), theme).toEqual([]);
        await judgeStyle(page, theme);
      }
      for (const { theme, accent } of themedPages.has(path) ? accents : []) {
        await wear(page, styleOf(theme, accent));
        await judgeColours(page, `${theme} ${accent}`);
      }
      expect(elsewhere).toEqual([]);
      expect(complaints).toEqual([]);
      page.off('request', see).off('console', hear);
      idle.push(page);
    },
  );
});

test.each(otherThemes)('a site with the theme %s has its style, and asks nobody else', async (theme) => {
  const themed = await serveSite(memoryPosts(sampleSite), {
    media: sampleMedia,
    responses: sampleResponses,
    beside: sampleMediaRoutes,
    settings: Object.assign({ theme }, ownSettings),
  });
  const page = await browser.newPage();
  try {
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(`${themed.base}/`)) elsewhere.push(request.url());
    });
    for (const path of ['/', '/posts/2026/11/article']) {
      await page.goto(themed.base + path);
      expect(await page.locator('style').allTextContents()).toEqual([styleOf(theme)]);
    }
    expect(elsewhere).toEqual([]);
  } finally {
    await page.close();
    await themed.close();
  }
});

test('a site without posts has nothing that axe finds, and fits all widths', async () => {
  const empty = await serveSite([], { settings: {} });
  const page = await browser.newPage({ colorScheme: 'light', viewport: { width: 390, height: 800 } });
  try {
    for (const path of ['/', '/archive', '/categories', '/search?q=porch']) {
      await page.goto(empty.base + path);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await axeFindings(page), path).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, colourRules), path).toEqual([]);
      for (const width of [1440, 320, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await layoutFaults(page), `${path}, ${width} px wide`).toEqual([]);
      }
    }
  } finally {
    await page.close();
    await empty.close();
  }
});

test('photos keep their shape on a phone: one is whole, and those of a gallery fill its rows', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const shapes = async (path: string) => {
    await page.goto(site.base + path);
    // The load event doesn't wait for lazy pictures, and a photo has no size before it is loaded.
    await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
    return page.locator('.media img').evaluateAll((photos) =>
      photos.map((photo) => {
        const { width, height } = photo.getBoundingClientRect();
        return Math.round((width / height) * 100) / 100;
      }),
    );
  };
  expect(await shapes('/posts/2026/11/photos-three')).toEqual([2, 1, 1]);
  expect(await shapes('/posts/2026/11/photos-two')).toEqual([1, 1]);
  expect(await shapes('/posts/2026/11/photo')).toEqual([1.5]);
  await page.getByRole('link', { name: 'The sun goes down behind the hills' }).click();
  await page.waitForURL('**/media/1.webp');
  await page.close();
});

test('a printed page has the post, without navigation, in dark on white', async () => {
  const page = await browser.newPage({ colorScheme: 'dark' });
  await page.goto(`${site.base}/posts/2026/11/article`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.getByRole('navigation', { name: 'Site' }).count()).toBe(0);
  expect(await page.getByRole('heading', { level: 1, name: 'On porches' }).isVisible()).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe('rgb(43, 39, 35)');
  await page.close();
});

test('the site is read without scripts', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${site.base}/`);
  await page.getByRole('link', { name: 'On porches', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'On porches' }).waitFor();
  await context.close();
});

describe('the feeds in the strict parser of a browser', () => {
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
            content: words('content') ?? words('description'),
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
      expect(read.name).toContain('<c> & "d"');
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
