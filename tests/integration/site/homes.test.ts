import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Post, PostHome } from '../../../src-main/contract/posts.ts';
import { memoryMentions } from '../../support/memory-mentions.ts';
import { postUrls } from '../../../src-main/posts/address.ts';
import { mentionPages } from '../../../src-main/mentions/mention-pages.ts';
import { shownMentions } from '../../../src-main/mentions/shown-mentions.ts';
import { memoryPosts, postOf, serveSite, type SiteServer } from '../../support/site.ts';

const liveAt = '2026-11-21T14:06:00.000Z';
const homeOf = (slug: string, over: Partial<PostHome> = {}): PostHome => ({
  url: `https://marlow.example/notes/${slug}/`,
  file: `notes/${slug}.md`,
  former: [],
  written: {},
  liveAt,
  ...over,
});
const note = (slug: string, over: Partial<Post> = {}) =>
  postOf({ content: [`Words of ${slug}`], category: ['tea'] }, { slug, ...over });

const live = note('live', { home: homeOf('live', { former: ['https://marlow.example/notes/first/'] }) });
const waiting = note('waiting', { home: homeOf('waiting', { liveAt: null }) });
const built = note('built');
const deleted = note('deleted', { home: homeOf('deleted'), deletedAt: '2026-11-22T00:00:00.000Z' });
const hidden = note('hidden', { home: homeOf('hidden'), visibility: 'private' });

const all = [live, waiting, built, deleted, hidden];

let mentions: ReturnType<typeof memoryMentions>;
let site: SiteServer;
beforeEach(async () => {
  const posts = memoryPosts(all, {
    '/posts/2026/11/old-live': live.path,
    '/posts/2026/11/old-waiting': waiting.path,
  });
  mentions = memoryMentions(
    Date.now,
    mentionPages(() => site.base, {
      pageAt: (address) => all.find((post) => postUrls(site.base, post).includes(address))?.path ?? address,
      homeUrl: () => undefined,
      titleOf: () => undefined,
    }),
  );
  site = await serveSite(posts, {
    responses: {
      of: (post) => shownMentions(mentions, post.path),
      picture: () => Promise.resolve(undefined),
    },
  });
});
afterEach(() => site.close());

const get = (path: string) => site.get(path, { redirect: 'manual', headers: { accept: 'text/html' } });
const textOf = async (path: string) => (await get(path)).text();

describe('the page of a post on the built-in site', () => {
  test.each([live.path, '/posts/2026/11/old-live', `${live.path}?responses=2`])(
    'redirects to its own URL once it is live there: %s',
    async (path) => {
      const answer = await get(path);
      expect(answer.status).toBe(301);
      expect(answer.headers.get('location')).toBe('https://marlow.example/notes/live/');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('link')).toContain('rel="webmention"');
    },
  );

  test('is served until then, and names its own URL as the permanent one', async () => {
    const answer = await get(waiting.path);
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const url = 'https://marlow.example/notes/waiting/';
    for (const part of [
      `<link rel="canonical" href="${url}">`,
      `<meta property="og:url" content="${url}">`,
      `<a class="u-url u-uid" href="${url}">`,
    ])
      expect(text).toContain(part);
    const old = await get('/posts/2026/11/old-waiting');
    expect([old.status, old.headers.get('location')]).toEqual([301, site.base + waiting.path]);
  });

  test('is gone if the post is deleted, and not found if it is private', async () => {
    expect((await get(deleted.path)).status).toBe(410);
    expect((await get(hidden.path)).status).toBe(404);
  });

  test('may be mentioned whether it redirects or not', async () => {
    const isPublic = ({ path }: Post) => site.site.isPublicPage(new URL(site.base + path));
    expect(await Promise.all([live, waiting, built, deleted, hidden].map(isPublic))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('posts that have their own URLs', () => {
  test.each(['/', '/categories/tea', '/kinds/note', '/posts/2026/11/', '/search?q=words', '/no-such-page'])(
    'are linked there from %s',
    async (path) => {
      const text = await textOf(path);
      for (const slug of ['live', 'waiting'])
        expect(text).toContain(`href="https://marlow.example/notes/${slug}/`);
      expect(text).toContain(`href="${site.base}${built.path}`);
      expect(text).not.toContain(live.path);
    },
  );

  test('are linked and identified by them in feeds', async () => {
    const json = JSON.parse(await textOf('/feed.json')) as { items: { id: string; url: string }[] };
    const urls = [
      'https://marlow.example/notes/live/',
      'https://marlow.example/notes/waiting/',
      `${site.base}${built.path}`,
    ];
    expect(json.items.map(({ id, url }) => [id, url])).toEqual(urls.map((url) => [url, url]));
    const atom = await textOf('/feed.atom');
    const rss = await textOf('/feed.rss');
    for (const url of urls) {
      expect(atom).toContain(`<id>${url}</id>`);
      expect(rss).toMatch(new RegExp(`<guid[^>]*>${url}</guid>`));
    }
  });

  test('are in the sitemap of this host only as long as their pages are', async () => {
    const text = await textOf('/sitemap.xml');
    expect([...text.matchAll(/<loc>([^<]*\/posts\/[^<]*)</g)].map(([, url]) => url)).toEqual([
      site.base + waiting.path,
      site.base + built.path,
    ]);
  });

  test('are shown to subscribers once they are live', async () => {
    for (const path of ['/feed.atom', '/', '/categories/tea']) {
      const text = (await site.site.topic(site.base + path))?.text;
      expect(text).toContain('Words of live');
      expect(text).toContain('Words of built');
      expect(text).not.toContain('Words of waiting');
    }
  });
});

test('responses to all URLs of a post are shown and counted together, each source once', async () => {
  const keep = (name: string, target: string) =>
    mentions.keep({
      source: `https://bo.example/${name}`,
      target,
      facts: { type: 'reply', property: 'in-reply-to', content: { value: `says ${name}` } },
      status: 'approved',
      parsed: '2026-11-22T00:00:00.000Z',
    });
  const urlOf = (post: Post) => post.home?.url ?? '';
  await keep('one', urlOf(waiting));
  await keep('two', `${site.base}${waiting.path}#part`);
  await keep('one', site.base + waiting.path);
  await keep('three', 'https://marlow.example/notes/first/');
  await keep('four', urlOf(live));
  const page = await textOf(waiting.path);
  expect(page.match(/says \w+/g)).toEqual(['says two', 'says one']);
  const list = await textOf('/');
  for (const post of [waiting, live])
    expect(list).toContain(`<a href="${urlOf(post)}#responses">2 replies</a>`);
});
