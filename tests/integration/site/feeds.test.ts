import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { feedProblems } from '../../support/feed-rules.ts';
import { postOf, serveSite, type SiteServer } from '../../support/site.ts';
import { sampleSite } from '../../support/site-sample.ts';

const formats = ['atom', 'rss', 'json'];
const edited = postOf(
  {
    content: ['Edited & <b>escaped</b> ]]> "quoted" \u0007 #tagged'],
    name: ['A <name> & more ]]>'],
    category: ['a & b', 'two words', 'a/b', 'half \ud83d'],
    published: ['2026-11-21T09:30:00-05:00'],
    audio: ['/media/talk.mp3'],
  },
  { slug: 'edited', editedAt: '2026-11-22T09:00:00.000Z', updatedAt: '2026-11-23T09:00:00.000Z' },
);
const many = Array.from({ length: 65 }, (_, number) =>
  postOf({ content: [`Note ${number}`], category: ['many'] }, { slug: `many-${number}` }),
);

let site: SiteServer;
let empty: SiteServer;
beforeAll(async () => {
  site = await serveSite([edited, ...sampleSite, ...many]);
  empty = await serveSite([]);
});
afterAll(() => Promise.all([site.close(), empty.close()]));

async function fetched(url: string) {
  const answer = await fetch(url);
  return { url, contentType: answer.headers.get('content-type'), text: await answer.text() };
}

describe.each(formats)('the %s feeds', (format) => {
  const paths = ['', '/categories/porch', '/categories/a%2Fb', '/kinds/photo'];

  test.each(paths)('below %s keep the rules of the W3C feed validator', async (path) => {
    const feed = await fetched(`${site.base}${path}/feed.${format}`);
    expect(feedProblems(feed)).toEqual([]);
  });

  test('of a site without posts keep the rules, too', async () => {
    expect(feedProblems(await fetched(`${empty.base}/feed.${format}`))).toEqual([]);
  });

  test('lead on to older posts, page by page, until all have been seen once', async () => {
    const seen: string[] = [];
    let pages = 0;
    for (let url: string | undefined = `${site.base}/categories/many/feed.${format}`; url !== undefined;) {
      const feed = await fetched(url);
      expect(feedProblems(feed)).toEqual([]);
      // Only the first page is a topic of the hub.
      expect(feed.text.includes('/websub')).toBe(pages === 0);
      seen.push(
        ...Array.from(
          feed.text.matchAll(/(?:<id>|<guid[^>]*>|"id": ")[^<"]*\/(many-\d+)/g),
          ([, slug = '']) => slug,
        ),
      );
      const next = /(?:rel="next"[^>]*href|"next_url"):?\s?=?"([^"]+)"/.exec(feed.text)?.[1];
      url = next?.replaceAll('&amp;', '&');
      pages += 1;
    }
    expect(pages).toBe(3);
    expect(seen).toEqual(many.map(({ path }) => path.split('/').at(-1)));
  });

  test('keep the author’s offset, and give the time of the last edit, not that of other changes', async () => {
    const { text } = await fetched(`${site.base}/feed.${format}`);
    if (format === 'rss') {
      expect(text).toContain('<pubDate>Sat, 21 Nov 2026 09:30:00 -0500</pubDate>');
      expect(text).toContain('<lastBuildDate>Sun, 22 Nov 2026 09:00:00 +0000</lastBuildDate>');
    } else {
      expect(text).toContain('2026-11-21T09:30:00.000-05:00');
      expect(text).toContain('2026-11-22T09:00:00.000Z');
    }
    expect(text).not.toContain('2026-11-23');
  });

  test('say when a post in them changed last', async () => {
    const { headers } = await fetch(`${site.base}/feed.${format}`);
    expect(headers.get('last-modified')).toBe('Sun, 22 Nov 2026 09:00:00 GMT');
    expect((await fetch(`${empty.base}/feed.${format}`)).headers.get('last-modified')).toBeNull();
  });

  test('RKlm are answered with 304 if If-Modified-Since repeats Last-Modified', async () => {
    const path = `/feed.${format}`;
    const modified = (await site.get(path)).headers.get('last-modified') ?? '';
    const asked = async (headers: Record<string, string>) => (await site.get(path, { headers })).status;
    expect(await asked({ 'if-modified-since': modified })).toBe(304);
    for (const other of ['Sat, 21 Nov 2026 09:00:00 GMT', 'Mon, 23 Nov 2026 09:00:00 GMT', 'yesterday'])
      expect(await asked({ 'if-modified-since': other })).toBe(200);
    // The tag says more than the date.
    expect(await asked({ 'if-modified-since': modified, 'if-none-match': '"other"' })).toBe(200);
  });

  test('say that they changed when a post with an earlier date is created', async () => {
    const late = postOf(
      { content: ['From the past'], published: ['2020-01-01T00:00:00Z'] },
      { slug: 'late', createdAt: '2026-12-01T10:00:00.000Z' },
    );
    const other = await serveSite([edited, late]);
    const answer = await other.get(`/feed.${format}`);
    expect(answer.headers.get('last-modified')).toBe('Tue, 01 Dec 2026 10:00:00 GMT');
    await other.close();
  });

  test('announce the hub and their own address, in the feed and in headers', async () => {
    for (const path of ['/feed', '/kinds/photo/feed', '/categories/porch/feed']) {
      const answer = await site.get(`${path}.${format}`);
      const links = answer.headers.get('link') ?? '';
      expect(links).toContain(`<${site.base}/websub>; rel="hub"`);
      expect(links).toContain(`<${site.base}${path}.${format}>; rel="self"`);
      expect(await answer.text()).toContain(`${site.base}/websub`);
    }
  });

  test('of a category or kind without posts, or of an unknown kind, are not found', async () => {
    for (const path of ['/categories/none', '/kinds/rsvp-no', '/kinds/audio', '/posts/2026/11'])
      expect((await site.get(`${path}/feed.${format}`)).status).toBe(404);
  });
});

test('X09 an item of the RSS feed has the title of its post, and none that repeats the text', async () => {
  const { text } = await fetched(`${site.base}/feed.rss`);
  const items = text.split('<item>').slice(1);
  const titles = items.flatMap((item) => /<title>(.*?)<\/title>/s.exec(item)?.[1] ?? []);
  const named = [edited, ...sampleSite].filter(({ properties }) => properties.name !== undefined).length;
  expect(titles.length).toBeGreaterThan(0);
  expect(titles.length).toBeLessThanOrEqual(named);
  expect(items.length).toBeGreaterThan(titles.length);
});

test('a category whose name looks like a feed has a page of its own', async () => {
  const odd = await serveSite([postOf({ content: ['Odd'], category: ['tea/feed.atom'] })]);
  const answer = await odd.get('/categories/tea%2Ffeed.atom');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/html');
  await odd.close();
});

describe('the rules for feeds', () => {
  const broken: [string, (text: string) => string][] = [
    ['atom', (text) => text.replace('<updated>2026-11-22T09:00:00.000Z', '<updated>22 Nov 2026')],
    ['atom', (text) => text.replace(/<link rel="self"[^>]*>/, '')],
    ['atom', (text) => text.replace(/<id>[^<]*\/posts/, '<id>/posts')],
    ['atom', (text) => text.replace('</feed>', '')],
    ['atom', (text) => text.replace('<content type="html">', '$&&lt;script&gt;1&lt;/script&gt;')],
    ['rss', (text) => text.replace('<pubDate>Sat, 21', '<pubDate>Fri, 21')],
    ['rss', (text) => text.replace(/<description>[^<]*<\/description>/, '')],
    ['rss', (text) => text.replace(/ length="\d+"/, '')],
    [
      'rss',
      (text) => text.replace('<item>\n', '<item>\n<description>&lt;a href="/x"&gt;x&lt;/a&gt;</description>'),
    ],
    ['json', (text) => text.replace('version/1.1', 'version/1')],
    ['json', (text) => text.replace('"date_published": "2026', '"date_published": "26')],
    ['json', (text) => text.replaceAll(/"id": "[^"]*"/g, '"id": "same"')],
  ];

  test.each(broken)('find the mistake in a broken %s feed (case %#)', async (format, spoil) => {
    const feed = await fetched(`${site.base}/feed.${format}`);
    const spoilt = spoil(feed.text);
    expect(spoilt).not.toBe(feed.text);
    expect(feedProblems({ ...feed, text: spoilt })).not.toEqual([]);
  });
});
