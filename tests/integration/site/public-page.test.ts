import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { memoryPosts, postOf, serveSite, twoDaysLater, type SiteServer } from '../../support/site.ts';

const tomorrow = new Date(twoDaysLater + 86_400_000).toISOString();
const posts: Post[] = [
  postOf({ content: ['for all'], category: ['porch', 'a/b'] }, { slug: 'open' }),
  postOf({ content: ['by link only'], category: ['by-link'] }, { slug: 'unlisted', visibility: 'unlisted' }),
  postOf({ content: ['no'], category: ['secret'] }, { slug: 'draft', status: 'draft' }),
  postOf({ content: ['no'], category: ['secret'] }, { slug: 'private', visibility: 'private' }),
  postOf({ content: ['no'], published: [tomorrow], category: ['secret'] }, { slug: 'later' }),
  postOf({ content: ['no'] }, { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' }),
  postOf({ content: ['for all'] }, { slug: 'ö' }),
];
const moved = Object.fromEntries(
  ['open', 'draft', 'later', 'gone'].map((slug) => [`/posts/2026/11/old-${slug}`, `/posts/2026/11/${slug}`]),
);

let site: SiteServer;
beforeAll(async () => void (site = await serveSite(memoryPosts(posts, moved))));
afterAll(() => site.close());

describe('WR-3 a page of the site that a mention may be of', () => {
  const pages = [
    '/',
    '/#about',
    '/posts/2026/11/open',
    '/posts/2026/11/open#part',
    '/posts/2026/11/%6Fpen',
    '/posts/2026/11/%C3%B6',
    '/posts/2026/11/unlisted',
    '/posts/2026/11/old-open',
    '/categories/porch',
    '/categories/a%2Fb',
    '/kinds/note',
    '/archive',
    '/categories',
    '/subscribe',
    '/posts/2026/',
    '/posts/2026/11/',
    '/posts/2026/11',
    '/posts/2026/11/open/',
    '/posts/2026/11/open?utm_source=x',
    '/categories/',
    '/categories/porch/',
    '/feed.atom',
    '/feed.json',
    '/feed/',
    '/index.xml',
    '/kinds/note/feed.atom',
    '/categories/porch/feed.json',
    '/categories/porch/feed/',
  ];
  const none = [
    ...[
      'draft',
      'private',
      'later',
      'gone',
      'never',
      'old-draft',
      'old-later',
      'old-gone',
      'open/x',
      'open//',
      'never/',
      'draft/',
    ].map((slug) => `/posts/2026/11/${slug}`),
    '/posts',
    '/posts/',
    '/posts/2026/10/',
    '/posts/2025/',
    '/posts/2026/13/',
    '/kinds/article',
    '/kinds/nothing',
    '/search?q=for',
    '/posts/2026/11/..%2Fopen',
    '/posts/2026/11/.index',
    '/posts/%',
    '/categories/secret',
    '/categories/secret/',
    '/categories/secret/feed.atom',
    '/categories/by-link',
    '/categories/empty',
    '/categories/%E0%A4%A',
    '/posts/2026/11/feed.atom',
    '/sitemap.xml',
    '/robots.txt',
    '/media/2026/11/a.jpg',
    '/webmention',
    '/auth',
    '//',
    '/posts//2026/11/open',
    '/webmention-pictures/a.webp',
  ];

  test.each(pages)('is %s: everybody can read it', async (path) => {
    expect(await site.site.isPublicPage(new URL(site.base + path))).toBe(true);
    expect([200, 301]).toContain((await site.get(path)).status);
  });

  test.each(none)('is not %s', async (path) => {
    expect(await site.site.isPublicPage(new URL(site.base + path))).toBe(false);
  });
});

test('a category selects posts from a careless reader, which are checked again', async () => {
  const careless = {
    ...memoryPosts([]),
    list: () => Promise.resolve({ items: posts.filter(({ status }) => status === 'draft') }),
  };
  const server = await serveSite(careless);
  expect(await server.site.isPublicPage(new URL('/categories/secret', server.base))).toBe(false);
  await server.close();
});
