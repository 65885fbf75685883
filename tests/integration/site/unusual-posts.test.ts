import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { html as markup } from '../../../src-main/http/html.ts';
import { postOf, serveSite, type SiteServer } from '../../support/site.ts';

/** All content of a JSON Feed. */
const contentsOf = (text: string): string =>
  (JSON.parse(text) as { items: { content_html: string }[] }).items.map((item) => item.content_html).join('');

describe('posts of unusual size and script', () => {
  const html = `<p dir="rtl">${'שלום עולם 👩‍👩‍👧 '.repeat(40)}</p>\n`.repeat(360);
  const photos = Array.from({ length: 50 }, (_, index) => ({
    value: `/media/${index}.jpg`,
    alt: `تصویر ${index}`,
  }));
  const long = postOf({ name: ['مقالهٔ بلند'], content: [{ html }] }, { slug: 'long' });
  const album = postOf({ photo: photos, content: ['עברית 🏳️‍🌈'] }, { slug: 'album' });
  let server: SiteServer;
  beforeAll(async () => void (server = await serveSite([long, album])));
  afterAll(() => server.close());

  async function entryAt(path: string) {
    const response = await server.get(path);
    const text = await response.text();
    return {
      text,
      entry: readPage({ url: response.url, linkHeader: null, text }).items[0]?.properties ?? {},
    };
  }

  test('200 KB of HTML arrive to the last letter, on the page and in the feeds', async () => {
    expect(html.length).toBeGreaterThan(200_000);
    const { text, entry } = await entryAt(long.path);
    expect(text).toContain(html);
    expect(text).toContain('<h1 class="p-name title" dir="auto">مقالهٔ بلند</h1>');
    expect(entry['name']).toEqual(['مقالهٔ بلند']);
    expect(await (await server.get('/feed.atom')).text()).toContain(markup`${html}`.markup);
    const feed = (await (await server.get('/feed.json')).json()) as { items: { content_html: string }[] };
    expect(feed.items[0]?.content_html).toContain(html);
  });

  test('the front page shows their beginning, and the way to the rest', async () => {
    const { text } = await entryAt('/');
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain(`<a href="${server.base}${long.path}">Continue`);
    expect(text).toContain('and 44 more');
  });

  test('MP-31 what people wrote finds its own direction, in pages, titles and lists', async () => {
    for (const path of [long.path, album.path, '/']) {
      const { text } = await entryAt(path);
      expect(text).toMatch(/class="(?:e-content|p-summary)" dir="auto"/);
    }
    expect((await entryAt(long.path)).text).toContain('<h1 class="p-name title" dir="auto">');
    expect((await entryAt('/')).text).toMatch(/<h3 class="title" dir="auto">/);
  });

  test('50 photos are all there, each with its words', async () => {
    const { entry } = await entryAt(album.path);
    expect(entry['photo']).toEqual(photos.map(({ value, alt }) => ({ value: server.base + value, alt })));
    expect(entry['content']).toMatchObject([{ value: 'עברית 🏳️‍🌈' }]);
  });
});

describe('unusual properties from an app', () => {
  const values: unknown[] = [
    null,
    7,
    '',
    ' ',
    {},
    [],
    { type: 'x' },
    { type: ['h-card'], properties: { name: 'x' } },
    'javascript:alert(1)',
    '"><script>alert(1)</script>',
    { html: 5 },
    { value: '\u0000\uD800' },
    'http://[',
    'geo:x',
  ];
  const names =
    'other tag-of name content summary published updated category photo video audio featured in-reply-to like-of repost-of bookmark-of rsvp start end location checkin syndication location-visibility';
  const odd = values.map((value, index) =>
    postOf(Object.fromEntries(names.split(' ').map((name) => [name, [value]])), { slug: `odd${index}` }),
  );

  test.each(['7', 'soon', '2026-11-21T25:99:00Z', '2026-02-31T99:00'])(
    'an invalid date (%s) is replaced by the creation date of the post',
    async (published) => {
      const server = await serveSite([postOf({ content: ['Here'], published: [published] })]);
      try {
        const feed = (await (await server.get('/feed.json')).json()) as { items: object[] };
        expect(feed.items[0]).toMatchObject({ date_published: '2026-11-21T14:05:00.000Z' });
        expect((await server.get('/feed.atom')).status).toBe(200);
      } finally {
        await server.close();
      }
    },
  );

  test('never breaks a page or a feed, and never runs', async () => {
    const server = await serveSite(odd);
    try {
      for (const path of ['/', '/feed.atom', '/feed.rss', '/feed.json', ...odd.map((post) => post.path)]) {
        const response = await server.get(path);
        expect(response.status, path).toBe(200);
        // Titles and categories of RSS and JSON Feed are plain text: nobody takes them as markup.
        const all = (await response.text()).replace(/<title><!\[CDATA\[.*?<\/title>/gs, '');
        const text = path.endsWith('.json') ? contentsOf(all) : all;
        expect(text, path).not.toMatch(/<script|(href|src)=["']?javascript:/i);
      }
    } finally {
      await server.close();
    }
  });

  test('a property with a name or a value that no page expects is text, and no class of the page', async () => {
    const deep = { a: { b: { c: { d: { e: { f: 'too deep' } } } } } };
    const server = await serveSite([
      postOf({
        content: ['Here'],
        'like-of h-card': ['https://a.example/'],
        'x"><script>': ['"><script>alert(1)</script>'],
        name2: [{ type: ['h-card"><b>', 'evil'], properties: { name: ['N'], url: ['javascript:alert(1)'] } }],
        picture: [{ value: 'https://spy.example/p.jpg', alt: 'A door' }],
        long: ['word '.repeat(5000)],
        deep: [deep],
        empty: ['', {}, [], null],
        on: [true],
      }),
    ]);
    try {
      const text = await (await server.get('/posts/2026/11/one')).text();
      const list = await (await server.get('/')).text();
      expect(text).not.toMatch(
        /<script>alert|class="[^"]*(?:h-card"&gt;|evil|u-like-of)|href="javascript:|too deep|<img/,
      );
      expect(text).toContain('<bdi>like-of h-card</bdi>:</span> <a href="https://a.example/"');
      expect(text).toContain('<a class="u-picture" href="https://spy.example/p.jpg" dir="auto">A door</a>');
      expect(text).toContain('<bdi>on</bdi>:</span> <span class="p-on" dir="auto">true</span>');
      expect(text).not.toContain('<bdi>empty</bdi>');
      expect(text.split('word ').length).toBeGreaterThan(4000);
      expect(list.split('word ').length).toBeLessThan(100);
    } finally {
      await server.close();
    }
  });

  test('a place that the owner keeps private is shown nowhere', async () => {
    const place = {
      type: ['h-card'],
      properties: { name: ['Secret garden'], latitude: ['1'], longitude: ['2'] },
    };
    const server = await serveSite([
      postOf({
        content: ['Here'],
        location: [place, 'geo:50.1,6.2'],
        checkin: [place],
        'location-visibility': ['private'],
      }),
    ]);
    try {
      for (const path of ['/', '/posts/2026/11/one', '/feed.atom', '/feed.json']) {
        const text = await (await server.get(path)).text();
        expect(text).toContain('Here');
        expect(text).not.toMatch(/Secret garden|50\.1/);
      }
    } finally {
      await server.close();
    }
  });
});
