import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Params } from '../../../src-main/contract/contract.ts';
import type { PostText, SavedPost } from '../../../src-main/contract/writing.ts';
import { limitOf } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const start = Date.parse('2026-11-20T10:00:00Z');
const minute = 60_000;
const day = 24 * 60 * minute;
/** Nothing listens there. */
const there = 'http://127.0.0.1:9/page';

let house: Porchlight;
let token = '';
let now = start;
beforeAll(async () => {
  house = await startPorchlight({ clock: () => now });
  token = (
    await house.call('apps.issueToken', {
      label: 'Quill',
      scopes: ['create', 'update', 'delete', 'undelete'],
    })
  ).token;
});
afterAll(() => house.remove());
beforeEach(() => {
  now += day;
});

const empty: PostText = {
  text: '',
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
};
async function restart(): Promise<void> {
  await house.stop();
  house = await startPorchlight({ dataDir: house.dataDir, clock: () => now });
}

const create = (text: Partial<PostText>) => house.call('posts.create', { ...empty, ...text });
const update = (url: string, change: Omit<Params<'posts.update'>, 'url'>) =>
  house.call('posts.update', { url, ...change });
const whole = async (url: string) => (await house.call('posts.get', { url })).post;
const history = async (url: string) => (await house.call('posts.history', { url })).items;
const restore = async (url: string, version = 0) =>
  house.call('posts.restoreVersion', { url, id: (await history(url))[version]?.id ?? '' });

/** Sends a request as the app Quill. */
async function byApp(body: object): Promise<Response> {
  const response = await fetch(`${house.base}/micropub`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBeLessThan(300);
  return response;
}
const updateByApp = (url: string, replace: object) => byApp({ action: 'update', url, replace });
const page = async (url: string) => (await fetch(url)).text();

/** Returns the microformats of a post as an app gets them. */
async function sourceByApp(url: string): Promise<{ properties: Record<string, unknown[]> }> {
  const query = new URLSearchParams({ q: 'source', url });
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${house.base}/micropub?${query}`, { headers });
  return (await response.json()) as { properties: Record<string, unknown[]> };
}

describe('the owner creates', () => {
  const photo = { url: 'http://127.0.0.1:9/a.jpg', alt: 'A cat' };
  test.each<[SavedPost['kind'], Partial<PostText>, Record<string, unknown[]>]>([
    ['note', { text: 'Hello' }, { content: ['Hello'] }],
    ['article', { text: 'Long', name: 'Title', summary: 'Short' }, { name: ['Title'], summary: ['Short'] }],
    ['reply', { text: 'Yes', inReplyTo: there }, { 'in-reply-to': [there] }],
    ['like', { likeOf: there }, { 'like-of': [there] }],
    ['repost', { repostOf: there }, { 'repost-of': [there] }],
    ['bookmark', { bookmarkOf: there, name: 'Lamps' }, { 'bookmark-of': [there], name: ['Lamps'] }],
    ['rsvp', { rsvp: 'yes', inReplyTo: there }, { rsvp: ['yes'], 'in-reply-to': [there] }],
    ['photo', { photos: [photo] }, { photo: [{ value: photo.url, alt: 'A cat' }] }],
  ])('a %s, and an app reads its properties', async (kind, text, properties) => {
    const post = await create({ ...text, categories: ['porch'] });
    expect(post).toMatchObject({ kind, status: 'published' });
    expect((await sourceByApp(post.url)).properties).toMatchObject({ ...properties, category: ['porch'] });
    const { version, published, slug, ...source } = await house.call('posts.source', { url: post.url });
    expect(source).toEqual({ ...empty, ...text, categories: ['porch'] });
    expect([version, published, slug]).toEqual([post.version, post.published, post.path.split('/').at(-1)]);
  });

  test('a scheduled post, which readers see from its date on', async () => {
    const published = new Date(now + day).toISOString();
    const post = await create({ text: 'Market day', published });
    expect(post).toMatchObject({ status: 'scheduled', published });
    expect((await fetch(post.url)).status).toBe(404);
    now += day;
    expect(await page(post.url)).toContain('Market day');
    expect(await page(post.url)).not.toContain('edited');
  });

  test('a post with a date that is read in the owner’s time zone, as dates from apps are', async () => {
    await house.call('settings.update', { site: { timeZone: 'Asia/Tokyo' } });
    onTestFinished(async () => void (await house.call('settings.update', { site: { timeZone: '' } })));
    const post = await create({ text: 'Market day', published: '20261027T0214' });
    expect(post).toMatchObject({ status: 'published', published: '2026-10-27T02:14:00+09:00' });
    for (const published of ['next monday', '2023-02-29', '2027-06-01T09:00:00+25:00'])
      await expect(create({ text: 'x', published })).rejects.toMatchObject({ code: 'invalid_request' });
    expect((await create({ text: 'Now' })).published).toMatch(/T19:00:00\.000\+09:00$/);
    const properties = {
      content: ['Now'],
      published: [new Date(now + 9 * 60 * minute).toISOString().slice(0, 19)],
    };
    const url = (await byApp({ type: ['h-entry'], properties })).headers.get('location') ?? '';
    expect((await sourceByApp(url)).properties.published?.[0]).toMatch(/T19:00:00\+09:00$/);
    expect((await fetch(url)).status).toBe(200);
  });

  test('Z01c a post of another offset, filed and shown under its own day, with the owner’s time on hover', async () => {
    await house.call('settings.update', { site: { timeZone: 'America/Los_Angeles' } });
    onTestFinished(async () => void (await house.call('settings.update', { site: { timeZone: '' } })));
    const post = await create({ text: 'Night train', published: '2013-05-01T02:12:52+02:00' });
    expect(post.path).toMatch(/^\/posts\/2013\/05\//);
    expect(await page(post.url)).toContain(
      '<time class="dt-published" datetime="2013-05-01T02:12:52+02:00" title="30 April 2013, 17:12 (America/Los_Angeles)">1 May 2013</time>',
    );
    expect(await page(`${house.base}/posts/2013/05/`)).toContain('Night train');
  });

  test('a post in Markdown, of which apps get microformats and the window the Markdown', async () => {
    const { url } = await create({ text: 'So *good*', format: 'markdown' });
    const html = '<p>So <em>good</em></p>';
    expect((await sourceByApp(url)).properties['content']).toEqual([{ html }]);
    expect(JSON.stringify(await sourceByApp(url))).not.toContain('*good*');
    expect(await house.call('posts.source', { url })).toMatchObject({
      text: 'So *good*',
      format: 'markdown',
    });
  });

  test('footnotes in Markdown, whose links lead to the note and back on each page', async () => {
    const { url } = await create({ format: 'markdown', text: 'Lamps[^1] burn.\n\n[^1]: Of *brass*.' });
    for (const address of [url, `${house.base}/`, `${house.base}/feed.atom`]) {
      const shown = (await page(address))
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"');
      const [, toNote = '', reference = ''] =
        /<sup><a href="[^"]*\/posts\/[^"#]*#([\w-]+)" id="([\w-]+)">\[1\]<\/a><\/sup>/.exec(shown) ?? [];
      expect(shown).toMatch(new RegExp(`<li id="${toNote}">\\s*<p>Of <em>brass</em>\\.`));
      expect(shown).toMatch(new RegExp(`title="Back to the text" href="[^"]*/posts/[^"#]*#${reference}"`));
      expect([toNote, reference]).toEqual([
        expect.stringMatching(/^p[0-9a-f]{8}-fn1$/),
        expect.stringMatching(/^p[0-9a-f]{8}-fnref1$/),
      ]);
    }
  });

  test('one post for a request that is repeated, even while it is under way', async () => {
    const lines = async () => {
      const { items } = await house.call('activity.list', { limit: 20 });
      // Mentions of other posts may be sent meanwhile.
      return items.map(({ words }) => words).filter((words) => words.includes('good-morning'));
    };
    const ask = (requestId: string, text = 'Good morning') =>
      house.call('posts.create', { ...empty, requestId, text });
    const [first, second] = await Promise.all([ask('one'), ask('one')]);
    await update(first.url, { text: 'Good morning, all' });
    const entries = await lines();
    expect([second, await ask('one')]).toEqual([first, first]);
    expect(await lines()).toEqual(entries);
    expect((await ask('two')).url).not.toBe(first.url);
    expect((await house.call('posts.list', { query: 'Good morning' })).items).toHaveLength(2);
  });

  test('a post for a request that was refused at first', async () => {
    const ask = (text: string) => house.call('posts.create', { ...empty, requestId: 'refused', text });
    await expect(ask('')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await ask('Now with words')).toMatchObject({ summary: 'Now with words' });
  });

  test('nothing if the slug is taken', async () => {
    await create({ text: 'One', slug: 'chosen' });
    const before = await house.call('posts.list', {});
    await expect(create({ text: 'Two', slug: 'Chosen' })).rejects.toMatchObject({ code: 'slug_taken' });
    expect(await house.call('posts.list', {})).toEqual(before);
  });
});

describe('a change', () => {
  test('by an app to the text drops the Markdown, and the history names the app', async () => {
    const { url } = await create({ text: 'So *good*', format: 'markdown' });
    await updateByApp(url, { content: ['So bad'], category: ['moods'] });
    expect(await house.call('posts.source', { url })).toMatchObject({ text: 'So bad', format: 'plain' });
    expect(await history(url)).toMatchObject([
      { by: 'Quill', changes: ['content', 'category'], summary: 'So good', name: '' },
    ]);
    await restore(url);
    expect(await house.call('posts.source', { url })).toMatchObject({
      text: 'So *good*',
      format: 'markdown',
    });
  });

  test('by an app to other properties keeps the Markdown', async () => {
    const { url } = await create({ text: 'So *good*', format: 'markdown' });
    await updateByApp(url, { category: ['moods'] });
    const source = await house.call('posts.source', { url });
    expect(source).toMatchObject({ text: 'So *good*', format: 'markdown', categories: ['moods'] });
  });

  test('from Markdown to HTML keeps the HTML and drops the Markdown', async () => {
    const { url } = await create({ text: 'So *good*', format: 'markdown' });
    const html = '<p>So <em>good</em></p>';
    await update(url, { text: html, format: 'html' });
    expect(await house.call('posts.source', { url })).toMatchObject({ text: html, format: 'html' });
  });

  test('that follows somebody else’s change is a conflict and changes nothing', async () => {
    const { url, version } = await create({ text: 'One' });
    const { version: second } = await update(url, { text: 'Two', ifVersion: version });
    const before = await whole(url);
    const late = update(url, { text: 'Three', ifVersion: version });
    await expect(late).rejects.toMatchObject({ code: 'conflict' });
    const [{ id } = { id: '' }] = await history(url);
    await expect(house.call('posts.restoreVersion', { url, id, ifVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await whole(url)).toEqual(before);
    expect((await house.call('posts.get', { url })).version).toBe(second);
    expect(await history(url)).toHaveLength(1);
  });

  test('to a slug that is taken changes nothing', async () => {
    await create({ text: 'One', slug: 'first-come' });
    const { url } = await create({ text: 'Two' });
    const before = await whole(url);
    const taken = update(url, { text: 'Three', slug: 'first-come' });
    await expect(taken).rejects.toMatchObject({ code: 'slug_taken' });
    expect(await whole(url)).toEqual(before);
    expect(await history(url)).toEqual([]);
  });

  test('that changes nothing is no version', async () => {
    const { url } = await create({ text: 'One' });
    await update(url, { text: 'One', visibility: 'public' });
    await updateByApp(url, { content: ['One'] });
    expect(await history(url)).toEqual([]);
    expect((await whole(url)).editedAt).toBeUndefined();
  });

  test('is refused for a deleted post, whose history can still be read', async () => {
    const { url } = await create({ text: 'One' });
    await update(url, { text: 'Two' });
    await house.call('posts.delete', { url });
    await expect(update(url, { text: 'Three' })).rejects.toThrow('Restore it before you change it.');
    await expect(restore(url)).rejects.toThrow('Restore it before you change it.');
    expect(await history(url)).toMatchObject([{ by: null, changes: ['content'], summary: 'One' }]);
  });

  test('of the status works for a post whose text only its app can edit', async () => {
    const response = await byApp({
      type: ['h-entry'],
      properties: { content: ['One', 'Two'], 'post-status': ['draft'] },
    });
    const url = response.headers.get('location') ?? '';
    await expect(house.call('posts.source', { url })).rejects.toMatchObject({ code: 'not_editable' });
    await expect(update(url, { text: 'Three' })).rejects.toMatchObject({ code: 'not_editable' });
    expect(await update(url, { status: 'published' })).toMatchObject({ status: 'published' });
    expect((await whole(url)).properties.content).toEqual(['One', 'Two']);
  });

  test('to the order of photos keeps properties that the form doesn’t show', async () => {
    const one = { value: 'http://127.0.0.1:9/1.jpg', alt: 'One', credit: 'Wren' };
    const odd = { type: ['h-cite'], properties: { url: ['http://127.0.0.1:9/3.jpg'] } };
    const response = await byApp({
      type: ['h-entry'],
      properties: { photo: [one, 'http://127.0.0.1:9/2.jpg', odd] },
    });
    const url = response.headers.get('location') ?? '';
    const { photos } = await house.call('posts.source', { url });
    await update(url, { photos: photos.toReversed() });
    expect((await whole(url)).properties.photo).toEqual(['http://127.0.0.1:9/2.jpg', one, odd]);
  });
});

describe('a draft', () => {
  test('moves to an address made from its words when it is published, and its old address works', async () => {
    const { url: draftUrl, path: place } = await create({ status: 'draft', text: 'x' });
    expect(place).toMatch(/^\/posts\/2026\/\d\d\/draft(-\d+)?$/);
    await update(draftUrl, { text: 'Fog over the harbour' });
    const published = await update(draftUrl, { status: 'published' });
    expect(published.path).toMatch(/\/fog-over-the-harbour$/);
    expect((await house.call('posts.get', { url: draftUrl })).item.url).toBe(published.url);
    expect(await update(draftUrl, { categories: ['fog'] })).toMatchObject({ url: published.url });
    expect(await page(draftUrl)).toContain('Fog over the harbour');
    expect(await history(draftUrl)).toHaveLength(3);
  });

  test('keeps a slug that the owner chose', async () => {
    const draft = await create({ status: 'draft', text: 'x', slug: 'about-fog' });
    expect(draft.path).toMatch(/\/about-fog$/);
    expect((await update(draft.url, { status: 'published' })).path).toBe(draft.path);
  });

  test('that is saved as the owner types has one version for ten minutes, and no line of activity for each', async () => {
    const lines = async () => (await house.call('activity.list', { limit: 100 })).items.length;
    const { url } = await create({ status: 'draft', text: 'a' });
    const before = await lines();
    for (let count = 1; count <= 25; count += 1) {
      now += minute;
      await update(url, { text: 'a'.repeat(count + 1) });
    }
    expect((await history(url)).map(({ summary }) => summary.length)).toEqual([21, 11, 1]);
    expect(await lines()).toBe(before);
  });

  test('loses nothing when an earlier version is restored a moment later', async () => {
    const { url } = await create({ status: 'draft', text: 'One' });
    await update(url, { text: 'Two' });
    await restore(url);
    expect((await house.call('posts.source', { url })).text).toBe('One');
    await restore(url);
    expect((await house.call('posts.source', { url })).text).toBe('Two');
  });

  test('shows its history to nobody else', async () => {
    const { url } = await create({ status: 'draft', text: 'A secret plan' });
    await update(url, { text: 'A public plan' });
    const published = await update(url, { status: 'published' });
    expect(await page(published.url)).toContain('A public plan');
    for (const shown of [published.url, url, `${house.base}/feed.json`, `${house.base}/`])
      expect(await page(shown)).not.toContain('secret');
    expect(JSON.stringify(await sourceByApp(published.url))).not.toContain('secret');
    expect((await history(url)).map(({ summary }) => summary)).toEqual(['A public plan', 'A secret plan']);
  });
});

describe('the history', () => {
  test('has the text of each version and of its successor, as Markdown if it was written so', async () => {
    const { url } = await create({ text: 'One *lamp*', format: 'markdown', name: 'Candles' });
    await update(url, { text: 'Two *lamps*' });
    await update(url, { name: 'More candles' });
    const texts = async (version: number) =>
      house.call('posts.versionTexts', { url, id: (await history(url))[version]?.id ?? '' });
    expect(await texts(1)).toEqual({
      before: { name: 'Candles', text: 'One *lamp*' },
      after: { name: 'Candles', text: 'Two *lamps*' },
    });
    expect((await texts(0)).after).toEqual({ name: 'More candles', text: 'Two *lamps*' });
    await expect(house.call('posts.versionTexts', { url, id: 'none' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('has the last 20 versions', async () => {
    const { url } = await create({ text: '0' });
    for (let count = 1; count <= 23; count += 1) await update(url, { text: String(count) });
    expect((await history(url)).map(({ summary }) => summary)).toEqual(
      Array.from({ length: 20 }, (_, index) => String(22 - index)),
    );
  });

  test('has at most about a megabyte', async () => {
    const { url } = await create({ text: 'x'.repeat(190_000) });
    for (let count = 1; count <= 8; count += 1) await update(url, { text: String(count).repeat(190_000) });
    expect(await history(url)).toHaveLength(5);
  });

  test('lets the owner undo the last change, and undo that', async () => {
    const { url } = await create({ text: 'One', categories: ['a'] });
    await update(url, { text: 'Two', categories: ['b'], visibility: 'unlisted' });
    const changed = await house.call('posts.source', { url });
    await restore(url);
    const { version, ...source } = await house.call('posts.source', { url });
    expect(source).toMatchObject({ text: 'One', categories: ['a'], visibility: 'public' });
    expect(version).not.toBe(changed.version);
    await restore(url);
    expect(await house.call('posts.source', { url })).toEqual(changed);
  });

  test('is in the export and in a backup', { timeout: limitOf(120_000) }, async () => {
    const post = await create({ text: 'The first words' });
    await update(post.url, { text: 'The second words' });
    const before = await history(post.url);
    expect(before).toHaveLength(1);
    const folder = await temporaryFolder();

    await house.call('data.export', { path: path.join(folder, 'export') });
    const all = await readFile(path.join(folder, 'export/porchlight/posts.json'), 'utf8');
    const exported = (JSON.parse(all) as { path: string; history?: object[] }[]).find(
      (one) => one.path === post.path,
    );
    expect(exported).toMatchObject({
      properties: { content: ['The second words'] },
      history: [{ by: null, content: { properties: { content: ['The first words'] } } }],
    });

    const file = path.join(folder, 'backup.zip');
    await house.call('data.backup', { path: file });
    await update(post.url, { text: 'The third words' });
    await house.call('data.restore', { path: file });
    await house.call('data.applyRestore', {});
    await restart();
    expect(await history(house.base + post.path)).toEqual(before);
  });
});

describe('unsaved edits', () => {
  test('survive a restart, change nothing that readers see, and end with an update', async () => {
    const { url, path: place, version } = await create({ text: 'One' });
    const post = { ...empty, text: 'One and a half' };
    await house.call('posts.keepEdits', { url, edits: { post, version } });
    expect(await page(url)).not.toContain('One and a half');
    await restart();
    const here = house.base + place;
    expect((await house.call('posts.edits', { url: here })).edits).toEqual({
      post,
      version,
      savedAt: new Date(now).toISOString(),
    });
    await updateByApp(here, { category: ['moods'] });
    expect((await house.call('posts.edits', { url: here })).edits).not.toBeNull();
    await update(here, { text: 'Two' });
    expect((await house.call('posts.edits', { url: here })).edits).toBeNull();
  });

  test('of one window are not replaced by those of another window that has not seen them', async () => {
    const { url, version } = await create({ text: 'One' });
    const keep = (text: string, ifKept: string | null) =>
      house.call('posts.keepEdits', { url, edits: { post: { ...empty, text }, version }, ifKept });
    const { savedAt } = await keep('From the first window', null);
    expect(savedAt).toBe(new Date(now).toISOString());
    await expect(keep('From the second window', null)).rejects.toMatchObject({ code: 'conflict' });
    await expect(house.call('posts.keepEdits', { url, edits: null, ifKept: null })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await house.call('posts.edits', { url })).edits?.post.text).toBe('From the first window');
    now += 1000;
    await keep('From the first window, longer', savedAt);
    expect((await house.call('posts.edits', { url })).edits?.post.text).toBe('From the first window, longer');
    expect(await house.call('posts.keepEdits', { url, edits: null })).toEqual({ savedAt: null });
  });

  test('of another window are not discarded by an update that has not seen them', async () => {
    const { url, version } = await create({ text: 'One' });
    const keep = (text: string) =>
      house.call('posts.keepEdits', { url, edits: { post: { ...empty, text }, version } });
    const { savedAt } = await keep('From this window');
    now += 1000;
    const other = await keep('From the other window');
    const ask = (ifKept: string | null) =>
      house.call('posts.update', { url, text: 'Two', ifVersion: version, ifKept });
    for (const seen of [savedAt, null]) await expect(ask(seen)).rejects.toMatchObject({ code: 'conflict' });
    expect(await page(url)).not.toContain('Two');
    expect((await house.call('posts.edits', { url })).edits?.post.text).toBe('From the other window');
    await ask(other.savedAt);
    expect(await page(url)).toContain('Two');
    expect((await house.call('posts.edits', { url })).edits).toBeNull();
  });

  test('stay with a draft that an app publishes, at its new address', async () => {
    const { url, version } = await create({ text: 'Lamps', status: 'draft' });
    await house.call('posts.keepEdits', {
      url,
      edits: { post: { ...empty, text: 'Lamps and fog' }, version },
    });
    await updateByApp(url, { 'post-status': ['published'] });
    expect((await house.call('posts.get', { url })).item.path).toMatch(/\/lamps$/);
    expect((await house.call('posts.edits', { url })).edits?.post.text).toBe('Lamps and fog');
  });
});

describe('“edited”', () => {
  test('is on the page of a post whose public content changed', async () => {
    const { url } = await create({ text: 'One' });
    await update(url, { text: 'Two' });
    expect((await whole(url)).editedAt).toBe(new Date(now).toISOString());
    expect(await page(url)).toContain('edited');
  });

  test.each<[string, (url: string) => Promise<unknown>]>([
    [
      'it was deleted and restored',
      async (url) => {
        await house.call('posts.delete', { url });
        await house.call('posts.undelete', { url });
      },
    ],
    ['only its visibility changed', (url) => update(url, { visibility: 'unlisted' })],
    ['an app recorded a copy elsewhere', (url) => updateByApp(url, { syndication: [there] })],
    ['its cross-posting targets changed', (url) => update(url, { syndicateTo: ['http://127.0.0.1:9/fed'] })],
    [
      'the owner undid the change',
      async (url) => {
        await update(url, { text: 'Two' });
        await restore(url);
      },
    ],
  ])('does not stand there if %s', async (_, change) => {
    const { url } = await create({ text: 'One' });
    await change(url);
    expect((await whole(url)).editedAt).toBeUndefined();
    expect(await page(url)).not.toContain('edited');
  });

  test('does not stand on the page of a post that was only changed before it was published', async () => {
    const { url } = await create({ text: 'One', status: 'draft' });
    await update(url, { text: 'Two' });
    const published = await update(url, { status: 'published' });
    expect(await page(published.url)).not.toContain('edited');
  });
});
