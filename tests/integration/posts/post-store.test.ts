import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recordsName } from '../../../src-main/storage/records/records-file.ts';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import {
  content,
  everyPath,
  expectSound,
  newStore,
  newStoreWithFiles,
  note,
  now,
  pathsOf,
  refused,
} from '../../support/post-folder.ts';
import { patience } from '../../support/patience.ts';
import { readJsonFile } from '../../support/storage-folder.ts';

describe('a new post', () => {
  test('is at its slug in its month, on disk when it is acknowledged, and there after a restart', async () => {
    const { posts, reopened } = await newStore();
    const post = await posts.create(
      content(
        { content: ['Hello'], location: [{ type: ['h-geo'], properties: { latitude: [45.52] } }] },
        { commands: { channel: ['x'] }, visibility: 'unlisted' },
      ),
      { slug: 'My Post', now },
    );
    expect(post.path).toBe('/posts/2026/11/my-post');
    expect(post.properties.published).toEqual(['2026-11-20T10:00:00.000Z']);
    const again = await reopened();
    expect(await again.posts.get(post.path)).toEqual(post);
    expect((await again.posts.list({ limit: 5 })).items).toEqual([post]);
  });

  test('is in a file soon after, for people and other programs', async () => {
    const { posts, fileOf } = await newStoreWithFiles();
    const { path, ...post } = await posts.create(note('Hello'), { slug: 'a', now });
    await expect
      .poll(() => readJsonFile(fileOf(path)).catch(() => undefined), patience)
      .toMatchObject({ format: 3, post, movedTo: null, history: [], edits: null, counter: 1 });
  });

  test('is filed under the month that its author’s clock showed', async () => {
    const { posts } = await newStore();
    const late = await posts.create(note('Late', '2026-10-31T23:30:00-07:00'), { now });
    const early = await posts.create(note('Early', '2026-12-01T00:30:00+1300'), { now });
    const unclear = await posts.create(note('Unclear', 'yesterday'), { now });
    expect([late, early, unclear].map(({ path }) => path)).toEqual([
      '/posts/2026/10/late',
      '/posts/2026/12/early',
      '/posts/2026/11/unclear',
    ]);
  });

  test('never takes the path of another, also when a hundred come at once', async () => {
    const { records, posts } = await newStore();
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        posts.create(content({ content: [String(index)] }), { slug: 'same', now }),
      ),
    );
    expect(new Set(made.map(({ path }) => path)).size).toBe(100);
    for (const post of made) expect(await posts.get(post.path)).toEqual(post);
    expect(await everyPath(posts, 7)).toHaveLength(100);
    await expectSound(records);
  });

  test('never reuses the path of a deleted, moved or doubtful post', async () => {
    const { changes, posts, reopened } = await newStore();
    const options = { slug: 'a', now };
    const first = await posts.create(note('1'), options);
    await posts.setDeleted(first.path, true, now);
    const second = await posts.create(note('2'), options);
    await posts.change(second.path, (same) => same, { slug: 'elsewhere', now });
    const third = await posts.create(note('3'), options);
    await changes.write((_writes, { run }) =>
      run("UPDATE posts SET doubtful = 1, filed = NULL WHERE slug = 'a-3'"),
    );
    const again = await reopened();
    await expect(again.posts.get(third.path)).rejects.toMatchObject({ code: 'storage_damaged' });
    expect((await again.posts.create(note('4'), options)).path).toBe('/posts/2026/11/a-4');
  });

  test('is found at an address that was asked for before', async () => {
    const { posts } = await newStore();
    expect(await posts.get('/posts/2026/11/a')).toBeUndefined();
    const { path } = await posts.create(note('Here'), { slug: 'a', now });
    expect((await posts.get(path))?.properties).toMatchObject({ content: ['Here'] });
    await posts.setDeleted(path, true, now);
    expect((await posts.get(path))?.deletedAt).not.toBeNull();
  });

  test('that the full disk refuses is not there, and its slug is free', async () => {
    const { records, posts } = await newStore();
    const limitPages = (most: number) => records.rows(() => undefined, `PRAGMA max_page_count = ${most}`);
    limitPages(1);
    const large = note('Large. '.repeat(100_000));
    await expect(posts.create(large, { slug: 'a', now })).rejects.toMatchObject({ code: 'storage_full' });
    expect((await posts.list({ limit: 5 })).items).toEqual([]);
    limitPages(1_000_000);
    expect((await posts.create(large, { slug: 'a', now })).path).toBe('/posts/2026/11/a');
    await expectSound(records);
  });
});

describe('a change', () => {
  test('is made at once or not at all', async () => {
    const { posts, reopened } = await newStore();
    const { path } = await posts.create(note('Old'), { slug: 'a', now });
    const failing = posts.change(
      path,
      (draft) => {
        draft.properties.content = ['Half'];
        throw new Error('no');
      },
      { now },
    );
    await expect(failing).rejects.toThrow('no');
    expect((await posts.get(path))?.properties.content).toEqual(['Old']);
    const changed = await posts.change(path, () => note('New'), { now: now + 1000 });
    expect(changed).toMatchObject({
      path,
      updatedAt: '2026-11-20T10:00:01.000Z',
      createdAt: '2026-11-20T10:00:00.000Z',
    });
    expect(await (await reopened()).posts.get(path)).toEqual(changed);
  });

  test('of many at once loses none', async () => {
    const { records, posts } = await newStore();
    const { path } = await posts.create(content({ category: [] }), { slug: 'a', now });
    const add = (name: string) =>
      posts.change(
        path,
        (old) => ({
          ...old,
          properties: { ...old.properties, category: [...(old.properties.category ?? []), name] },
        }),
        { now },
      );
    const names = Array.from({ length: 30 }, (_, index) => `c${index}`);
    await Promise.all(names.map(add));
    expect((await posts.get(path))?.properties.category).toEqual(names);
    await expectSound(records);
  });

  test('of the slug moves the post, and the old paths lead to it', async () => {
    const { posts, reopened } = await newStore();
    const { path } = await posts.create(note('Hello'), { slug: 'a', now });
    await posts.change(path, (same) => same, { slug: 'b', now });
    const moved = await posts.change(path, () => note('Bye'), { slug: 'c', now });
    expect(moved).toMatchObject({ path: '/posts/2026/11/c', properties: { content: ['Bye'] } });
    const expectMoved = async (store: typeof posts) => {
      expect(await store.get(path)).toBeUndefined();
      expect(await store.movedTo(path)).toBe(moved.path);
      expect(await store.movedTo('/posts/2026/11/b')).toBe(moved.path);
      expect(await store.movedTo(moved.path)).toBeUndefined();
      expect(pathsOf(await store.list({ limit: 5 }))).toEqual([moved.path]);
    };
    await expectMoved(posts);
    const again = await reopened();
    await expectMoved(again.posts);
    await expectSound(again.records);
  });

  test('that asks for the slug of the create again moves nothing', async () => {
    const { posts } = await newStore();
    await posts.create(note('1'), { slug: 'a', now });
    const { path } = await posts.create(note('2'), { slug: 'a', now });
    expect((await posts.change(path, (same) => same, { slug: 'a', now })).path).toBe(path);
  });

  test('of the slug leaves a redirect in the file at the old path', async () => {
    const { posts, fileOf } = await newStoreWithFiles();
    const { path } = await posts.create(note('Hello'), { slug: 'a', now });
    const moved = await posts.change(path, () => note('Bye'), { slug: 'b', now });
    const read = (at: string) => readJsonFile(fileOf(at)).catch(() => undefined);
    await expect
      .poll(() => read(path), patience)
      .toMatchObject({ post: null, movedTo: moved.path, history: [] });
    await expect
      .poll(() => read(moved.path), patience)
      .toMatchObject({ post: { properties: { content: ['Bye'] } }, history: [{ by: null }] });
  });

  test('that publishes a draft in a later month files it there, with the date of that day', async () => {
    const { posts } = await newStore();
    const draft = await posts.create(content({ content: ['Soon'] }, { status: 'draft' }), { now });
    expect(draft.properties).not.toHaveProperty('published');
    const later = Date.parse('2026-12-02T08:00:00Z');
    const post = await posts.change(draft.path, (old) => ({ ...old, status: 'published' }), { now: later });
    expect(post).toMatchObject({
      path: '/posts/2026/12/soon',
      properties: { published: ['2026-12-02T08:00:00.000Z'] },
    });
    expect(await posts.movedTo(draft.path)).toBe(post.path);
    expect(pathsOf(await posts.list({ limit: 5 }))).toEqual([post.path]);
  });

  test('of a post that is not there, or deleted, is refused', async () => {
    const { posts } = await newStore();
    const { path } = await posts.create(note('Hello'), { slug: 'a', now });
    await posts.setDeleted(path, true, now);
    for (const where of [path, '/posts/2026/11/b', '/posts/2026/11/..%2F..%2Fsettings', '/elsewhere'])
      await expect(posts.change(where, (same) => same, { now })).rejects.toMatchObject(refused);
    await expect(posts.setDeleted('/posts/2026/11/b', true, now)).rejects.toMatchObject(refused);
  });
});

test('MP-51 deleting leaves a tombstone, and undeleting brings the post back', async () => {
  const { posts } = await newStore();
  const post = await posts.create(note('Hello'), { slug: 'a', now });
  const deleted = await posts.setDeleted(post.path, true, now + 1000);
  expect(await posts.setDeleted(post.path, true, now + 9000)).toEqual(deleted);
  expect((await posts.get(post.path))?.deletedAt).toBe('2026-11-20T10:00:01.000Z');
  expect((await posts.list({ limit: 5 })).items).toEqual([]);
  expect((await posts.list({ limit: 5, filter: { deleted: true } })).items).toEqual([deleted]);
  const back = await posts.setDeleted(post.path, false, now + 2000);
  expect(back).toEqual({ ...post, updatedAt: '2026-11-20T10:00:02.000Z' });
  expect((await posts.list({ limit: 5 })).items).toEqual([back]);
});

describe('data that is derived from the posts', () => {
  async function fortyPosts() {
    const store = await newStoreWithFiles();
    const { posts } = store;
    for (let index = 0; index < 40; index += 1)
      await posts.create(note(`Post ${index}`), { now: now + index });
    await posts.setDeleted('/posts/2026/11/post-7', true, now);
    await posts.change('/posts/2026/11/post-8', (same) => same, { slug: 'eight', now });
    const whole = await posts.list({ limit: 100, filter: { text: 'post' } });
    expect(whole.items).toHaveLength(39);
    return { ...store, whole };
  }

  test('is derived again at the next start from rows that are not filed, as after a repair', async () => {
    const { records, reopened, whole } = await fortyPosts();
    await records.write(({ run }) => {
      run(
        'UPDATE posts SET filed = NULL, position = NULL, at = NULL, kind = NULL, deleted = NULL, listed = NULL',
      );
      for (const table of ['post_categories', 'list_counts', 'post_files', 'post_homes', 'post_words'])
        run(`DELETE FROM ${table}`);
    });
    const again = await reopened();
    expect(await again.posts.list({ limit: 100, filter: { text: 'post' } })).toEqual(whole);
    await expectSound(again.records);
  });

  test('is derived again at the next start if the rules have changed', async () => {
    const { records, reopened, whole } = await fortyPosts();
    await records.write(({ run }) => {
      run("UPDATE post_state SET value = 'other rules' WHERE name = 'rules'");
      run("UPDATE posts SET kind = 'photo' WHERE kind IS NOT NULL");
      run("UPDATE list_counts SET name = 'photo' WHERE list = 'kind'");
    });
    const again = await reopened();
    expect(await again.posts.list({ limit: 100, filter: { kind: 'note' } })).toEqual(whole);
    await expectSound(again.records);
  });

  const search = ({ posts }: Pick<Awaited<ReturnType<typeof fortyPosts>>, 'posts'>) =>
    posts.list({ limit: 100, filter: { text: 'post' } });
  test.each([
    ['a search', search],
    [
      'a change',
      ({ posts }: Pick<Awaited<ReturnType<typeof fortyPosts>>, 'posts'>) =>
        posts.change('/posts/2026/11/post-9', (same) => same, { now }),
    ],
  ])('is filled again if %s finds the full text damaged', async (_what, first) => {
    const { dir, close, whole } = await fortyPosts();
    await close();
    const database = new DatabaseSync(join(dir, recordsName), { defensive: false });
    database.exec("UPDATE post_words_data SET block = x'0001020304050607' WHERE id > 10");
    database.close();
    const store = await newStoreWithFiles(dir);
    await first(store);
    expect((await search(store)).items).toHaveLength(whole.items.length);
    await expectSound(store.records);
  });
});

test('asking for posts that are not there writes nothing', async () => {
  const { dir, records, posts } = await newStoreWithFiles();
  const before = records.changes;
  expect(await posts.get('/posts/2026/11/nothing')).toBeUndefined();
  expect(await posts.movedTo('/posts/2026/11/nothing')).toBeUndefined();
  expect(await posts.list({ limit: 5 })).toEqual({ items: [] });
  expect(await posts.categories()).toEqual([]);
  expect(records.changes).toBe(before);
  expect(await readdir(dir)).not.toContain('posts');
});
