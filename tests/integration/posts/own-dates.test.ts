import { afterEach, describe, expect, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const minute = 60_000;
const day = 86_400_000;
const noon = Date.parse('2026-11-20T12:00:00Z');

let porchlight: Porchlight;
afterEach(() => porchlight.remove());

/** The computer's clock, and one that nobody sets. */
const time = { wall: noon, steady: 0 };
const pass = (ms: number) => {
  time.wall += ms;
  time.steady += ms;
};
async function started(dataDir?: string): Promise<void> {
  porchlight = await startPorchlight({
    clock: () => time.wall,
    steady: () => time.steady,
    ...(dataDir !== undefined && { dataDir }),
  });
}
async function restarted(): Promise<void> {
  await porchlight.stop();
  await started(porchlight.dataDir);
}

const newPost = (more: { published?: string } = {}) =>
  porchlight.call('posts.create', {
    text: 'Tea',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    ...more,
  });
const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
const statusOf = async (path: string) => (await fetch(porchlight.base + path)).status;
const isInList = async (path: string) => (await (await fetch(`${porchlight.base}/`)).text()).includes(path);
const publishedOf = async (path: string) => {
  const { items } = await porchlight.call('posts.list', {});
  return Date.parse(items.find((one) => one.path === path)?.published ?? '');
};

describe('CK1 a post made while the clock was ahead', () => {
  test('is public when the clock is right, and its date is the moment when that was found', async () => {
    time.wall = noon + 10 * minute;
    await started();
    const path = pathOf(await newPost());
    time.wall = noon;
    porchlight.service.wake();
    await expect.poll(() => publishedOf(path), patience).toBe(noon);
    expect(await statusOf(path)).toBe(200);
    expect(await isInList(path)).toBe(true);
    pass(day);
    porchlight.service.wake();
    expect(await publishedOf(path)).toBe(noon);
  });

  test('is public after a restart with the right clock, also if it was a draft or was edited in the meantime', async () => {
    time.wall = noon + 10 * minute;
    await started();
    const draft = { text: 'Draft', photos: [], categories: [], visibility: 'public' as const };
    const { url } = await porchlight.call('posts.create', { ...draft, status: 'draft' });
    const first = pathOf(await porchlight.call('posts.update', { ...draft, url, status: 'published' }));
    const second = await newPost();
    const source = await porchlight.call('posts.source', { url: second.url });
    const { version: _version, ...written } = source;
    await porchlight.call('posts.update', { ...written, url: second.url, text: 'Tea, edited' });
    time.wall = noon;
    await restarted();
    for (const path of [first, pathOf(second)]) {
      await expect.poll(() => publishedOf(path), patience).toBe(noon);
      expect(await statusOf(path)).toBe(200);
    }
  });

  test('stays scheduled if the owner chose its date', async () => {
    time.wall = noon + 10 * minute;
    await started();
    const chosen = pathOf(await newPost({ published: '2026-11-20T12:05:00Z' }));
    const own = await newPost();
    const source = await porchlight.call('posts.source', { url: own.url });
    const { version: _version, ...written } = source;
    await porchlight.call('posts.update', { ...written, url: own.url, published: '2026-11-20T12:30:00Z' });
    time.wall = noon;
    await restarted();
    const last = pathOf(await newPost());
    expect(await statusOf(last)).toBe(200);
    for (const path of [chosen, pathOf(own)]) expect(await statusOf(path)).toBe(404);
  });
});

test('with the clock far behind, no post disappears or gets another date, also after a restart', async () => {
  time.wall = noon;
  await started();
  const [own, dated] = [
    pathOf(await newPost()),
    pathOf(await newPost({ published: '2026-11-20T11:59:00Z' })),
  ];
  const before = await publishedOf(own);
  for (const isRestarted of [false, true]) {
    pass(1000);
    time.wall = Date.parse('2021-01-01T00:00:00Z');
    if (isRestarted) await restarted();
    else porchlight.service.wake();
    const other = pathOf(await newPost());
    for (const path of [own, dated, other]) {
      expect(await statusOf(path)).toBe(200);
      expect(await isInList(path)).toBe(true);
    }
    expect(await publishedOf(own)).toBe(before);
    expect(await publishedOf(other)).toBeGreaterThan(before);
    expect(await publishedOf(other)).toBeLessThan(before + day);
  }
});
