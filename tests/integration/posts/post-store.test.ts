import { mkdir, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { postIndex, postTables } from '../../../src-main/posts/post-index.ts';
import {
  content,
  everyPath,
  month,
  newStore,
  note,
  now,
  pathsOf,
  refused,
} from '../../support/post-folder.ts';
import { readJsonFile, systemError, watchedOperations } from '../../support/storage-folder.ts';

describe('a new post', () => {
  test('is at its slug in its month, on disk when it is acknowledged, and there after a restart', async () => {
    const { dir, open, posts } = await newStore();
    const post = await posts.create(
      content(
        { content: ['Hello'], location: [{ type: ['h-geo'], properties: { latitude: [45.52] } }] },
        { commands: { channel: ['x'] }, visibility: 'unlisted' },
      ),
      { slug: 'My Post', now },
    );
    expect(post.path).toBe('/posts/2026/11/my-post');
    expect(post.properties.published).toEqual(['2026-11-20T10:00:00.000Z']);
    expect(await readJsonFile(join(dir, month, 'my-post.json'))).toMatchObject({ format: 3, movedTo: null });
    expect(await open().get(post.path)).toEqual(post);
    expect((await open().list({ limit: 5 })).items).toEqual([post]);
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
    const { check, posts } = await newStore();
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        posts.create(content({ content: [String(index)] }), { slug: 'same', now }),
      ),
    );
    expect(new Set(made.map(({ path }) => path)).size).toBe(100);
    for (const post of made) expect(await posts.get(post.path)).toEqual(post);
    expect(await everyPath(posts, 7)).toHaveLength(100);
    expect(await check()).toEqual({ posts: 100, problems: [] });
  });

  test('never takes the path of a deleted one, nor of one that moved away, nor of one that cannot be read', async () => {
    const { dir, recoveries, open, posts } = await newStore();
    const options = { slug: 'a', now };
    const first = await posts.create(note('1'), options);
    await posts.setDeleted(first.path, true, now);
    const second = await posts.create(note('2'), options);
    await posts.change(second.path, (same) => same, { slug: 'elsewhere', now });
    const third = await posts.create(note('3'), options);
    await writeFile(join(dir, month, 'a-3.json'), '{');
    await expect(open().get(third.path)).rejects.toMatchObject({ code: 'storage_broken' });
    expect(recoveries).toEqual([]);
    expect((await open().create(note('4'), options)).path).toBe('/posts/2026/11/a-4');
  });

  test('writes one file, and looks at no file that cannot exist', async () => {
    const operations = watchedOperations();
    const { posts } = await newStore(operations);
    await posts.create(note('First'), { slug: 'a', now });
    operations.calls.length = 0;
    await posts.create(note('Second'), { slug: 'b', now });
    expect(operations.calls).toEqual(['write b.json.tmp', 'rename b.json.tmp b.json', 'syncFolder 11']);
  });

  test('is found at an address that was asked for before', async () => {
    const { posts } = await newStore();
    expect(await posts.get('/posts/2026/11/a')).toBeUndefined();
    const { path } = await posts.create(note('Here'), { slug: 'a', now });
    expect((await posts.get(path))?.properties).toMatchObject({ content: ['Here'] });
    await posts.setDeleted(path, true, now);
    expect((await posts.get(path))?.deletedAt).not.toBeNull();
  });

  test('gets the next number while others that begin alike are created', async () => {
    const { posts, check } = await newStore();
    const paths = await Promise.all(
      Array.from({ length: 30 }, async (_, turn) => {
        return (await posts.create(note(`${turn}`), { slug: 'same', now })).path;
      }),
    );
    expect(new Set(paths).size).toBe(30);
    expect((await posts.list({ limit: 100 })).items).toHaveLength(30);
    expect(await check()).toEqual({ posts: 30, problems: [] });
  });

  test('that the full disk refuses is not there, and its slug is free', async () => {
    const operations = watchedOperations();
    const { check, posts } = await newStore(operations);
    operations.before = (name) => {
      if (name === 'rename') throw systemError('ENOSPC');
    };
    await expect(posts.create(note('No'), { slug: 'a', now })).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect((await posts.list({ limit: 5 })).items).toEqual([]);
    operations.before = () => undefined;
    expect((await posts.create(note('Yes'), { slug: 'a', now })).path).toBe('/posts/2026/11/a');
    expect(await check()).toEqual({ posts: 1, problems: [] });
  });
});

describe('a change', () => {
  test('is made at once or not at all', async () => {
    const { open, posts } = await newStore();
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
    expect((await open().get(path))?.properties.content).toEqual(['Old']);
    const changed = await posts.change(path, () => note('New'), { now: now + 1000 });
    expect(changed).toMatchObject({
      path,
      updatedAt: '2026-11-20T10:00:01.000Z',
      createdAt: '2026-11-20T10:00:00.000Z',
    });
    expect(await open().get(path)).toEqual(changed);
  });

  test('of many at once loses none', async () => {
    const { check, posts } = await newStore();
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
    expect(await check()).toEqual({ posts: 1, problems: [] });
  });

  test('of the slug moves the post, and the old paths lead to it', async () => {
    const { check, open, posts } = await newStore();
    const { path } = await posts.create(note('Hello'), { slug: 'a', now });
    await posts.change(path, (same) => same, { slug: 'b', now });
    const moved = await posts.change(path, () => note('Bye'), { slug: 'c', now });
    expect(moved).toMatchObject({ path: '/posts/2026/11/c', properties: { content: ['Bye'] } });
    for (const store of [posts, open()]) {
      expect(await store.get(path)).toBeUndefined();
      expect(await store.movedTo(path)).toBe(moved.path);
      expect(await store.movedTo('/posts/2026/11/b')).toBe(moved.path);
      expect(await store.movedTo(moved.path)).toBeUndefined();
      expect(pathsOf(await store.list({ limit: 5 }))).toEqual([moved.path]);
    }
    expect(await check()).toEqual({ posts: 1, problems: [] });
  });

  test('that asks for the slug of the create again moves nothing', async () => {
    const { posts } = await newStore();
    await posts.create(note('1'), { slug: 'a', now });
    const { path } = await posts.create(note('2'), { slug: 'a', now });
    expect((await posts.change(path, (same) => same, { slug: 'a', now })).path).toBe(path);
  });

  test('that deletes a post counts in lists, too, if it could be saved only once', async () => {
    const operations = watchedOperations();
    const { check, posts } = await newStore(operations);
    const { path } = await posts.create(note('Gone'), { slug: 'a', now });
    let saves = 0;
    operations.before = (name, paths) => {
      if (name === 'rename' && paths.at(-1)?.endsWith('a.json') === true) saves += 1;
      if (saves === 2) throw systemError('EIO');
    };
    await expect(posts.setDeleted(path, true, now)).rejects.toMatchObject({ code: 'storage_unwritable' });
    operations.before = () => undefined;
    expect((await posts.list({ limit: 5, filter: { deleted: false } })).items).toEqual([]);
    expect(await check()).toEqual({ posts: 1, problems: [] });
  });

  test('that is cut short between the two places of a move is finished at the next start', async () => {
    const operations = watchedOperations();
    const { check, open, posts } = await newStore(operations);
    const { path } = await posts.create(note('Hello'), { slug: 'a', now });
    let stopped = false;
    operations.before = (name, paths) => {
      // As after a kill: from the second document on nothing happens any more.
      stopped ||= name === 'write' && paths.some((file) => file.endsWith('a.json.tmp'));
      if (stopped) throw systemError('EIO');
    };
    await expect(posts.change(path, (same) => same, { slug: 'b', now })).rejects.toMatchObject({
      code: 'storage_unwritable',
    });
    operations.before = () => undefined;
    const next = open();
    expect(pathsOf(await next.list({ limit: 5 }))).toEqual(['/posts/2026/11/b']);
    expect(await next.movedTo(path)).toBe('/posts/2026/11/b');
    expect(await check()).toEqual({ posts: 1, problems: [] });
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

test('MP-51 deleting leaves a tombstone, and undeleting brings back what was there', async () => {
  const { open, posts } = await newStore();
  const post = await posts.create(note('Hello'), { slug: 'a', now });
  const deleted = await posts.setDeleted(post.path, true, now + 1000);
  expect(await posts.setDeleted(post.path, true, now + 9000)).toEqual(deleted);
  expect((await open().get(post.path))?.deletedAt).toBe('2026-11-20T10:00:01.000Z');
  expect((await open().list({ limit: 5 })).items).toEqual([]);
  expect((await open().list({ limit: 5, filter: { deleted: true } })).items).toEqual([deleted]);
  const back = await posts.setDeleted(post.path, false, now + 2000);
  expect(back).toEqual({ ...post, updatedAt: '2026-11-20T10:00:02.000Z' });
  expect((await open().list({ limit: 5 })).items).toEqual([back]);
});

test('the index is only derived: without it, or with nonsense in it, everything is listed as before', async () => {
  const { check, dir, open, posts, closeIndex } = await newStore();
  for (let index = 0; index < 40; index += 1) await posts.create(note(`Post ${index}`), { now: now + index });
  await posts.setDeleted('/posts/2026/11/post-7', true, now);
  await posts.change('/posts/2026/11/post-8', (same) => same, { slug: 'eight', now });
  const whole = await posts.list({ limit: 100 });
  expect(whole.items).toHaveLength(39);
  const file = join(dir, 'index.sqlite');
  const damages = [
    () => rm(file),
    () => truncate(file, 5000),
    () => writeFile(file, 'nonsense'.repeat(5000)),
    () => writeFile(file, ''),
  ];
  for (const damage of damages) {
    closeIndex();
    await damage();
    expect(await open().list({ limit: 100 })).toEqual(whole);
    expect(await check()).toEqual({ posts: 40, problems: [] });
  }
});

test('a comparison that is stopped rejects what waits for it, and gives no incomplete list', async () => {
  const { dir, open, posts, closeIndex } = await newStore();
  await posts.create(note('Hello'), { slug: 'a', now });
  closeIndex();
  await rm(join(dir, 'index.sqlite'));
  const again = open();
  const listed = again.list({ limit: 5 });
  const added = again.create(note('Second'), { slug: 'b', now });
  await Promise.all([again.close(), expect(listed).rejects.toThrow(), expect(added).rejects.toThrow()]);
  expect(pathsOf(await open().list({ limit: 5 }))).toEqual(['/posts/2026/11/a']);
});

test('documents that somebody edits or deletes while Porchlight is off are noticed at the next start', async () => {
  const { dir, open, posts, closeIndex } = await newStore();
  const { path } = await posts.create(note('Old words'), { slug: 'a', now });
  const file = join(dir, month, 'a.json');
  const found = async (text: string) =>
    pathsOf(await open().list({ limit: 5, filter: { text } })).length === 1;

  closeIndex();
  await writeFile(file, (await readFile(file, 'utf8')).replace('Old words', 'New words'));
  expect(await found('new')).toBe(true);
  expect(await found('old')).toBe(false);

  // The previous version of a deleted document doesn't come back.
  await open().change(path, () => note('Newer words'), { now });
  await rm(file);
  const last = open();
  expect(pathsOf(await last.soon.list({ limit: 5 }))).toEqual([]);
  expect(await last.get(path)).toBeUndefined();
  expect(pathsOf(await last.list({ limit: 5 }))).toEqual([]);
  expect((await last.create(note('Next'), { slug: 'a', now })).path).toBe('/posts/2026/11/a-2');
});

test('a row that cannot be written is written before the next list', async () => {
  const { check, posts, index } = await newStore();
  await posts.create(note('First'), { slug: 'a', now });
  vi.spyOn(index(), 'together').mockImplementationOnce(() => {
    throw new Error('database or disk is full');
  });
  await posts.create(note('Second'), { slug: 'b', now: now + 1 });
  expect(index().isTrusted(postTables)).toBe(false);
  expect(pathsOf(await posts.list({ limit: 5 }))).toEqual(['/posts/2026/11/b', '/posts/2026/11/a']);
  expect(await check()).toEqual({ posts: 2, problems: [] });
});

test('one document of a newer Porchlight hides itself only, and is left as it is', async () => {
  const { dir, open, posts } = await newStore();
  const { path } = await posts.create(note('Here'), { slug: 'here', now });
  const newer = '{"format":99,"post":null}';
  await mkdir(join(dir, '2026/12'));
  await writeFile(join(dir, '2026/12/newer.json'), newer);
  await writeFile(join(dir, month, 'newer.json'), newer);
  expect(pathsOf(await open().list({ limit: 5 }))).toEqual([path]);
  expect((await open().create(note('Mine'), { slug: 'newer', now })).path).toBe('/posts/2026/11/newer-2');
  expect(await readFile(join(dir, month, 'newer.json'), 'utf8')).toBe(newer);
});

test('asking for posts that are not there writes nothing', async () => {
  const { dir, posts } = await newStore();
  expect(await posts.get('/posts/2026/11/nothing')).toBeUndefined();
  expect(await posts.movedTo('/posts/2026/11/nothing')).toBeUndefined();
  expect(await posts.list({ limit: 5 })).toEqual({ items: [] });
  expect(await posts.categories()).toEqual([]);
  expect((await readdir(dir)).filter((name) => !name.startsWith('index.sqlite'))).toEqual([]);
});

test('a post from before posts named their app is of no known app, and is read as it was', async () => {
  const { dir, open, posts } = await newStore();
  const post = await posts.create(content({ content: ['old'] }, { visibility: 'private' }), { now });
  const file = join(dir, month, `${post.path.split('/').at(-1) ?? ''}.json`);
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"format":\s*2/, '"format": 1'));
  expect(await open().get(post.path)).toEqual(post);
  const readableBy = { app: 'https://app.example/', now };
  expect((await open().list({ limit: 5, filter: { readableBy } })).items).toEqual([]);
  const own = await posts.create(content({ content: ['new'] }, { status: 'draft' }), {
    now,
    createdBy: readableBy.app,
  });
  expect((await open().list({ limit: 5, filter: { readableBy } })).items).toEqual([own]);
});

test('edits that are kept while a row is missing or old bring the row up to date', async () => {
  const { posts, index, open } = await newStore();
  const text: PostText = {
    text: 'Edited',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  };
  const edits = { post: text, version: 'first', savedAt: '2026-11-20T11:00:00.000Z' };
  const { path, ...stored } = await posts.create(note('Hello'), { slug: 'a', now });
  const row = postIndex(index());
  row.remove({ month, slug: 'a' });
  await posts.keepEdits(path, edits);
  expect(pathsOf(await posts.list({ limit: 5 }))).toEqual([path]);

  row.put({ month, slug: 'a' }, 'old', { post: { ...stored, visibility: 'private' }, movedTo: null });
  await posts.keepEdits(path, edits);
  expect((await posts.list({ limit: 5 })).items).toMatchObject([{ visibility: 'public' }]);
  expect(await open().edits(path)).toEqual(edits);
});
