import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Post } from '../../../src-main/contract/posts.ts';
import { memoryPosts, postOf, serveSite, type SiteServer } from '../../support/site.ts';

const clock = { now: 0 };
const before = Date.parse('2026-11-30T22:59:59.999Z');
const after = before + 1;

const later = postOf(
  { content: ['at midnight'], category: ['porch'], published: ['2026-12-01T00:00:00+01:00'] },
  { slug: 'later' },
);
const open = postOf({ content: ['for all'], category: ['porch'] }, { slug: 'open' });
const laterGone: Post = {
  ...later,
  path: '/posts/2026/11/later-gone',
  deletedAt: '2026-11-25T00:00:00.000Z',
};
const all = [later, laterGone, open];
const moved = { '/posts/2026/11/old-later': later.path };
const lists = ['/', '/categories/porch', '/feed.atom', '/feed.rss', '/feed.json', '/sitemap.xml'];
/** How a list tells of the post. */
const shownOf = (path: string) => (path === '/sitemap.xml' ? later.path : 'at midnight');

describe('MX-2 a post whose date is still to come', () => {
  let site: SiteServer;
  /** A reader that hands out everything, whatever it is asked for. */
  let careless: SiteServer;
  beforeAll(async () => {
    const now = () => clock.now;
    const reader = memoryPosts(all, moved);
    site = await serveSite(reader, { now });
    careless = await serveSite({ ...reader, list: () => Promise.resolve({ items: all }) }, { now });
  });
  beforeEach(() => void (clock.now = before));
  afterAll(() => Promise.all([site.close(), careless.close()]));

  test('a scheduled post answers like an address that never existed, and so does its earlier address', async () => {
    const never = await site.get('/posts/2026/11/never');
    const text = await never.text();
    for (const path of [later.path, '/posts/2026/11/old-later']) {
      const answer = await site.get(path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toBe(text);
      expect(answer.headers.get('location')).toBe(null);
    }
  });

  test('is public when its time comes, by the clock of its author', async () => {
    clock.now = after;
    expect(await (await site.get(later.path)).text()).toContain('at midnight');
    expect((await site.get('/posts/2026/11/old-later')).status).toBe(301);
  });

  test.each(lists)('is not in %s until then, whatever the reader returns', async (path) => {
    for (const server of [site, careless]) {
      clock.now = before;
      const text = await (await server.get(path)).text();
      expect(text).toContain(path === '/sitemap.xml' ? open.path : 'for all');
      expect(text).not.toContain(shownOf(path));
      clock.now = after;
      expect(await (await server.get(path)).text()).toContain(shownOf(path));
    }
  });

  test('does not change the tag of a list before it comes, and changes it then', async () => {
    const tag = async () => (await site.get('/')).headers.get('etag');
    const first = await tag();
    expect(await tag()).toBe(first);
    clock.now = after;
    expect(await tag()).not.toBe(first);
  });

  test('leaves no tombstone if it was deleted before anybody could read it', async () => {
    clock.now = after;
    expect((await site.get(laterGone.path)).status).toBe(404);
  });
});
