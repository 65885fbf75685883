import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { post } from '../../support/sign-in.ts';
import { giveHome, homeOf } from '../../support/store-of-service.ts';

vi.mock('../../../src-main/posts/stored-posts.ts', async (original) => {
  const { rememberStore } = await import('../../support/store-of-service.ts');
  return rememberStore(original);
});

let porchlight: Porchlight;
let site: Site;
/** A post's URL on the built-in site, and its own URL on the owner's site. */
let built: string;
let home: string;

beforeEach(async () => {
  site = await openSite();
  // The profile is elsewhere, so only the settings of the folder make the host of the post the owner's.
  porchlight = await startPorchlight({ me: 'https://marlow.example/' });
  await porchlight.call('settings.update', { siteFolder: { baseUrl: 'https://owner.example/notes/' } });
  ({ url: built } = await porchlight.call('posts.create', {
    text: 'Tea',
    format: 'plain',
    status: 'published',
    visibility: 'public',
    categories: [],
    photos: [],
  }));
  home = homeOf(built);
  await giveHome(built);
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

/** Somebody replies to a page. Returns the status of the answer to their webmention. */
async function reply(name: string, target: string): Promise<number> {
  site.pages.set(`/${name}`, page(`<p class="h-entry"><a class="u-in-reply-to" href="${target}">Hi</a></p>`));
  const answer = await post(porchlight, '/webmention', { source: `${site.origin}/${name}`, target });
  await porchlight.call('webmentions.process', {});
  return answer.status;
}

const json = async (path: string): Promise<unknown> => (await fetch(new URL(path, porchlight.base))).json();

test('a target in upper case gets the same answer as the target', async () => {
  expect(await reply('one', home)).toBe(201);
  expect(await reply('two', built)).toBe(201);
  const counted = async (url: string) =>
    (await json(`/api/count?target=${encodeURIComponent(url)}`)) as object;
  const odd = built.replace(/[^/]+$/, (slug) => slug.toUpperCase());
  // Answers are kept once they were asked for again.
  for (let time = 0; time < 3; time += 1) expect(await counted(odd)).toMatchObject({ count: 2 });
  for (let time = 0; time < 3; time += 1) expect(await counted(built)).toMatchObject({ count: 2 });
});

test('a post with its own URL may be mentioned there and on the built-in site, and all is shown together', async () => {
  expect(await reply('one', home)).toBe(201);
  expect(await reply('two', built)).toBe(201);
  const page = await (await fetch(built)).text();
  expect(page).toContain('2 replies');

  for (const url of [home, built]) {
    const target = encodeURIComponent(url);
    const { children } = (await json(`/api/mentions.jf2?target=${target}`)) as {
      children: { 'wm-source': string; 'wm-target': string }[];
    };
    // Each keeps the target that it was sent for.
    expect(children.map((one) => [one['wm-source'], one['wm-target']]).sort()).toEqual([
      [`${site.origin}/one`, home],
      [`${site.origin}/two`, built],
    ]);
    expect(await json(`/api/count?target=${target}`)).toEqual({ count: 2, type: { reply: 2 } });
    const streamed = (await json(`/api/mentions?per-page=1000&target=${target}`)) as { links: unknown[] };
    expect(streamed.links).toHaveLength(2);
    const listed = (await json(`/webmentions?url=${target}`)) as Record<string, { target: string }[]>;
    expect(Object.keys(listed)).toEqual([url]);
    expect(listed[url]?.map((record) => record.target)).toEqual([home, built]);
    const { items } = await porchlight.call('webmentions.list', { target: url });
    expect(items.map((record) => record.target)).toEqual([built, home]);
  }
});

test('the listing of a page changes when its post gets another URL, and when the new URL is mentioned', async () => {
  const target = encodeURIComponent(built);
  const count = async () => ((await json(`/api/count?target=${target}`)) as { count: number }).count;
  const listed = async () =>
    ((await json(`/webmentions?url=${target}`)) as Record<string, unknown[]>)[built]?.length;
  await reply('one', built);
  for (let turn = 0; turn < 3; turn += 1) expect([await count(), await listed()]).toEqual([1, 1]);
  await reply('two', home);
  for (let turn = 0; turn < 3; turn += 1) expect([await count(), await listed()]).toEqual([2, 2]);
  await giveHome(built, { former: ['https://owner.example/notes/former/'] });
  await reply('three', 'https://owner.example/notes/former/');
  for (let turn = 0; turn < 3; turn += 1) expect([await count(), await listed()]).toEqual([3, 3]);
});

test('a page on the owner’s site that Porchlight doesn’t know may be mentioned, too', async () => {
  expect(await reply('one', 'https://owner.example/about/')).toBe(201);
  expect(await reply('two', 'https://else.example/about/')).toBe(400);
  const { children } = (await json('/api/mentions.jf2?target=https://owner.example/about/')) as {
    children: unknown[];
  };
  expect(children).toHaveLength(1);
});

test('posts may still be mentioned at their URLs after the address of the site has changed', async () => {
  await porchlight.call('settings.update', { siteFolder: { baseUrl: 'https://new.example/' } });
  expect(await reply('one', home)).toBe(201);
  expect(await json(`/api/count?target=${encodeURIComponent(built)}`)).toMatchObject({ count: 1 });
  // Other pages of the old site are nobody's any more, and nobody learns where a private post was.
  expect(await reply('two', 'https://owner.example/about/')).toBe(400);
  await porchlight.call('posts.update', { url: built, visibility: 'private' });
  expect(await reply('three', home)).toBe(400);
});

test('nobody learns the other URLs of a post that is private or deleted', async () => {
  await reply('one', home);
  const count = async () => json(`/api/count?target=${encodeURIComponent(built)}`);
  expect(await count()).toMatchObject({ count: 1 });
  const listed = async () => json(`/webmentions?url=${encodeURIComponent(built)}`);
  await porchlight.call('posts.delete', { url: home });
  expect([await count(), await listed()]).toEqual([{ count: 0, type: {} }, { [built]: [] }]);
  await porchlight.call('posts.undelete', { url: built });
  expect(await count()).toMatchObject({ count: 1 });
});

test('once it is live, the built-in page redirects, and may still be mentioned', async () => {
  await giveHome(built, { liveAt: '2026-11-21T14:06:00.000Z' });
  const answer = await fetch(built, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([301, home]);
  expect(await reply('one', built)).toBe(201);
  expect(await json(`/api/count?target=${encodeURIComponent(home)}`)).toMatchObject({ count: 1 });
});
