import { describe, expect, test } from 'vitest';
import type { PostReader } from '../../../src-main/site/reader.ts';
import { memoryPosts, postOf, serveSite } from '../../support/site.ts';

const addressesIn = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url);

describe('the sitemap', () => {
  test('names what is listed, and nothing else', async () => {
    const site = await serveSite([
      postOf({ content: ['a'] }, { slug: 'open' }),
      postOf({ content: ['b'] }, { slug: 'draft', status: 'draft' }),
      postOf({ content: ['c'] }, { slug: 'private', visibility: 'private' }),
      postOf({ content: ['d'] }, { slug: 'unlisted', visibility: 'unlisted' }),
      postOf({ content: ['e'] }, { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' }),
    ]);
    try {
      const answer = await site.get('/sitemap.xml');
      expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
      const text = await answer.text();
      expect(addressesIn(text)).toEqual([`${site.base}/`, `${site.base}/posts/2026/11/open`]);
      expect(text).toContain('<lastmod>2026-11-21T14:05:00.000Z</lastmod>');
      const head = await site.get('/sitemap.xml', { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
    } finally {
      await site.close();
    }
  });

  test('is read page by page, each post once, up to 50,000 addresses', async () => {
    const total = 60_000;
    const asked: number[] = [];
    const endless: PostReader = {
      ...memoryPosts([]),
      list({ limit, after = '0' }) {
        asked.push(limit);
        const start = Number(after);
        const items = Array.from({ length: Math.min(limit, total - start) }, (_, index) =>
          postOf({}, { slug: `p${start + index}` }),
        );
        return Promise.resolve({ items, after: String(start + items.length) });
      },
    };
    const site = await serveSite(endless);
    try {
      const found = addressesIn(await (await site.get('/sitemap.xml')).text());
      expect(found).toHaveLength(50_000);
      expect(new Set(found).size).toBe(50_000);
      expect(Math.max(...asked)).toBeLessThanOrEqual(500);
    } finally {
      await site.close();
    }
  });

  test('is named by robots.txt, which lets everybody in but to the sign-in', async () => {
    const site = await serveSite([]);
    try {
      const answer = await site.get('/robots.txt');
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(await answer.text()).toBe(
        `User-agent: *\nDisallow: /auth\n\nSitemap: ${site.base}/sitemap.xml\n`,
      );
    } finally {
      await site.close();
    }
  });
});
