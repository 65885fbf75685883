import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OwnerPostStore } from '../../../src-main/posts/micropub/owner-post-store.ts';
import { serveSite, type SiteServer } from '../../support/site.ts';
import { storeInMemory } from '../../support/store-in-memory.ts';

const now = Date.parse('2026-12-15T12:00:00Z');

let posts: OwnerPostStore;
let site: SiteServer;

/** Adds a post as it was published at a time. */
async function add(
  published: string,
  properties: Record<string, unknown[]>,
  over: object = {},
): Promise<string> {
  const content = { type: ['h-entry'], properties: { ...properties, published: [published] }, commands: {} };
  const whole = { ...content, status: 'published', visibility: 'public', ...over } as const;
  return (await posts.create(whole, { now })).path;
}

beforeAll(async () => {
  posts = storeInMemory();
  for (let number = 0; number < 25; number += 1)
    await add(`2026-11-${String(number + 1).padStart(2, '0')}T10:00:00Z`, {
      content: [`Kettle number ${number}`],
      category: ['tea'],
    });
  // By the author's clock, this post belongs to October.
  await add('2026-10-31T23:30:00-05:00', { content: ['Late in October'], category: ['Äpfel', 'tea'] });
  await add('2025-01-02T10:00:00Z', {
    name: ['A long winter'],
    summary: ['The pipes froze'],
    content: ['It snowed.'],
    photo: [{ value: '/media/1.webp', alt: 'An icicle at the gutter' }],
  });
  await add('2026-12-24T10:00:00Z', { content: ['Scheduled kettle'], category: ['feast'] });
  await add(
    '2026-11-30T10:00:00Z',
    { content: ['Secret kettle'], category: ['secret'] },
    { visibility: 'private' },
  );
  await add('2024-05-05T10:00:00Z', { content: ['Draft kettle'] }, { status: 'draft' });
  site = await serveSite(posts, { now: () => now });
});
afterAll(async () => {
  await site.close();
});

const textOf = async (place: string) => (await site.get(place)).text();
/** The links of a page's main part, with the count beside each. */
async function countsOf(place: string): Promise<string[]> {
  const main = /<main[\s\S]*<\/main>/.exec(await textOf(place))?.[0] ?? '';
  const items = main.matchAll(/<li><a href="([^"]+)"[^>]*>([^<]+)<\/a> <span class="soft">([^<]+)/g);
  return Array.from(items, ([, href = '', name = '', count = '']) => `${href} ${name}: ${count}`);
}

describe('the archive', () => {
  test('lists the months of each year and the kinds, with counts of what everybody may read now', async () => {
    expect(await countsOf('/archive')).toEqual([
      '/posts/2026/11/ November: 25 posts',
      '/posts/2026/10/ October: 1 post',
      '/posts/2025/01/ January: 1 post',
      '/kinds/note Notes: 26 posts',
      '/kinds/article Articles: 1 post',
    ]);
    expect(await textOf('/archive')).toContain('<h2><a href="/posts/2026/">2026</a></h2>');
    expect(await textOf('/archive')).toMatch(
      /<ul class="recent"><li><a href="[^"]*" dir="auto">A long winter</,
    );
  });

  test('a year shows its months and its posts; a month shows those whose path is in it', async () => {
    expect(await countsOf('/posts/2026/')).toEqual([
      '/posts/2026/11/ November: 25 posts',
      '/posts/2026/10/ October: 1 post',
    ]);
    expect(await textOf('/posts/2026/10/')).toContain('Late in October');
    expect(await textOf('/posts/2026/10/')).toContain('<h1 class="p-name" dir="auto">October 2026</h1>');
    const november = await textOf('/posts/2026/11/');
    expect(november).not.toContain('Late in October');
    expect(november).toContain('Kettle number 24');
    expect(november).toContain('Kettle number 4<');
  });

  test.each(['/posts/2026', '/posts/2026/11'])('%s leads to the address with a slash', async (place) => {
    const answer = await site.get(place);
    expect(answer.status).toBe(301);
    expect(answer.headers.get('location')).toBe(`${place}/`);
  });

  test.each([
    '/posts/2024/',
    '/posts/2026/12/',
    '/posts/2026/13/',
    '/posts/9999/',
    '/kinds/photo',
    '/kinds/x',
  ])('%s has no posts that everybody may read, so it is not found', async (place) =>
    expect((await site.get(place)).status).toBe(404),
  );
});

test('the categories are listed with counts, in alphabetical order', async () => {
  expect(await countsOf('/categories')).toEqual([
    '/categories/%C3%84pfel Äpfel: 1 post',
    '/categories/tea tea: 26 posts',
  ]);
});

test('the page of a kind lists its posts and links its feeds and the hub', async () => {
  const text = await textOf('/kinds/article');
  expect(text).toContain('A long winter');
  expect(text).not.toContain('Kettle');
  for (const format of ['atom', 'rss', 'json'])
    expect(text).toContain(`href="/kinds/article/feed.${format}"`);
  expect(text).toContain(`<link rel="hub" href="${site.base}/websub">`);
  expect(text).toContain(`<link rel="self" href="${site.base}/kinds/article">`);
});

describe('a search', () => {
  const search = (q: string) => site.get(`/search?q=${encodeURIComponent(q)}`);
  const found = async (q: string) => (await (await search(q)).text()).match(/<article/g)?.length ?? 0;

  test('finds what everybody may read now, newest first, page by page', async () => {
    expect(await found('late OCTOBER')).toBe(1);
    const marked = await (await search('kettle')).text();
    expect(marked).toContain('<h2 class="p-name">More than 20 posts with “<bdi>kettle</bdi>”</h2>');
    expect(marked).toContain('<p class="p-summary" dir="auto"><mark>Kettle</mark> number 24</p>');
    const text = marked.replaceAll(/<\/?mark>/g, '');
    expect(text).not.toMatch(/Secret|Draft|Scheduled/);
    expect(text.indexOf('Kettle number 24')).toBeLessThan(text.indexOf('Kettle number 23'));
    const more = /<a rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect((await textOf(more)).match(/<article/g)).toHaveLength(5);
  });

  test.each(['winter', 'snowed', 'pipes froze', 'icicle gutter', 'winter icicle'])(
    'finds a post by its name, text, summary and alt texts: %s',
    async (q) => expect(await found(q)).toBe(1),
  );

  test.each([
    ['"number 7"', 1],
    ['number OR late', 0],
    ['-kettle', 0],
    ['ke*', 0],
    ['NEAR(kettle number)', 0],
    ["'; DROP TABLE posts; --", 0],
    ['"', 0],
    ['\0', 0],
    ['%', 0],
    ['<script>', 0],
    ['it', 1],
  ])('takes %j for words, not for operators', async (q, count) => {
    const answer = await search(q);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'");
    const text = await answer.text();
    expect(text.match(/<article/g)?.length ?? 0).toBe(count);
    expect(text).toContain('<meta name="robots" content="noindex">');
    expect(text).not.toContain('<script>');
  });

  test.each([
    ['x'.repeat(10_000), 'This search is too long. Use at most 200 characters.'],
    ['a b c d e f g h i', 'Search for up to 8 words at a time.'],
  ])('that asks for too much gets a page that says so', async (q, words) => {
    const answer = await search(q);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(words);
  });

  test('without words shows the form, and without results says so', async () => {
    for (const place of ['/search', '/search?q=', '/search?q=a&q=b']) {
      const text = await textOf(place);
      expect(text).toContain('<form class="search" role="search" action="/search">');
      expect(text).not.toContain('No posts contain');
    }
    expect(await (await search('zanzibar')).text()).toContain('No posts contain “<bdi>zanzibar</bdi>”.');
  });

  test('with a cursor that is not valid is the visitor’s mistake', async () => {
    expect((await site.get('/search?q=kettle&after=nonsense')).status).toBe(400);
  });
});
