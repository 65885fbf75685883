import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Porchlight, startPorchlight } from '../../support/porchlight.ts';

let house: Porchlight;
beforeEach(async () => {
  house = await startPorchlight();
});
afterEach(() => house.remove());

const create = (slug: string, more: object = {}) =>
  house.call('posts.create', {
    requestId: slug,
    text: 'The lamp is on.',
    format: 'plain',
    slug,
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    ...more,
  });

/** Returns the ids of the newest entry in the three feeds. */
async function ids(): Promise<(string | undefined)[]> {
  const [atom, rss, json] = await Promise.all(
    ['/feed.atom', '/feed.rss', '/feed.json'].map(async (path) => (await fetch(house.base + path)).text()),
  );
  return [
    /<entry>\s*<id>(.*?)<\/id>/.exec(atom ?? '')?.[1],
    /<guid isPermaLink="false">(.*?)<\/guid>/.exec(rss ?? '')?.[1],
    (JSON.parse(json ?? '') as { items: { id: string }[] }).items[0]?.id,
  ];
}

test('an entry keeps its id in all feeds, whatever becomes of its slug', async () => {
  const { url, path } = await create('lamp');
  expect(await ids()).toEqual([url, url, url]);
  const changed = await house.call('posts.update', { url, slug: 'light' });
  expect(changed.path).toBe(path.replace('lamp', 'light'));
  expect(await ids()).toEqual([url, url, url]);
  expect(await (await fetch(`${house.base}/feed.atom`)).text()).toContain(`href="${changed.url}"`);
});

test('a draft gets its id when it is published', async () => {
  const draft = await create('draft-of-mine', { status: 'draft' });
  const { url } = await house.call('posts.update', { url: draft.url, slug: 'lamp', status: 'published' });
  expect(await ids()).toEqual([url, url, url]);
});

test('a slug that is changed back gets its own former address again, and nobody else gets it', async () => {
  const { url, path } = await create('lamp');
  const moved = await house.call('posts.update', { url, slug: 'light' });
  await expect(create('lamp', { requestId: 'another' })).rejects.toMatchObject({ code: 'slug_taken' });
  const back = await house.call('posts.update', { url: moved.url, slug: 'lamp' });
  expect(back.path).toBe(path);
  const statuses = await Promise.all(
    [url, moved.url].map(async (at) => (await fetch(at, { redirect: 'manual' })).status),
  );
  expect(statuses).toEqual([200, 301]);
});
