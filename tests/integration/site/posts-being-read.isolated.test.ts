import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as fileCopies from '../../../src-main/posts/file-copies.ts';
import { forgetPosts } from '../../bench/folders.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

/** Until when the reading of the oldest post waits. */
const held = vi.hoisted(() => ({ until: Promise.resolve() }));

vi.mock('../../../src-main/posts/file-copies.ts', async (original) => {
  const module = await original<typeof fileCopies>();
  return {
    ...module,
    async readCopy(file: string) {
      if (file.endsWith('old.json')) await held.until;
      return module.readCopy(file);
    },
  };
});

const clock = () => Date.parse('2026-11-27T12:00:00Z');
let filled: string;
let token: string;
let porchlight: Porchlight;
let release: () => void;

const write = (house: Porchlight, slug: string, day: string, rest: object = {}) =>
  house.call('posts.create', {
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

async function get(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(porchlight.base + address, {
    redirect: 'manual',
    headers: { 'cf-connecting-ip': '203.0.113.7', accept: 'text/html', ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const statusWords = async () => (await porchlight.call('status.get', {})).words;
const isRead = () => expect.poll(async () => (await get('/')).status, patience).toBe(200);

beforeAll(async () => {
  filled = await mkdtemp(path.join(tmpdir(), 'porchlight-filled-'));
  const house = await startPorchlight({ clock, dataDir: filled });
  for (let number = 0; number < 35; number += 1)
    await write(house, `new-${number}`, `2026-11-${String(3 + (number % 20)).padStart(2, '0')}`);
  await write(house, 'old', '2026-09-10', { categories: ['rare'] });
  ({ token } = await house.call('apps.issueToken', { label: 'App', scopes: ['create'] }));
  // The files follow the rows.
  const written = async () => {
    const names = await readdir(path.join(filled, 'posts'), { recursive: true });
    return names.filter((name) => name.endsWith('.json')).length;
  };
  await vi.waitUntil(async () => (await written()) === 36, patience);
  await house.stop();
  await forgetPosts(filled);
});
afterAll(() => rm(filled, { recursive: true }));

beforeEach(async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-read-'));
  await cp(filled, dataDir, { recursive: true, preserveTimestamps: true });
  held.until = new Promise((resolve) => (release = resolve));
  porchlight = await startPorchlight({ clock, dataDir });
});
afterEach(async () => {
  release();
  await porchlight.remove();
});

describe('while the posts are read from the files of an earlier version', () => {
  test('each page and each feed says so, and nothing keeps that answer', async () => {
    for (const address of ['/', '/posts/2026/11/new-1', '/posts/2026/09/old', '/archive', '/feed.atom']) {
      const { status, headers, text } = await get(address);
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).toContain('The posts are being read');
    }
    expect((await get('/micropub?q=config', { authorization: `Bearer ${token}` })).status).toBe(503);
    release();
    await isRead();
    expect((await get('/posts/2026/09/old')).text).toContain('Words of old');
    for (const address of ['/archive', '/categories/rare', '/search?q=old', '/sitemap.xml'])
      expect((await get(address)).status).toBe(200);
    expect((await get('/posts/2026/09/never')).status).toBe(404);
  });

  test('no visitor is charged', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => get('/archive')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    release();
    await isRead();
    expect((await get('/archive')).status).toBe(200);
  });

  test('the status tells the progress', async () => {
    await expect.poll(statusWords, patience).toMatch(/: 35 of 36$/);
    release();
    await expect.poll(statusWords, patience).not.toContain('of 36');
  });

  test('a post of an app or the owner is refused, because it could take the slug of one that is still to be read', async () => {
    const response = await fetch(`${porchlight.base}/micropub`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: ['h-entry'], properties: { content: ['Too early'] } }),
    });
    expect([response.status, response.headers.has('retry-after')]).toEqual([503, true]);
    await expect(write(porchlight, 'old', '2026-09-11', { text: 'Another one' })).rejects.toMatchObject({
      message: expect.stringContaining('being read') as string,
    });
    release();
    await isRead();
    expect((await get('/posts/2026/09/old')).text).toContain('Words of old');
  });

  test('a stop ends the reading, and the next start continues with it', async () => {
    await expect.poll(statusWords, patience).toMatch(/: 35 of 36$/);
    const { dataDir } = porchlight;
    const stopped = porchlight.stop();
    release();
    await stopped;
    porchlight = await startPorchlight({ clock, dataDir });
    await isRead();
    const { items } = await porchlight.call('posts.list', { limit: 100 });
    expect(items).toHaveLength(36);
  });
});
