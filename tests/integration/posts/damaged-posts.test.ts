import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { expect, onTestFinished, test } from 'vitest';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { month, newStore, note, now, pathsOf } from '../../support/post-folder.ts';
import { systemError, watchedOperations } from '../../support/storage-folder.ts';

const plain = {
  photos: [],
  categories: ['tea'],
  visibility: 'public' as const,
  status: 'published' as const,
};
const damaged = '{ "format": 3, "post": { "ty';

/** Returns a folder with two posts, of which the first is damaged. It has never been changed, so it has no previous version. */
async function folderWithDamage(content = damaged) {
  const first = await startPorchlight();
  const { dataDir } = first;
  await first.call('settings.update', { profile: { me: 'https://ada.example/' } });
  const { url } = await first.call('posts.create', { ...plain, content: 'Lost words', slug: 'lost' });
  await first.call('posts.create', { ...plain, content: 'Other words', slug: 'other' });
  await first.stop();
  const { pathname } = new URL(url);
  const file = path.join(dataDir, `${pathname}.json`);
  const before = await readFile(file, 'utf8');
  await writeFile(file, content);
  return { dataDir, file, pathname, before };
}

async function started(dataDir: string): Promise<Porchlight> {
  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  return house;
}

test('a damaged post answers 503 and keeps its place, and lists, feeds and search leave it out', async () => {
  const { dataDir, file, pathname } = await folderWithDamage();
  for (let start = 0; start < 2; start += 1) {
    const house = await startPorchlight({ dataDir });
    const answer = await fetch(`${house.base}${pathname}`, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await house.call('posts.list', {});
    for (const list of ['/', '/feed', '/categories/tea', '/search?q=words']) {
      const text = await (await fetch(`${house.base}${list}`)).text();
      expect(text).toContain('Other words');
      expect(text).not.toContain('Lost words');
    }
    const { problems } = await house.call('status.get', {});
    expect(problems.map(({ message }) => message).join()).toContain(path.relative(dataDir, file));
    const next = await house.call('posts.create', { ...plain, content: 'Next', slug: `x${start}` });
    expect(next.path).not.toBe(pathname);
    await house.stop();
  }
  expect(await readFile(file, 'utf8')).toBe(damaged);
});

test('one click restores a damaged post from its last copy, with its versions, and keeps the damaged file', async () => {
  const { dataDir, file, pathname } = await folderWithDamage();
  // Both versions of the file are damaged.
  const edited = await startPorchlight({ dataDir });
  await edited.call('posts.restoreCopy', { path: pathname });
  const url = `${edited.base}${pathname}`;
  await edited.call('posts.update', { url, text: 'Newer words' });
  const edits = {
    version: (await edited.call('posts.get', { url })).version,
    post: await source(edited, url),
  };
  await edited.call('posts.keepEdits', {
    url,
    edits: { ...edits, post: { ...edits.post, text: 'Unsaved' } },
  });
  await edited.stop();
  const before = JSON.parse(await readFile(file, 'utf8')) as object;
  await writeFile(file, damaged);
  await writeFile(`${file}.previous`, '\0'.repeat(2000));

  const house = await started(dataDir);
  expect((await fetch(`${house.base}${pathname}`)).status).toBe(503);
  const [found, ...others] = await house.call('posts.damaged', {});
  expect(others).toEqual([]);
  expect(found).toMatchObject({ path: pathname, item: { summary: 'Newer words', visibility: 'public' } });
  const { item } = await house.call('posts.restoreCopy', { path: pathname });
  expect(item).toMatchObject({ path: pathname, summary: 'Newer words' });
  expect({ ...(JSON.parse(await readFile(file, 'utf8')) as object) }).toEqual(before);

  expect(await house.call('posts.damaged', {})).toEqual([]);
  expect(await (await fetch(`${house.base}${pathname}`)).text()).toContain('Newer words');
  expect(await (await fetch(`${house.base}/categories/tea`)).text()).toContain('Newer words');
  const here = `${house.base}${pathname}`;
  expect((await house.call('posts.history', { url: here })).items).toHaveLength(1);
  expect((await house.call('posts.edits', { url: here })).edits?.post.text).toBe('Unsaved');
  const aside = (await readdir(path.dirname(file))).filter((name) => name.startsWith('lost.json.broken-'));
  const kept = await Promise.all(aside.map((name) => readFile(path.join(path.dirname(file), name), 'utf8')));
  expect(kept).toContain(damaged);
  const { items } = await house.call('activity.list', {});
  expect(items.map(({ words }) => words).join()).toContain(`You restored ${pathname} from the last copy`);
  const { problems } = await house.call('status.get', {});
  expect(problems.map(({ code }) => code)).not.toContain('storage_broken');
});

const source = async (house: Porchlight, url: string) => {
  const { version: _version, ...post } = await house.call('posts.source', { url });
  return post;
};

test.each([
  ['was lost with the index', (index: string) => rm(index)],
  ['is damaged too', (index: string) => damageCopy(index, '{"type":[],"properties":5}')],
  ['is no JSON', (index: string) => damageCopy(index, '{"type"')],
])('a damaged post whose copy %s offers no restore, and the file stays', async (_, damage) => {
  const { dataDir, file, pathname } = await folderWithDamage();
  await damage(path.join(dataDir, 'index.sqlite'));
  const house = await started(dataDir);
  expect(await house.call('posts.damaged', {})).toMatchObject([
    { path: pathname, item: null, movedTo: null },
  ]);
  const restoring = house.call('posts.restoreCopy', { path: pathname });
  await expect(restoring).rejects.toMatchObject({ code: 'not_found' });
  expect(await readFile(file, 'utf8')).toBe(damaged);
  expect(await readdir(path.dirname(file))).toEqual(['lost.json', 'other.json']);
  // The index itself isn't damaged.
  expect((await house.call('posts.list', {})).items).toHaveLength(1);
});

async function damageCopy(index: string, post: string): Promise<void> {
  const database = new DatabaseSync(index);
  database.prepare("UPDATE posts SET post = ? WHERE slug = 'lost'").run(post);
  database.close();
  return Promise.resolve();
}

test('a damaged post that somebody repairs by hand is shown again, and one whose file is deleted is not offered', async () => {
  const { dataDir, file, pathname, before } = await folderWithDamage();
  const house = await startPorchlight({ dataDir });
  expect(await house.call('posts.damaged', {})).toHaveLength(1);
  await writeFile(file, before);
  expect(await (await fetch(`${house.base}${pathname}`)).text()).toContain('Lost words');
  expect(await house.call('posts.damaged', {})).toEqual([]);
  expect((await house.call('posts.list', {})).items).toHaveLength(2);
  await house.stop();

  await writeFile(file, damaged);
  const again = await startPorchlight({ dataDir });
  expect(await again.call('posts.damaged', {})).toHaveLength(1);
  await rm(file);
  expect(await again.call('posts.damaged', {})).toEqual([]);
  expect((await fetch(`${again.base}${pathname}`)).status).toBe(404);
  await again.stop();

  const last = await started(dataDir);
  await last.call('posts.list', {});
  await copyFile(path.join(path.dirname(file), 'other.json'), file);
  expect(await (await fetch(`${last.base}${pathname}`)).text()).toContain('Other words');
});

test('a post whose content is no post is damaged, not empty', async () => {
  const { dataDir, pathname } = await folderWithDamage('{ "format": 3, "post": "gone", "movedTo": null }');
  const house = await started(dataDir);
  expect((await fetch(`${house.base}${pathname}`)).status).toBe(503);
  expect(await house.call('posts.damaged', {})).toMatchObject([{ item: { summary: 'Lost words' } }]);
});

test.each(['its last copy', 'its previous version'])(
  'a kill at any moment while a damaged post comes back from %s leaves it damaged or whole, never gone',
  async (source) => {
    const operations = watchedOperations();
    const { dir, open, posts } = await newStore(operations);
    const { path: place } = await posts.create(note('Words'), { slug: 'a', now });
    if (source === 'its previous version') await posts.change(place, (same) => same, { now });
    else await rm(path.join(dir, month, 'a.json.previous'), { force: true });
    const file = path.join(dir, month, 'a.json');
    let isBack = false;
    for (let last = 1; !isBack; last += 1) {
      expect(last).toBeLessThan(60);
      await writeFile(file, damaged);
      const store = open();
      await store.damaged(9).catch(() => undefined);
      let count = 0;
      operations.before = () => {
        if ((count += 1) > last) throw systemError('EIO');
      };
      await store.restoreCopy(place).catch(() => undefined);
      isBack = count <= last;
      operations.before = () => undefined;
      const after = open();
      const left = await after.damaged(9);
      expect(left.every(({ copy }) => copy?.properties.content?.[0] === 'Words')).toBe(true);
      if (left.length > 0) await after.restoreCopy(place);
      expect((await after.get(place))?.properties.content).toEqual(['Words']);
      expect(pathsOf(await after.list({ limit: 5 }))).toEqual([place]);
    }
  },
);

test('a post that moved and was deleted stays deleted if the redirect at its former path is damaged', async () => {
  const first = await startPorchlight();
  const { dataDir } = first;
  await first.call('settings.update', { profile: { me: 'https://ada.example/' } });
  const { url } = await first.call('posts.create', {
    ...plain,
    text: 'Lost words',
    slug: 'lost',
    format: 'plain',
  });
  const moved = await first.call('posts.update', { url, slug: 'found' });
  await first.call('posts.delete', { url: moved.url });
  await first.stop();
  const { pathname } = new URL(url);
  await writeFile(path.join(dataDir, `${pathname}.json`), damaged);

  const house = await started(dataDir);
  const answer = await fetch(`${house.base}${pathname}`);
  expect(answer.status).toBe(410);
  expect(await answer.text()).not.toContain('Lost words');
});
