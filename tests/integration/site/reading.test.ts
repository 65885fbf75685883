import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { readPage } from '../../../src-main/untrusted/pages/web-page.ts';
import { linkTagsOf } from '../../../src-main/address/public-address.ts';
import { ann, memoryPosts, postOf, serveSite, type SiteServer } from '../../support/site.ts';

const secret = 'nobody may read this';
const hidden: Post[] = [
  postOf({ content: [secret] }, { slug: 'draft', status: 'draft' }),
  postOf({ content: [secret] }, { slug: 'private', visibility: 'private' }),
  postOf(
    { content: [secret] },
    { slug: 'draft-gone', status: 'draft', deletedAt: '2026-11-22T00:00:00.000Z' },
  ),
  postOf(
    { content: [secret] },
    { slug: 'private-gone', visibility: 'private', deletedAt: '2026-11-22T00:00:00.000Z' },
  ),
];
const gone = postOf(
  { content: [secret], category: ['porch'] },
  { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' },
);
const unlisted = postOf(
  { content: ['by link only'], category: ['porch'] },
  { slug: 'unlisted', visibility: 'unlisted' },
);
const open = postOf(
  { content: ['for all'], category: ['porch', 'a/b'] },
  { slug: 'open', updatedAt: '2026-11-22T10:00:00.000Z' },
);
const all = [...hidden, gone, unlisted, open];
const moved = { '/posts/2026/11/old': open.path, '/posts/2026/11/old-draft': '/posts/2026/11/draft' };
const lists = ['/', '/categories/porch', '/feed.atom', '/feed.rss', '/feed.json'];

let site: SiteServer;
/** A reader that hands out everything, whatever it is asked for: the site must look for itself. */
let careless: SiteServer;
beforeAll(async () => {
  const reader = memoryPosts(all, moved);
  site = await serveSite(reader);
  careless = await serveSite({ ...reader, list: () => Promise.resolve({ items: all }) });
});
afterAll(() => Promise.all([site.close(), careless.close()]));

describe('posts that are not public', () => {
  test.each(hidden)('$path answers like an address that never was', async ({ path }) => {
    const never = await site.get('/posts/2026/11/never');
    const answer = await site.get(path);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe(await never.text());
    expect(answer.headers.get('etag')).toBe(never.headers.get('etag'));
    expect(answer.headers.get('last-modified')).toBe(null);
  });

  test.each(lists)('%s shows only listed posts, whatever the reader returns', async (path) => {
    for (const server of [site, careless]) {
      const text = await (await server.get(path)).text();
      expect(text).toContain('for all');
      expect(text).not.toContain(secret);
      expect(text).not.toContain('by link only');
    }
  });

  test('an unlisted post is read by its link, and asks search engines to leave it out', async () => {
    const answer = await site.get(unlisted.path);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    expect(text).toContain('by link only');
    expect(text).toContain('<meta name="robots" content="noindex">');
  });

  test('MP-51 WM 3.1.5 a deleted post leaves a tombstone without its content', async () => {
    const answer = await site.get(gone.path);
    expect(answer.status).toBe(410);
    expect(await answer.text()).not.toContain(secret);
  });

  test('a moved post redirects; the address of a draft is revealed to nobody', async () => {
    const answer = await site.get('/posts/2026/11/old');
    expect(answer.status).toBe(301);
    expect(answer.headers.get('location')).toBe(`${site.base}${open.path}`);
    expect((await site.get('/posts/2026/11/old-draft')).status).toBe(404);
  });
});

describe('every page', () => {
  const pages = [
    '/',
    open.path,
    gone.path,
    '/posts/nothing',
    '/posts/2026/11/old',
    '/categories/porch',
    '/feed.atom',
  ];

  test.each(pages)(
    'WR-15 IA-1 GET and HEAD of %s carry the Link headers in the shape clients look for',
    async (path) => {
      for (const method of ['GET', 'HEAD']) {
        const header = (await site.get(path, { method })).headers.get('link') ?? '';
        for (const { rel, href } of linkTagsOf(site.base))
          expect(header).toContain(`<${href}>; rel="${rel}"`);
        expect(
          /<((?:https?:\/\/)?[^>]+)>; rel="?(?:https?:\/\/webmention.org\/?|webmention)"?/.exec(header)?.[0],
        ).toContain('/webmention>');
      }
    },
  );

  test.each(pages.slice(0, 4))(
    '%s carries the same links in its head, and one address each',
    async (path) => {
      const text = await (await site.get(path)).text();
      const { linkRels } = readPage({ url: site.base, linkHeader: null, text });
      for (const { rel, href } of linkTagsOf(site.base)) expect(linkRels[rel]).toEqual([href]);
    },
  );

  test('a page loads nothing from other servers and runs no script, as its policy says', async () => {
    const policy = (await site.get(open.path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'none'");
    expect(policy).toContain(`img-src data: 'self' ${site.base};`);
    expect(policy).not.toContain('unsafe');
  });
});

describe('a page that the reader already has', () => {
  test.each(['/', open.path, '/categories/porch', '/feed.atom', '/feed.rss', '/feed.json'])(
    '%s is answered with 304, by weak and listed tags too',
    async (path) => {
      const first = await site.get(path);
      const etag = first.headers.get('etag') ?? '';
      expect(etag).toMatch(/^W\/"[\w-]{20,}"$/);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      for (const known of [etag, etag.slice('W/'.length), `"other", ${etag}`]) {
        const again = await site.get(path, { headers: { 'if-none-match': known } });
        expect(again.status).toBe(304);
        expect(again.headers.get('etag')).toBe(etag);
        expect(again.headers.get('link')).toContain('rel="webmention"');
        expect(await again.text()).toBe('');
      }
      expect((await site.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  test('a post says when it changed; HEAD says all that GET does', async () => {
    const [got, head] = await Promise.all([site.get(open.path), site.get(open.path, { method: 'HEAD' })]);
    expect(got.headers.get('last-modified')).toBe('Sun, 22 Nov 2026 10:00:00 GMT');
    for (const name of ['etag', 'last-modified', 'cache-control', 'content-type', 'content-length', 'link'])
      expect(head.headers.get(name)).toBe(got.headers.get(name));
    expect(await head.text()).toBe('');
  });

  test('a tombstone is answered with its status, whatever tag is sent', async () => {
    const answer = await site.get(gone.path, { headers: { 'if-none-match': '*' } });
    expect(answer.status).toBe(410);
  });
});

describe('addresses at which there is nothing', () => {
  test.each([
    '/posts/',
    '/posts/2026/11/never',
    '/posts/..%2f..%2fetc',
    '/posts/2026/11/a%2Fb',
    '/posts/2026/11/%00',
    '/categories/none',
  ])('%s is a page for people, with 404', async (path) => {
    const answer = await site.get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('<h1>Page not found</h1>');
  });

  test('the reader is asked for addresses of posts only', async () => {
    const asked: string[] = [];
    const served = await serveSite({
      ...memoryPosts([]),
      get: (path) => (asked.push(path), Promise.resolve(undefined)),
    });
    try {
      for (const path of [
        '..%2f..%2fetc',
        '2026/11/..%2fx',
        '2026/11/%2e%2ehidden',
        '2026/11/a%5Cb',
        '26/1/x',
        '2026/11/ok',
      ])
        await served.get(`/posts/${path}`);
      expect(asked).toEqual(['/posts/2026/11/ok']);
    } finally {
      await served.close();
    }
  });

  test('a page of the list that is not there is the visitor’s mistake', async () => {
    expect((await site.get('/?after=%00nonsense')).status).toBe(400);
  });

  test('a category with a slash in it has a page', async () => {
    const home = await (await site.get('/')).text();
    expect(home).toContain('href="/categories/a%2Fb"');
    expect((await site.get('/categories/a%2Fb')).status).toBe(200);
  });
});

describe('the front page', () => {
  test('of a server that nobody has set up says so, and nothing else', async () => {
    const empty = await serveSite([open], { profile: { ...ann, me: null, name: '' } });
    try {
      const text = await (await empty.get('/')).text();
      expect(text).toContain('Its owner has not set it up yet');
      expect(text).not.toContain('for all');
    } finally {
      await empty.close();
    }
  });

  test('tells who lives here: the card whose url and uid are theirs', async () => {
    const { items } = readPage({
      url: site.base,
      linkHeader: null,
      text: await (await site.get('/')).text(),
    });
    expect(items[0]).toMatchObject({
      type: ['h-card'],
      properties: {
        name: ['Ann'],
        url: ['https://ann.example/'],
        uid: ['https://ann.example/'],
        photo: ['https://ann.example/me.jpg'],
      },
    });
  });
});

describe('many posts', () => {
  const many = Array.from({ length: 65 }, (_, index) =>
    postOf({ content: [`number ${index}`] }, { slug: `p${index}` }),
  );
  let full: SiteServer;
  beforeAll(async () => void (full = await serveSite(many)));
  afterAll(() => full.close());

  async function pageAt(
    path: string,
  ): Promise<{ numbers: number[]; rels: ReturnType<typeof readPage>['rels'] }> {
    const response = await full.get(path);
    expect(response.status).toBe(200);
    const text = await response.text();
    const numbers = [...text.matchAll(/>number (\d+)</g)].map(([, number]) => Number(number));
    return { numbers, rels: readPage({ url: full.base, linkHeader: null, text }).rels };
  }

  test('are read in pages, each post once, down to the oldest and up again', async () => {
    const first = await pageAt('/');
    expect(first.rels['prev']).toBeUndefined();
    const second = await pageAt(first.rels['next']?.[0] ?? '');
    const third = await pageAt(second.rels['next']?.[0] ?? '');
    expect(third.rels['next']).toBeUndefined();
    expect([...first.numbers, ...second.numbers, ...third.numbers]).toEqual(many.map((_, index) => index));
    expect((await pageAt(third.rels['prev']?.[0] ?? '')).numbers).toEqual(second.numbers);
    expect(second.rels['prev']?.[0]).toBe(`${full.base}/`);
  });

  test('fill a feed up to thirty', async () => {
    const feed = (await (await full.get('/feed.json')).json()) as { items: unknown[] };
    expect(feed.items).toHaveLength(30);
  });
});

describe('the JSON Feed', () => {
  test('has what readers look for', async () => {
    const feed: unknown = await (await site.get('/feed.json')).json();
    expect(feed).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Ann',
      home_page_url: `${site.base}/`,
      feed_url: `${site.base}/feed.json`,
      items: [
        {
          id: `${site.base}${open.path}`,
          url: `${site.base}${open.path}`,
          content_html: expect.stringContaining('<p>for all</p>') as unknown,
          date_published: '2026-11-21T14:05:00.000Z',
          date_modified: '2026-11-21T14:05:00.000Z',
          tags: ['porch', 'a/b'],
        },
      ],
    });
    expect(feed).not.toHaveProperty(['items', 0, 'title']);
  });
});
