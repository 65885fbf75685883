import { describe, expect, test } from 'vitest';
import { postOf, serveSite } from '../../support/site.ts';

const addressesIn = (text: string) => [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url);

describe('the sitemap', () => {
  test('names the listed pages, and nothing else', async () => {
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

  test('of more than 5,000 posts has parts of 5,000, with each post once', async () => {
    const site = await serveSite(Array.from({ length: 10_001 }, (_, at) => postOf({}, { slug: `p${at}` })));
    const addressesAt = async (path: string) => addressesIn(await (await site.get(path)).text());
    try {
      const parts = await addressesAt('/sitemap.xml');
      expect(parts).toEqual([1, 2, 3].map((part) => `${site.base}/sitemap-${part}.xml`));
      const found: string[][] = [];
      for (const part of parts) found.push(await addressesAt(part));
      expect(found.map((part) => part.length)).toEqual([5001, 5000, 1]);
      expect(new Set(found.flat()).size).toBe(10_002);
      expect(found[0]?.[0]).toBe(`${site.base}/`);
      for (const part of ['0', '4', '01x', '-1'])
        expect((await site.get(`/sitemap-${part}.xml`)).status).toBe(404);
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
