import { describe, expect, test } from 'vitest';
import { FetchError, type GuardedFetch } from '../../../src-main/platform/guarded-fetch.ts';
import { LiveAddresses, readLiveAddresses } from '../../../src-main/site-folder/adopted/live-addresses.ts';
import { movesPost } from '../../../src-main/site-folder/adopted-address.ts';
import { claimOfAdopted } from '../../../src-main/site-folder/adopted-post.ts';
import { adoptionRules } from '../../support/adoption.ts';

type Named = Parameters<typeof adoptionRules>[0];
const base = 'https://me.example/';

function claimOf(generator: Named, file: string, lines: string) {
  const claim = claimOfAdopted(`---\n${lines}\n---\nHi\n`, file, adoptionRules(generator, '/'));
  if ('problem' in claim) throw new Error(claim.problem);
  return claim;
}

/** Returns the path of a file's page, among the paths that are online. */
function pathOf(generator: Named, file: string, lines: string, online: readonly string[], postUrl = '') {
  const live = new LiveAddresses(online, base);
  const url = live.of(claimOf(generator, file, lines), { generator, baseUrl: base, postUrl });
  return url === undefined ? undefined : new URL(url).pathname;
}

describe('the address of a file in the owner’s folder', () => {
  test('is the address online that has its folders and its name', () => {
    const online = ['/fog/', '/tags/fog/', '/blog/fog/', '/blog/', '/blog/grey/'];
    expect(pathOf('zola', 'content/blog/fog.md', 'title: A', online)).toBe('/blog/fog/');
    expect(pathOf('zola', 'content/blog/2020-01-02-fog.md', 'title: A', online)).toBe('/blog/fog/');
    expect(pathOf('hugo', 'content/blog/Fog/index.md', 'title: A', online)).toBe('/blog/fog/');
    expect(pathOf('hugo', 'content/fog.md', 'title: A', online)).toBe('/fog/');
    expect(pathOf('eleventy', 'src/blog/fog.md', 'title: A', online)).toBe('/blog/fog/');
    expect(pathOf('astro', 'src/content/blog/fog.mdx', 'slug: grey', online)).toBe('/blog/grey/');
    expect(pathOf('hugo', 'content/blog/nebel.md', 'title: Grey', online)).toBe('/blog/grey/');
    expect(pathOf('hugo', 'content/blog/fog.md', 'title: Grey', online)).toBe('/blog/fog/');
    expect(pathOf('hugo', 'content/blog/Café.md', 'title: A', ['/blog/caf%C3%A9/'])).toBe('/blog/caf%C3%A9/');
  });

  test('is the address in the front matter, if that is online', () => {
    const online = ['/far/away/', '/blog/fog/'];
    for (const [generator, field] of [
      ['hugo', 'url'],
      ['zola', 'path'],
      ['jekyll', 'permalink'],
    ] as const) {
      const file = generator === 'jekyll' ? '_posts/2020-01-01-fog.md' : 'content/blog/fog.md';
      expect(pathOf(generator, file, `${field}: /far/away/`, online)).toBe('/far/away/');
      expect(pathOf(generator, file, `${field}: /elsewhere/`, online)).toBeUndefined();
    }
    expect(pathOf('hugo', 'content/a.md', 'url: //evil.example/', ['/a/'])).toBeUndefined();
  });

  test('has the date and the categories of a post in Jekyll', () => {
    const online = ['/weather/2020/01/02/fog.html', '/fog.html', '/2020/01/03/fog.html', '/20/1/mist/'];
    const file = '_posts/2020-01-02-fog.md';
    expect(pathOf('jekyll', file, 'categories: [Weather]', online)).toBe('/weather/2020/01/02/fog.html');
    expect(pathOf('jekyll', file, 'title: A', online)).toBeUndefined();
    expect(pathOf('jekyll', file, 'date: 2020-01-02 23:30:00 -0500', online)).toBe('/2020/01/03/fog.html');
    expect(pathOf('jekyll', '_posts/2020-01-02-mist.md', 'title: A', online)).toBe('/20/1/mist/');
    expect(pathOf('jekyll', file, 'title: A', ['/blog/fog.html'], 'blog/{slug}.html')).toBe('/blog/fog.html');
  });

  test('is unknown if no page or more than one page can be meant', () => {
    expect(pathOf('hugo', 'content/posts/fog.md', 'title: A', ['/tags/fog/', '/fog/'])).toBeUndefined();
    expect(pathOf('hugo', 'content/fog.md', 'title: A', ['/fog/', '/fog.html'])).toBeUndefined();
    expect(pathOf('hugo', 'content/fog.md', 'title: A', ['https://evil.example/fog/'])).toBeUndefined();
  });

  test('moves with the parts of the file that it shows, and with no others', () => {
    const moves = (generator: Named, file: string, before: string, after: string, path: string) =>
      movesPost(
        claimOf(generator, file, before),
        claimOf(generator, file, after),
        new URL(path, base).href,
        base,
      );
    const file = '_posts/2020-01-02-fog.md';
    expect(moves('jekyll', file, 'date: 2020-01-02', 'date: 2020-01-03', '/2020/01/02/fog.html')).toBe(true);
    expect(moves('jekyll', file, 'date: 2020-01-02', 'date: 2020-01-03', '/blog/fog.html')).toBe(false);
    expect(moves('jekyll', file, 'categories: [a]', 'categories: [a, b]', '/a/fog.html')).toBe(true);
    expect(moves('jekyll', file, 'tags: [a]', 'tags: [a, b]', '/2020/01/02/fog.html')).toBe(false);
    expect(moves('hugo', 'content/a.md', 'title: Fog', 'title: Mist', '/fog/')).toBe(true);
    expect(moves('hugo', 'content/a.md', 'title: Fog', 'title: Mist', '/a/')).toBe(false);
  });
});

describe('the addresses that are online', () => {
  const sites = (files: Readonly<Record<string, string>>) => {
    const asked: string[] = [];
    const fetch = ((url: string) => {
      asked.push(url);
      const text = files[url];
      return text === undefined
        ? Promise.reject(new FetchError('fetch_failed'))
        : Promise.resolve({ status: 200, text: () => text });
    }) as unknown as GuardedFetch;
    return {
      asked,
      read: (baseUrl: string) => readLiveAddresses(fetch, baseUrl, AbortSignal.timeout(10_000)),
    };
  };

  test('come from the sitemap, also from one in parts, and only those below the site count', async () => {
    const { read, asked } = sites({
      'https://me.example/x/sitemap-index.xml':
        '<sitemapindex><sitemap><loc>https://me.example/x/sitemap-0.xml</loc></sitemap><sitemap><loc>http://10.0.0.1/</loc></sitemap></sitemapindex>',
      'https://me.example/x/sitemap-0.xml':
        '<urlset><url><loc>\nhttps://me.example/x/a/</loc></url><url><loc>https://me.example/b/</loc></url></urlset>',
    });
    const live = await read('https://me.example/x');
    expect(live?.has('https://me.example/x/a/')).toBe(true);
    expect(live?.has('https://me.example/b/')).toBe(false);
    expect(asked).not.toContain('http://10.0.0.1/');
  });

  test('come from a feed if there is no sitemap', async () => {
    const atom =
      '<feed><entry><link rel="alternate" href="https://me.example/a/?x=1&amp;y"/><link href="/b/"/></entry></feed>';
    const live = await sites({ 'https://me.example/feed.xml': atom }).read(base);
    expect(live?.has('https://me.example/b/')).toBe(true);
    const rss = '<rss><item><link>https://me.example/c/</link></item></rss>';
    expect((await sites({ 'https://me.example/index.xml': rss }).read(base))?.has(`${base}c/`)).toBe(true);
  });

  test('are unknown if the site has neither, or doesn’t answer', async () => {
    expect(await sites({}).read(base)).toBeUndefined();
    expect(
      await sites({ 'https://me.example/sitemap.xml': '<html>Not found</html>' }).read(base),
    ).toBeUndefined();
  });
});
