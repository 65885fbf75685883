import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as reconciling from '../../../src-main/posts/post-reconcile.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

/** After how many months the comparison waits, and until when. */
const held = vi.hoisted(() => ({ after: Infinity, until: Promise.resolve() }));

vi.mock('../../../src-main/posts/post-reconcile.ts', async (original) => {
  const module = await original<typeof reconciling>();
  return {
    ...module,
    async reconcilePosts(options: Parameters<typeof module.reconcilePosts>[0]) {
      const later = options.months.splice(held.after);
      await module.reconcilePosts(options);
      const stopped = new Promise((resolve) => options.signal.addEventListener('abort', resolve));
      await Promise.race([held.until, stopped]);
      options.months.push(...later);
      await module.reconcilePosts(options);
    },
  };
});

const clock = () => Date.parse('2026-11-27T12:00:00Z');
let porchlight: Porchlight;
let release: () => void;

/** Starts Porchlight. The comparison of the posts with the index waits after `months` months. */
async function start(months = Infinity, dataDir?: string): Promise<void> {
  held.after = months;
  held.until = new Promise((resolve) => (release = resolve));
  if (months === Infinity) release();
  porchlight = await startPorchlight({ clock, ...(dataDir !== undefined && { dataDir }) });
}

const write = (slug: string, day: string, rest: object = {}) =>
  porchlight.call('posts.create', {
    text: `Words of ${slug}`,
    format: 'plain',
    photos: [],
    categories: ['porch'],
    visibility: 'public',
    status: 'published',
    slug,
    published: `${day}T08:00:00Z`,
    ...rest,
  });

async function get(address: string) {
  const response = await fetch(porchlight.base + address, {
    redirect: 'manual',
    headers: { 'cf-connecting-ip': '203.0.113.7', accept: 'text/html' },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const documentOf = (month: string, slug: string) =>
  path.join(porchlight.dataDir, 'posts', month, `${slug}.json`);

beforeEach(() => start());
afterEach(() => {
  release();
  return porchlight.remove();
});

describe('while the index is built again', () => {
  let filled: string;
  beforeAll(async () => {
    filled = await mkdtemp(path.join(tmpdir(), 'porchlight-filled-'));
    await start(Infinity, filled);
    for (let number = 0; number < 35; number += 1)
      await write(`new-${number}`, `2026-11-${String(3 + (number % 20)).padStart(2, '0')}`);
    await write('old', '2026-09-10', { categories: ['rare'] });
    await porchlight.stop();
    await rm(path.join(filled, 'index.sqlite'));
  });
  afterAll(() => rm(filled, { recursive: true }));

  beforeEach(async () => {
    const { dataDir } = porchlight;
    await porchlight.stop();
    await rm(dataDir, { recursive: true });
    await cp(filled, dataDir, { recursive: true });
    await start(1, dataDir);
  });

  test('a post page is read from its document, and an address without a post is not found', async () => {
    const found = await get('/posts/2026/09/old');
    expect([found.status, found.text.includes('Words of old')]).toEqual([200, true]);
    expect((await get('/posts/2026/09/never')).status).toBe(404);
  });

  test.each(['/', '/feed.atom', '/feed.json', '/categories/porch', '/posts/2026/11/'])(
    'the newest posts are listed first: %s',
    async (address) => {
      const { status, text } = await get(address);
      expect([status, text.includes('Words of new-19')]).toEqual([200, true]);
    },
  );

  test.each([
    '/archive',
    '/categories',
    '/posts/2026/09/',
    '/categories/rare',
    '/search?q=rare',
    '/sitemap.xml',
  ])('a list of posts that are not in it says so, and nothing keeps that answer: %s', async (address) => {
    const { status, headers, text } = await get(address);
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('The lists of posts are being prepared');
    release();
    await expect.poll(async () => (await get(address)).status).toBe(200);
  });

  test('no visitor is charged while the index is built again', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => get('/archive')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect((await get('/')).status).toBe(200);
  });

  test('the status tells the progress', async () => {
    await expect
      .poll(async () => (await porchlight.call('status.get', {})).words)
      .toMatch(/Preparing the lists of posts: 35 of 36$/);
    release();
    await expect.poll(async () => (await porchlight.call('status.get', {})).words).not.toContain('Preparing');
  });

  test('a new post gets no slug that another post has', async () => {
    await expect(write('new-1', '2026-11-20')).rejects.toThrow('Another post of that month');
    expect((await write('next', '2026-11-20')).url).toMatch(/\/next$/);
  });
});

describe('what somebody changes while Porchlight is off', () => {
  const lists = [
    '/',
    '/feed.atom',
    '/categories/porch',
    '/kinds/note',
    '/posts/2026/10/',
    '/search?q=words',
    '/sitemap.xml',
  ];

  beforeEach(async () => {
    for (const slug of ['kept-one', 'edited-one', 'hidden-one', 'deleted-one'])
      await write(slug, '2026-10-20');
    await write('secret-one', '2026-10-20', { categories: ['surprise party'] });
    const { dataDir } = porchlight;
    await porchlight.stop();
    for (const slug of ['hidden-one', 'secret-one']) {
      const file = documentOf('2026/10', slug);
      await writeFile(file, (await readFile(file, 'utf8')).replace('"public"', '"private"'));
    }
    await rm(documentOf('2026/10', 'deleted-one'));
    const edited = documentOf('2026/10', 'edited-one');
    await writeFile(
      edited,
      (await readFile(edited, 'utf8')).replaceAll('Words of edited-one', 'Words by hand'),
    );
    await start(0, dataDir);
  });

  test.each(lists)('is in the first answer already: %s', async (address) => {
    const { status, text } = await get(address);
    expect(status).toBe(200);
    expect(text).toContain('kept-one');
    for (const word of ['hidden-one', 'secret-one', 'deleted-one', 'Words of edited-one'])
      expect(text).not.toContain(word);
    release();
    await expect.poll(async () => (await porchlight.call('posts.list', {})).items.length).toBe(4);
    expect((await get(address)).text).toBe(text);
  });

  test('is on the pages of the posts, and no category is named that only private posts have', async () => {
    expect((await get('/posts/2026/10/edited-one')).text).toContain('Words by hand');
    expect((await get('/posts/2026/10/hidden-one')).status).toBe(404);
    expect((await get('/posts/2026/10/deleted-one')).status).toBe(404);
    expect((await get('/categories')).text).not.toContain('surprise party');
    release();
    await expect.poll(async () => (await get('/categories')).status).toBe(200);
    const { text } = await get('/categories');
    expect([text.includes('porch'), text.includes('surprise party')]).toEqual([true, false]);
  });
});

test('other versions that a synchronizing program kept are named, and are no posts', async () => {
  await write('dinner', '2026-11-20');
  const { dataDir } = porchlight;
  await porchlight.stop();
  const text = await readFile(documentOf('2026/11', 'dinner'), 'utf8');
  const names = [
    'dinner (Ada’s conflicted copy 2026-11-21).json',
    'dinner 2.json',
    'dinner-DESKTOP-4F2A.json',
  ];
  for (const name of names) await writeFile(path.join(dataDir, 'posts/2026/11', name), text);
  await start(Infinity, dataDir);
  const found = async () =>
    (await porchlight.call('status.get', {})).problems.find(({ code }) => code === 'conflicted_copies')
      ?.message ?? '';
  await expect.poll(found).not.toBe('');
  for (const name of names) expect(await found()).toContain(`“posts/2026/11/${name}”`);
  expect((await porchlight.call('posts.list', {})).items).toHaveLength(1);
});
