import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { snapshotsIn } from '../../../src-main/storage/records/snapshots.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

const plain = {
  photos: [],
  categories: ['tea'],
  visibility: 'public' as const,
  status: 'published' as const,
};

const openIn = (dataDir: string) => new DatabaseSync(path.join(dataDir, 'records.sqlite'));

/** Changes the database of a server that was stopped. */
function change(dataDir: string, sql: string): void {
  const database = openIn(dataDir);
  database.exec(sql);
  database.close();
}

/** Makes the copy of the database that Porchlight makes once a day. */
async function copyOf(dataDir: string): Promise<void> {
  for (const file of snapshotsIn(dataDir)) await rm(file, { force: true });
  const database = openIn(dataDir);
  database.prepare('VACUUM INTO ?').run(snapshotsIn(dataDir)[0] ?? '');
  database.close();
}

/** Returns a stopped server with two posts and a copy of its database. The row of the first post is damaged since. */
async function folderWithDamage(
  before: (house: Porchlight, url: string) => Promise<void> = () => Promise.resolve(),
) {
  const first = await startPorchlight();
  const { dataDir } = first;
  onTestFinished(() => first.remove());
  await first.call('settings.update', { profile: { me: 'https://ada.example/' } });
  const { url } = await first.call('posts.create', { ...plain, content: 'Lost words', slug: 'lost' });
  await first.call('posts.create', { ...plain, content: 'Other words', slug: 'other' });
  await before(first, url);
  const { pathname } = new URL(url);
  const file = path.join(dataDir, `${pathname}.json`);
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), patience).not.toBe('');
  await first.stop();
  await copyOf(dataDir);
  change(dataDir, `UPDATE posts SET post = substr(post, 1, 40) WHERE slug = 'lost'`);
  return { dataDir, file, pathname };
}

/** Starts a server, which finds and repairs the damage of its database. */
async function started(dataDir: string): Promise<Porchlight> {
  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  const isRepaired = () =>
    house.call('posts.list', {}).then(
      () => true,
      () => false,
    );
  await expect.poll(isRepaired, patience).toBe(true);
  await expect.poll(async () => (await fetch(house.base)).status, patience).toBe(200);
  return house;
}

test('a post whose row is damaged comes back from its file, and nobody has to decide', async () => {
  const { dataDir, pathname } = await folderWithDamage();
  const house = await started(dataDir);
  await expect.poll(async () => (await fetch(house.base + pathname)).status, patience).toBe(200);
  expect(await (await fetch(house.base + pathname)).text()).toContain('Lost words');
  expect(await house.call('posts.damaged', {})).toEqual([]);
  expect((await house.call('posts.list', {})).items).toHaveLength(2);
});

test.each([
  ['is gone', (file: string) => rm(file)],
  ['is damaged', (file: string) => writeFile(file, '{ "format": 3, "post": { "ty')],
])(
  'a post that only the copy has, because its file %s, answers 503 and keeps its place, and lists leave it out',
  async (_what, damage) => {
    const { dataDir, file, pathname } = await folderWithDamage();
    await damage(file);
    const house = await started(dataDir);
    const answer = await fetch(house.base + pathname, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    for (const list of ['/', '/feed', '/categories/tea', '/search?q=words']) {
      const text = (await (await fetch(house.base + list)).text()).replaceAll(/<\/?mark>/g, '');
      expect(text).toContain('Other words');
      expect(text).not.toContain('Lost words');
    }
    await expect(
      house.call('posts.create', { ...plain, content: 'Next', slug: 'lost' }),
    ).rejects.toMatchObject({ code: 'slug_taken' });
    expect((await house.call('status.get', {})).problems).not.toEqual([]);
  },
);

test('one click shows such a post again with its versions and unsaved edits, and writes its file', async () => {
  const { dataDir, file, pathname } = await folderWithDamage(async (house, url) => {
    await house.call('posts.update', { url, text: 'Newer words', format: 'plain' });
    const { version, ...post } = await house.call('posts.source', { url });
    await house.call('posts.keepEdits', { url, edits: { version, post: { ...post, text: 'Unsaved' } } });
  });
  await rm(file);
  const house = await started(dataDir);
  const [found, ...others] = await house.call('posts.damaged', {});
  expect(others).toEqual([]);
  expect(found).toMatchObject({ path: pathname, item: { summary: 'Newer words', visibility: 'public' } });
  const { item } = await house.call('posts.restoreCopy', { path: pathname });
  expect(item).toMatchObject({ path: pathname, summary: 'Newer words' });

  expect(await house.call('posts.damaged', {})).toEqual([]);
  expect(await (await fetch(house.base + pathname)).text()).toContain('Newer words');
  expect(await (await fetch(`${house.base}/categories/tea`)).text()).toContain('Newer words');
  const url = house.base + pathname;
  expect((await house.call('posts.history', { url })).items).toHaveLength(1);
  expect((await house.call('posts.edits', { url })).edits?.post.text).toBe('Unsaved');
  await expect.poll(() => readFile(file, 'utf8').catch(() => ''), patience).toContain('Newer words');
  const { items } = await house.call('activity.list', {});
  expect(items.map(({ words }) => words).join()).toContain(`You restored ${pathname} from the last copy`);
});

test('a post that moved and was deleted stays deleted if the row of its former path is damaged', async () => {
  const first = await startPorchlight();
  const { dataDir } = first;
  onTestFinished(() => first.remove());
  const { path: former } = await first.call('posts.create', {
    ...plain,
    content: 'Lost words',
    slug: 'gone',
  });
  await first.stop();
  await copyOf(dataDir);
  const second = await startPorchlight({ dataDir });
  const { path: moved } = await second.call('posts.update', { url: second.base + former, slug: 'found' });
  await second.call('posts.delete', { url: second.base + moved });
  await second.stop();
  change(dataDir, `UPDATE posts SET moved_to = NULL WHERE slug = 'gone'`);
  await rm(path.join(dataDir, `${former}.json`), { force: true });

  const house = await started(dataDir);
  const answer = await fetch(house.base + former);
  expect(answer.status).not.toBe(200);
  expect(await answer.text()).not.toContain('Lost words');
  expect((await fetch(house.base + moved)).status).toBe(410);
  expect(await (await fetch(house.base)).text()).not.toContain('Lost words');
});
