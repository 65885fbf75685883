import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Settings } from '../../../src-main/contract/settings.ts';
import type * as keptAnswers from '../../../src-main/http/kept-answers.ts';
import { openSite, page, type Page, type Site } from '../../support/client-app.ts';
import { patience } from '../../support/patience.ts';
import { drawing } from '../../support/picture-samples.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { workOf } from '../../support/work-rows.ts';
import { post } from '../../support/sign-in.ts';
import { giveHome, homeOf } from '../../support/store-of-service.ts';

const hashOf = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

// Each answer comes with the hash of the same answer made from scratch.
vi.mock('../../../src-main/http/kept-answers.ts', async (original) => {
  const module = await original<typeof keptAnswers>();
  return {
    ...module,
    keepAnswers(options: Parameters<typeof module.keepAnswers>[0]) {
      const kept = module.keepAnswers(options);
      const send: typeof kept.send = async (request, reply, key, make) => {
        const making = { now: options.now(), shows: () => undefined, until: () => undefined };
        const made = await make(making);
        const { text } = 'sharedKey' in made ? await made.make(making) : made;
        return kept.send(request, reply.header('x-from-scratch', hashOf(text)), key, make);
      };
      return { ...kept, send };
    },
  };
});

vi.mock('../../../src-main/posts/stored-posts.ts', async (original) => {
  const { rememberStore } = await import('../../support/store-of-service.ts');
  return rememberStore(original);
});

const start = Date.parse('2026-11-20T12:00:00Z');
const hour = 3_600_000;
const categories = ['porch', 'tea'];

let clock: number;
let port: number;
let site: Site;
let porchlight: Porchlight;
let token: string;
/** Of an app that sees only what everybody sees, and its own posts. */
let otherToken: string;
/** The addresses of the posts so far. */
let posts: string[];

async function open(options: { dataDir?: string } = {}): Promise<void> {
  porchlight = await startPorchlight({ clock: () => clock, port, ...options });
  port = Number(new URL(porchlight.base).port);
}

beforeEach(async () => {
  clock = start;
  port = 0;
  posts = [];
  site = await openSite();
  site.pages.set('/cited', page('<title>Tea</title>'));
  await open();
  const issued = { label: 'An app', scopes: ['create', 'update', 'delete', 'undelete', 'media'] };
  ({ token } = await porchlight.call('apps.issueToken', issued));
  const other = { label: 'Another app', scopes: ['create'] };
  ({ token: otherToken } = await porchlight.call('apps.issueToken', other));
});
afterEach(async () => {
  await porchlight.remove();
  await site.close();
});

const addresses = () => {
  const targets = posts
    .flatMap((url) => [url, homeOf(url)])
    .map((url) => `target[]=${encodeURIComponent(url)}`);
  return [
    '/',
    '/feed.atom',
    '/feed.rss',
    '/feed.json',
    '/sitemap.xml',
    '/categories/porch',
    '/categories/tea',
    '/now',
    '/categories/none',
    '/archive',
    '/categories',
    '/kinds/note',
    '/posts/2026/',
    '/posts/2026/11/',
    '/search?q=words',
    '/categories/porch/feed.atom',
    '/categories/tea/feed.json',
    '/kinds/note/feed.rss',
    ...posts.map((url) => new URL(url).pathname),
    ...targets.map((query) => `/api/mentions.jf2?${query}`),
    ...['config', 'category', 'source', 'source&limit=1', 'source&post-type=note'].flatMap((q) => [
      `/micropub?q=${q}`,
      `/micropub?q=${q}&by=other`,
    ]),
    ...['mentions.json', 'mentions.atom', 'mentions.html', 'count'].map(
      (name) => `/api/${name}?${targets.slice(-10).join('&')}`,
    ),
  ];
};

/** As an app, where only apps may ask. */
const asApp = (path: string): Record<string, string> =>
  path.startsWith('/micropub')
    ? { authorization: `Bearer ${path.includes('&by=other') ? otherToken : token}` }
    : {};

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(new URL(path, porchlight.base), { redirect: 'manual', headers: { ...asApp(path), ...headers } });

async function isCurrent(path: string): Promise<boolean> {
  const answer = await get(path);
  const body = Buffer.from(await answer.arrayBuffer());
  const expected = answer.headers.get('x-from-scratch');
  return expected === null || hashOf(body) === expected;
}

/**
 * Reads each address twice, so that answers are kept. Work in the background may change one between the two times that
 * it is made; an answer that is really out of date stays so.
 */
async function nothingIsStale(): Promise<void> {
  for (const paths of [addresses(), addresses()]) {
    for (let tries = 0; tries < 5 && paths.length > 0; tries += 1) {
      const current = await Promise.all(paths.map(isCurrent));
      paths.splice(0, paths.length, ...paths.filter((_, index) => !current[index]));
    }
    expect(paths).toEqual([]);
  }
}

async function micropub(body: Record<string, unknown>): Promise<Response> {
  return fetch(`${porchlight.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function create(properties: Record<string, unknown[]>): Promise<string> {
  const answer = await micropub({ type: ['h-entry'], properties });
  const url = answer.headers.get('location') ?? '';
  posts.push(url);
  return url;
}

async function mention(url: string, number: number, html: string): Promise<void> {
  site.pages.set(`/${number}`, page(html.replaceAll('TARGET', url)));
  await post(porchlight, '/webmention', { source: `${site.origin}/${number}`, target: url });
  await porchlight.call('webmentions.process', {});
}

const somePost = fc.nat(3);
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];
const someTime = fc
  .integer({ min: -48, max: 48 })
  .map((hours) => new Date(start + hours * hour + 1).toISOString());

/** Somebody links to a post, or no longer does. */
const someMention = () =>
  fc
    .record({
      index: somePost,
      isAtHome: fc.boolean(),
      number: fc.nat(3),
      html: fc.constantFrom(
        '<p class="h-entry"><a class="u-like-of" href="TARGET">Liked</a></p>',
        '<p class="h-entry"><a class="u-in-reply-to" href="TARGET">A reply</a><b class="p-content">Yes</b></p>',
        '<p class="h-entry"><a class="u-in-reply-to" href="TARGET">Hi</a><a class="p-author h-card" href="https://ann.example/">Ann</a></p>',
        '<p>No link here any more.</p>',
      ),
    })
    .map(({ index, isAtHome, number, html }) => () => {
      const url = at(posts, index) ?? porchlight.base;
      return mention(isAtHome ? homeOf(url) : url, number, html);
    });

/** A post gets its own URL on the owner's site, or is seen there. */
const someHome = fc.tuple(somePost, fc.constantFrom(null, new Date(start).toISOString())).map(
  ([index, liveAt]) =>
    () =>
      giveHome(at(posts, index) ?? porchlight.base, { liveAt }),
);

/** Changes to whatever pages show. Those that are impossible at the moment are refused and change nothing. */
const someChange: fc.Arbitrary<() => Promise<unknown>> = fc.oneof(
  someHome,
  fc
    .record({
      words: fc.nat(9),
      category: fc.constantFrom(...categories),
      isReply: fc.boolean(),
      published: fc.option(someTime, { nil: undefined }),
      visibility: fc.constantFrom('public', 'public', 'unlisted', 'private'),
      status: fc.constantFrom('published', 'published', 'draft'),
    })
    .map(
      ({ words, category, isReply, published, visibility, status }) =>
        () =>
          create({
            content: [`Words ${words} for @ann.example #tea`],
            category: [category],
            ...(isReply && { 'in-reply-to': [`${site.origin}/cited?${words}`] }),
            ...(published !== undefined && { published: [published] }),
            visibility: [visibility],
            'post-status': [status],
          }),
    ),
  fc
    .tuple(
      somePost,
      fc.oneof(
        fc.nat(9).map((words) => ({ content: [`Other words ${words}`] })),
        fc.constantFrom(...categories).map((category) => ({ category: [category] })),
        someTime.map((published) => ({ published: [published] })),
        fc.constantFrom('public', 'private').map((visibility) => ({ visibility: [visibility] })),
        fc.constantFrom('published', 'draft').map((status) => ({ 'post-status': [status] })),
      ),
    )
    .map(
      ([index, replace]) =>
        () =>
          micropub({ action: 'update', url: at(posts, index) ?? '', replace }),
    ),
  fc.tuple(somePost, fc.constantFrom('delete', 'undelete')).map(
    ([index, action]) =>
      () =>
        micropub({ action, url: at(posts, index) ?? '' }),
  ),
  someMention(),
  someMention(),
  someMention(),
  fc
    .tuple(fc.nat(9), fc.constantFrom('approved', 'held', 'hidden', 'deleted', 'restored'))
    .map(([index, decision]) => async () => {
      const { id } = at((await porchlight.call('webmentions.list', {})).items, index) ?? {};
      if (id !== undefined) await porchlight.call('webmentions.decide', { ids: [id], decision });
    }),
  fc
    .constantFrom('webmentions.blockDomain' as const, 'webmentions.unblockDomain' as const)
    .map((method) => () => porchlight.call(method, { domain: '127.0.0.1' })),
  fc
    .constantFrom('Ann', 'Ann Marlow', '')
    .map((name) => () => porchlight.call('settings.update', { profile: { name } })),
  fc
    .constantFrom<string[][]>([], ['garden'])
    .map((categories) => () => porchlight.call('settings.update', { micropub: { categories } })),
  fc
    .constantFrom<Partial<Settings['site']>[]>(
      { title: 'The porch' },
      { title: '', tagline: 'Neither in nor out' },
      { about: 'Hello', links: [{ label: 'Code', url: 'https://code.example/' }] },
      { theme: 'paper', accent: '#123456' },
      { theme: 'garden', css: 'h1 { color: red }' },
      { timeZone: 'Asia/Tokyo' },
      { timeZone: 'America/New_York' },
      { pages: [] },
      { pages: [{ slug: 'now', title: 'Now', text: 'Reading.' }] },
      { pages: [{ slug: 'now', title: 'Now', text: 'Writing.' }] },
    )
    .map((site) => () => porchlight.call('settings.update', { site })),
  fc
    .constantFrom('everything' as const, 'nothing' as const)
    .map((hold) => () => porchlight.call('settings.update', { webmention: { hold } })),
  fc.integer({ min: -24, max: 48 }).map((hours) => () => Promise.resolve((clock += hours * hour))),
);

/** Returns the pages that replies cite and that have yet to be fetched. */
const waitingPages = () => workOf(porchlight.dataDir, 'cited-page');

test('after any change, every page, feed and reading answer equals one that is made from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someChange, { minLength: 6, maxLength: 12 }), async (changes) => {
      await create({ content: ['Hello'], category: ['porch'] });
      let latest = clock;
      for (const change of changes) {
        clock += 60_000; // the same mention may be sent again
        await change();
        await nothingIsStale();
        latest = Math.max(latest, clock);
      }
      // A start corrects the dates of posts that were made while the clock was ahead.
      clock = latest;
      const bodies = async () =>
        Promise.all(addresses().map(async (path) => [path, await (await get(path)).text()]));
      await vi.waitFor(async () => expect(await waitingPages()).toEqual([]), patience);
      const before = await bodies();
      await porchlight.stop();
      await open({ dataDir: porchlight.dataDir });
      expect(before).toEqual(await bodies());
    }),
    { numRuns: 5, endOnFailure: true },
  );
}, 360_000);

test('a response shows at once, and disappears at once when the owner hides it or its source withdraws it', async () => {
  const url = await create({ content: ['Hello'] });
  const places = ['/', new URL(url).pathname, `/api/mentions.jf2?target=${url}`, `/api/count?target=${url}`];
  const isShown = async () =>
    Promise.all(
      places.map(async (path) => /1 like|"like-of"|"count":1/.test(await (await get(path)).text())),
    );
  const showsEverywhere = async (expected: boolean) => {
    for (let turn = 0; turn < 3; turn += 1) expect(await isShown()).toEqual(places.map(() => expected));
  };
  await showsEverywhere(false);
  await mention(url, 1, '<p class="h-entry"><a class="u-like-of" href="TARGET">Liked</a></p>');
  await showsEverywhere(true);
  const { id = '' } = (await porchlight.call('webmentions.list', {})).items[0] ?? {};
  await porchlight.call('webmentions.setStatus', { id, status: 'hidden' });
  await showsEverywhere(false);
  await porchlight.call('webmentions.setStatus', { id, status: 'approved' });
  await showsEverywhere(true);
  clock += 60_000;
  await mention(url, 1, '<p>No link here any more.</p>');
  await showsEverywhere(false);
});

test('a change of the site’s settings shows at the next request, on each page', async () => {
  const url = await create({ content: ['Hello'], published: ['2026-11-20T11:00:00Z'] });
  await porchlight.call('settings.update', { site: { pages: [{ slug: 'now', title: 'Now', text: '' }] } });
  const places = ['/', '/now', new URL(url).pathname, '/categories/none', '/no-such-page'];
  const changes: readonly (readonly [Partial<Settings['site']>, string, readonly string[]])[] = [
    [{ title: 'The porch' }, 'The porch', places],
    [{ theme: 'garden' }, '#eef3ea', places],
    [{ accent: '#123456' }, '#123456', places],
    [{ css: 'h1 { color: teal }' }, 'color: teal', places],
    [{ pages: [{ slug: 'now', title: 'At the moment', text: '' }] }, 'At the moment', places],
    [{ tagline: 'Neither in nor out' }, 'Neither in nor out', ['/', '/now']],
    [{ links: [{ label: 'Code', url: 'https://code.example/' }] }, 'https://code.example/', ['/']],
    [{ about: 'I carve spoons' }, 'I carve spoons', ['/']],
    [{ timeZone: 'Asia/Tokyo' }, '20 November 2026, 20:00', ['/', new URL(url).pathname]],
  ];
  for (const [site, words, shownAt] of changes) {
    const shows = async () =>
      Promise.all(
        shownAt.map(async (path) =>
          (await (await get(path, { accept: 'text/html' })).text()).includes(words),
        ),
      );
    for (let turn = 0; turn < 2; turn += 1) expect(await shows(), words).toEqual(shownAt.map(() => false));
    await porchlight.call('settings.update', { site });
    for (let turn = 0; turn < 2; turn += 1) expect(await shows(), words).toEqual(shownAt.map(() => true));
  }
});

test('MX-2 a scheduled post appears at its time, and disappears if the clock is set back', async () => {
  await create({ content: ['Hello'], category: ['porch'] });
  const moment = new Date(clock + hour).toISOString();
  await create({ content: ['Later'], category: ['porch'], published: [moment] });
  const lists = [
    '/',
    '/categories/porch',
    '/feed.atom',
    '/feed.rss',
    '/feed.json',
    '/kinds/note',
    '/posts/2026/',
    '/posts/2026/11/',
    '/search?q=later',
    '/kinds/note/feed.atom',
  ];
  const inAll = async () =>
    Promise.all(lists.map(async (path) => (await (await get(path)).text()).includes('Later')));
  for (const [time, isThere] of [
    [hour - 1, false],
    [hour, true],
    [hour - 1, false],
  ] as const) {
    clock = start + time;
    for (let turn = 0; turn < 3; turn += 1) expect(await inAll()).toEqual(lists.map(() => isThere));
  }
});

test('an app sees a scheduled post of another app at its time', async () => {
  const moment = new Date(clock + hour).toISOString();
  await create({ content: ['Later'], published: [moment] });
  const sees = async () => (await (await get('/micropub?q=source&by=other')).text()).includes('Later');
  for (const [time, isThere] of [
    [hour - 1, false],
    [hour, true],
    [hour - 1, false],
  ] as const) {
    clock = start + time;
    for (let turn = 0; turn < 3; turn += 1) expect(await sees()).toBe(isThere);
  }
});

test('an app sees the owner’s current categories, and only while it may', async () => {
  const config = async () => (await get('/micropub?q=config')).text();
  for (let turn = 0; turn < 3; turn += 1) expect(await config()).not.toContain('garden');
  await porchlight.call('settings.update', { micropub: { categories: ['garden'] } });
  for (let turn = 0; turn < 3; turn += 1) expect(await config()).toContain('garden');
  for (const { id } of await porchlight.call('apps.list', {})) await porchlight.call('apps.revoke', { id });
  expect(await config()).not.toContain('garden');
});

/** Somebody's picture that arrives when the test says so. */
async function heldPicture(path: string): Promise<() => void> {
  const bytes = await drawing().png().toBuffer();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const answer: Page = (_request, response) =>
    void released.then(() => response.writeHead(200, { 'content-type': 'image/png' }).end(bytes));
  site.pages.set(path, answer);
  return release;
}

const bodyOf = async (url: string) => (await get(url)).text();

test('a copy of a picture shows on its post as soon as it is stored, until the file is deleted', async () => {
  const release = await heldPicture('/photo.png');
  const url = await create({ photo: [`${site.origin}/photo.png`] });
  for (let count = 0; count < 3; count += 1) expect(await bodyOf(url)).not.toContain('<img');
  release();
  await expect.poll(() => bodyOf(url), patience).toContain('<img class="u-photo"');
  await nothingIsStale();
  const { items } = await porchlight.call('media.list', {});
  await porchlight.call('media.delete', { url: items[0]?.url ?? '' });
  expect(await bodyOf(url)).not.toContain('<img');
});

test('the picture of somebody who responds shows as soon as it is stored', async () => {
  const url = await create({ content: ['Hello'] });
  const release = await heldPicture('/face.png');
  await mention(
    url,
    1,
    `<div class="h-entry"><a class="u-like-of" href="TARGET">Liked</a>
      <p class="p-author h-card"><a class="u-url p-name" href="/">Bo</a><img class="u-photo" src="/face.png"></p></div>`,
  );
  for (let count = 0; count < 3; count += 1) expect(await bodyOf(url)).not.toContain('/webmention-pictures/');
  release();
  await expect.poll(() => bodyOf(url), patience).toContain('/webmention-pictures/');
});
