import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSite, page, type Site } from '../../support/client-app.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { post as send } from '../../support/sign-in.ts';

let porchlight: Porchlight;
let site: Site;
/** How far the clock is ahead, in ms. */
let ahead = 0;
const clock = () => Date.now() + ahead;

beforeEach(async () => {
  site = await openSite();
  porchlight = await startPorchlight({ clock });
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

/** Publishes a post and returns its URL. */
async function publish(slug: string): Promise<string> {
  const { url } = await porchlight.call('posts.create', {
    text: 'Tea',
    format: 'plain',
    status: 'published',
    visibility: 'public',
    slug,
    categories: [],
    photos: [],
  });
  return url;
}

/** Somebody replies to a page at exactly this URL. Returns the status of the answer to their webmention. */
async function reply(name: string, target: string, words = 'Hi'): Promise<number> {
  const links = `<a class="u-in-reply-to" href="${target}">Re</a><p class="e-content">${words}</p>`;
  site.pages.set(`/${name}`, page(`<div class="h-entry">${links}</div>`));
  return resend(name, target);
}

async function resend(name: string, target: string): Promise<number> {
  ahead += 31_000; // A mention that is sent again within 30 s is read later.
  const answer = await send(porchlight, '/webmention', { source: `${site.origin}/${name}`, target });
  await porchlight.call('webmentions.process', {});
  return answer.status;
}

const json = async (path: string): Promise<unknown> => (await fetch(new URL(path, porchlight.base))).json();

interface Seen {
  readonly page: string;
  readonly listed: readonly string[];
  readonly count: number;
  readonly jf2: readonly string[];
  readonly window: readonly string[];
  readonly pages: number;
}

/** What is shown at a URL: on the page, in both APIs, and in the window. Mentions are named by their target. */
async function seenAt(url: string): Promise<Seen> {
  const target = encodeURIComponent(url);
  const html = await (await fetch(url)).text();
  const listed = (await json(`/webmentions?url=${target}`)) as Record<string, { target: string }[]>;
  const { count } = (await json(`/api/count?target=${target}`)) as { count: number };
  const jf2 = (await json(`/api/mentions.jf2?target=${target}`)) as { children: { 'wm-target': string }[] };
  const { items } = await porchlight.call('webmentions.list', { target: url, status: 'approved' });
  return {
    page: /\d+ repl(?:y|ies)/.exec(html)?.[0] ?? 'none',
    listed: (listed[url] ?? []).map((one) => one.target),
    count,
    jf2: jf2.children.map((one) => one['wm-target']),
    window: items.map((one) => one.target),
    pages: (await porchlight.call('webmentions.pages', {})).length,
  };
}

const onlyOne = (target: string): Seen => ({
  page: '1 reply',
  listed: [target],
  count: 1,
  jf2: [target],
  window: [target],
  pages: 1,
});

/** Each spelling of the URL of a post with the slug `привет`. */
const spellings: readonly (readonly [id: string, what: string, spell: (url: string) => string])[] = [
  ['W19', 'a query that tracks visitors', (url) => `${url}?utm_source=x`],
  ['W19', 'a query of WordPress, with a fragment', (url) => `${url}?replytocom=1#respond`],
  ['W19', 'any other query', (url) => `${url}?amp`],
  ['W14', 'escapes in lower case', (url) => url.replace(/%../g, (escape) => escape.toLowerCase())],
  ['W14', 'Unicode without escapes', (url) => decodeURI(url)],
  ['W14', 'escapes of plain letters', (url) => url.replace('/posts/', '/%70osts/')],
  ['W19', 'an upper-case scheme', (url) => url.replace('http:', 'HTTP:')],
  ['W19', 'https instead of http', (url) => url.replace('http:', 'https:')],
  ['X08', 'a trailing slash', (url) => `${url}/`],
];

test.each(spellings)('%s: a mention whose target has %s belongs to the post', async (_id, _what, spell) => {
  const url = await publish('привет');
  const target = spell(url);
  expect(target).not.toBe(url);
  expect(await reply('one', target)).toBe(201);
  expect(await seenAt(url)).toEqual(onlyOne(target));
  // A widget may ask with that spelling, too.
  expect(await json(`/api/count?target=${encodeURIComponent(target.replace(/#.*/, ''))}`)).toMatchObject({
    count: 1,
  });
});

test.each([
  ['without its slash', (base: string) => base],
  ['with a query', (base: string) => `${base}/?utm_source=x`],
  ['by the feed', (base: string) => `${base}/feed.atom`],
  ['by a usual name of feeds', (base: string) => `${base}/feed/`],
])('a mention of the home page %s belongs to the home page', async (_what, spell) => {
  const target = spell(porchlight.base);
  expect(await reply('one', target)).toBe(201);
  const home = `${porchlight.base}/`;
  const listed = (await json(`/webmentions?url=${encodeURIComponent(home)}`)) as Record<string, unknown[]>;
  expect(listed).toMatchObject({ [home]: [{ target }] });
  expect(await porchlight.call('webmentions.pages', {})).toMatchObject([{ target: home }]);
});

test('a source that links to several spellings of a page counts once, as it was last read', async () => {
  const url = await publish('tea');
  const targets = [url, `${url}?utm_source=x`, `${url}#respond`, `${url}?a=1`];
  for (const [at, target] of targets.entries()) await reply('one', target, `Words ${at}`);
  expect(await seenAt(url)).toEqual(onlyOne(`${url}?a=1`));
  expect(await (await fetch(url)).text()).toContain('Words 3');
  expect(await porchlight.call('webmentions.pages', {})).toMatchObject([
    { target: url, types: { reply: 1 }, statuses: { approved: 1 } },
  ]);
  const top = [{ target: url, title: 'Tea', mentions: 1 }];
  expect(await porchlight.call('webmentions.topPages', {})).toEqual(top);
  const [month] = await porchlight.call('webmentions.counts', {});
  expect(month?.types).toEqual({ reply: 1 });
  // The source is read again for the first spelling.
  await reply('one', url, 'Words again');
  expect(await seenAt(url)).toEqual(onlyOne(url));
  // The owner's own listing has each record.
  expect(await everything()).toEqual(targets.map((target) => [target, 'approved']).sort());
});

async function ownerToken(): Promise<string> {
  return (await porchlight.call('secrets.managementToken', {})).token;
}

/** Target and status of each record in the owner's own listing. */
async function everything(): Promise<string[][]> {
  const all = (await json(`/webmentions?token=${await ownerToken()}`)) as Record<
    string,
    { target: string; status: string }[]
  >;
  for (const [target, records] of Object.entries(all))
    for (const record of records) expect(record.target).toBe(target);
  return Object.values(all)
    .flat()
    .map((one) => [one.target, one.status])
    .sort();
}

async function forceDelete(name: string, target: string): Promise<number> {
  const fields = new URLSearchParams({
    token: await ownerToken(),
    source: `${site.origin}/${name}`,
    target,
  });
  const answer = await fetch(`${porchlight.base}/webmention?${fields.toString()}`, { method: 'DELETE' });
  return answer.status;
}

test('DELETE finds a record by the target as sent, and another spelling does not take its place', async () => {
  const url = await publish('tea');
  const tracked = `${url}?utm_source=x`;
  await reply('one', url);
  await reply('one', tracked);
  expect(await forceDelete('one', `${url}?never=sent`)).toBe(404);
  expect(await seenAt(url)).toEqual(onlyOne(tracked));

  expect(await forceDelete('one', url)).toBe(200);
  const nothing = { page: 'none', listed: [], count: 0, jf2: [], window: [], pages: 1 };
  expect(await seenAt(url)).toEqual(nothing);
  // Neither sending them again nor a new spelling brings the source back.
  const received = () => porchlight.events.filter(({ name }) => name === 'webmention.received').length;
  const before = received();
  await reply('one', tracked, 'Hello again');
  await reply('one', `${url}?new`, 'Hello again');
  expect(await seenAt(url)).toEqual(nothing);
  expect(received()).toBe(before);
  expect(await forceDelete('one', tracked)).toBe(200);
  expect(await everything()).toEqual([
    [url, 'deleted'],
    [`${url}?new`, 'approved'],
    [tracked, 'deleted'],
  ]);
  // Another source isn't affected.
  await reply('two', tracked);
  expect(await seenAt(url)).toEqual(onlyOne(tracked));
});

test('a decision about a source applies to each spelling of the page', async () => {
  const url = await publish('tea');
  await porchlight.call('settings.update', { webmention: { hold: 'everything' } });
  await reply('one', url);
  const [held] = (await porchlight.call('webmentions.list', { target: url })).items;
  expect(held?.status).toBe('held');
  await porchlight.call('webmentions.setStatus', { id: held?.id ?? '', status: 'approved' });
  await reply('one', `${url}?a`, 'Newer');
  expect(await seenAt(url)).toEqual(onlyOne(`${url}?a`));
  const [shown] = (await porchlight.call('webmentions.list', { target: url })).items;
  for (const status of ['hidden', 'held'] as const) {
    await porchlight.call('webmentions.setStatus', { id: shown?.id ?? '', status });
    expect(await seenAt(url)).toMatchObject({ page: 'none', listed: [], count: 0 });
  }
});

test('a source that was deleted takes each of its records away', async () => {
  const url = await publish('tea');
  await reply('one', url);
  await reply('one', `${url}?a`);
  site.pages.set('/one', page('Gone', {}, 410));
  await resend('one', url);
  expect(await seenAt(url)).toMatchObject({ page: 'none', listed: [], count: 0, window: [] });
});

test('a source that only links to one spelling now is shown with that one', async () => {
  const url = await publish('tea');
  await reply('one', url, 'First');
  await reply('one', `${url}?a`, 'Second');
  await resend('one', url);
  expect(await seenAt(url)).toEqual(onlyOne(`${url}?a`));
  // And if that link goes away too, nothing is left.
  site.pages.set('/one', page('<p class="h-entry">Nothing</p>'));
  await resend('one', `${url}?a`);
  expect(await seenAt(url)).toMatchObject({ page: 'none', count: 0 });
});

test('a source that moved counts once', async () => {
  const url = await publish('tea');
  await reply('old', url);
  const moved = site.pages.get('/old');
  if (moved) site.pages.set('/new', moved);
  site.pages.set('/old', page('', { location: `${site.origin}/new` }, 301));
  await resend('new', url);
  await porchlight.call('webmentions.process', {});
  expect(await seenAt(url)).toEqual(onlyOne(url));
  const { items } = await porchlight.call('webmentions.list', { target: url });
  expect(items.map(({ source }) => source)).toEqual([`${site.origin}/new`]);
  await resend('old', url);
  expect(await seenAt(url)).toEqual(onlyOne(url));
});

test('a post does not mention itself by another spelling', async () => {
  const url = await publish('tea');
  const answer = await send(porchlight, '/webmention', { source: url, target: `${url}?a` });
  expect(answer.status).toBe(400);
});

test('V01: mentions stay with a post that moves, at its old and at its new URL', async () => {
  const old = await publish('tea');
  await reply('one', old);
  const { url } = await porchlight.call('posts.update', { url: old, slug: 'green-tea' });
  expect(url).not.toBe(old);
  expect(await reply('two', url)).toBe(201);
  expect(await reply('three', `${old}?utm_source=x`)).toBe(201);
  const { url: last } = await porchlight.call('posts.update', { url, slug: 'white-tea' });
  expect(await reply('four', old)).toBe(201);
  const all = [old, url, `${old}?utm_source=x`, old];
  for (const one of [old, url, last]) {
    const { listed, jf2, window, ...seen } = await seenAt(one);
    expect(seen).toEqual({ page: '4 replies', count: 4, pages: 1 });
    for (const targets of [listed, jf2, window]) expect([...targets].sort()).toEqual([...all].sort());
  }
  expect(await porchlight.call('webmentions.pages', {})).toMatchObject([{ target: last }]);
});

test('a source that linked to a post before and after its move counts once', async () => {
  const old = await publish('tea');
  await reply('one', old, 'Before');
  const { url } = await porchlight.call('posts.update', { url: old, slug: 'green-tea' });
  await reply('one', url, 'After');
  expect(await seenAt(url)).toEqual(onlyOne(url));
});

test('nobody learns the new URL of a post that has become private', async () => {
  const old = await publish('tea');
  await reply('one', old);
  const { url } = await porchlight.call('posts.update', { url: old, slug: 'green-tea' });
  await reply('two', url);
  await porchlight.call('posts.update', { url, visibility: 'private' });
  for (const asked of [old, `${old}?a`, old.toUpperCase().replace('HTTP', 'http')]) {
    const target = encodeURIComponent(asked);
    for (const path of [`/webmentions?url=${target}`, `/api/mentions.jf2?target=${target}`])
      expect(JSON.stringify(await json(path))).not.toContain('green-tea');
  }
  await porchlight.call('posts.update', { url, visibility: 'public' });
  expect(await seenAt(url)).toMatchObject({ page: '2 replies', count: 2 });
});

test('a mention of the deleted post comes back with the post', async () => {
  const old = await publish('tea');
  await reply('one', `${old}?a`);
  const { url } = await porchlight.call('posts.update', { url: old, slug: 'green-tea' });
  await porchlight.call('posts.delete', { url });
  expect(await json(`/api/count?target=${encodeURIComponent(url)}`)).toMatchObject({ count: 0 });
  await porchlight.call('posts.undelete', { url });
  expect(await seenAt(url)).toEqual(onlyOne(`${old}?a`));
});

test('answers in memory are made again, whichever spelling a mention uses', async () => {
  const url = await publish('tea');
  for (const [at, spell] of [(one: string) => one, ...spellings.map(([, , each]) => each)].entries()) {
    for (let time = 0; time < 3; time += 1) expect((await seenAt(url)).count).toBe(at);
    await reply(`source-${at}`, spell(url));
    expect(await seenAt(url)).toMatchObject({
      page: at === 0 ? '1 reply' : `${at + 1} replies`,
      count: at + 1,
      pages: 1,
    });
  }
});

test('for another site of the owner, a URL is normalized and nothing more', async () => {
  const own = 'https://owner.example/caf%C3%A9';
  const same = [
    own,
    'HTTPS://Owner.Example:443/caf%c3%a9',
    'https://owner.example/c%61fé?utm_medium=feed&fbclid=1&gclid=2&replytocom=3#c',
  ];
  const others = [
    `${own}/`,
    `${own}?page=2`,
    'http://owner.example/caf%C3%A9',
    'https://owner.example/Caf%C3%A9',
  ];
  for (const [at, target] of [...same, ...others].entries()) expect(await reply(`s-${at}`, target)).toBe(201);
  const found = (await json(`/webmentions?url=${encodeURIComponent(own)}`)) as Record<
    string,
    { target: string }[]
  >;
  expect(found[own]?.map(({ target }) => target)).toEqual(same);
  const root = 'https://owner.example';
  expect(await reply('root', root)).toBe(201);
  expect(await json(`/webmentions?url=${encodeURIComponent(`${root}/`)}`)).toMatchObject({
    [`${root}/`]: [{ target: root }],
  });
});

test('E09: the url of a mention is its source, never the page of ours that it links to', async () => {
  const url = await publish('tea');
  site.pages.set('/one', page(`<div class="h-entry"><a href="${url}">See this</a></div>`));
  await resend('one', url);
  const source = `${site.origin}/one`;
  const target = encodeURIComponent(url);
  expect(await json(`/api/mentions.jf2?target=${target}`)).toMatchObject({ children: [{ url: source }] });
  expect(await json(`/api/mentions?target=${target}`)).toMatchObject({ links: [{ data: { url: source } }] });
  expect(await json(`/webmentions?url=${target}`)).toMatchObject({ [url]: [{ url: source }] });
});
