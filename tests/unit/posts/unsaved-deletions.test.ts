import { beforeEach, expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { OwnerPostStore } from '../../../src-main/posts/micropub/owner-post-store.ts';
import { holdPostDeletions } from '../../../src-main/posts/unsaved-deletions.ts';
import { createEndings } from '../../../src-main/storage/endings.ts';
import type { IndexDatabase } from '../../../src-main/storage/index/index-database.ts';
import { createVersions } from '../../../src-main/storage/caches.ts';
import { content, everyPath, newStore, now, pathsOf } from '../../support/post-folder.ts';

let disk: { isFull: boolean };
let store: OwnerPostStore;
let posts: OwnerPostStore;
let endings: ReturnType<typeof createEndings>;
let paths: string[];
let index: IndexDatabase;
const saved = vi.fn();

beforeEach(async () => {
  disk = { isFull: false };
  const folder = await newStore();
  store = folder.posts;
  index = folder.index();
  endings = createEndings({ changed: () => undefined });
  saved.mockClear();
  const full: OwnerPostStore = {
    ...store,
    setDeleted: async (path, deleted, at) => {
      const isSame = ((await store.get(path))?.deletedAt === null) !== deleted;
      if (disk.isFull && !isSame) throw new PorchlightError('storage_full', 'Full.', 507);
      return store.setDeleted(path, deleted, at);
    },
  };
  posts = holdPostDeletions(full, { endings, versions: createVersions(), saved });
  paths = [];
  for (let number = 0; number < 6; number += 1) {
    const published = [`2026-11-1${number}T08:00:00Z`];
    const category = number === 3 ? ['rare', 'tea'] : ['tea'];
    const post = await posts.create(content({ content: [`Cup ${number}`], published, category }), {
      slug: `cup-${number}`,
      now,
    });
    paths.unshift(post.path); // newest first
  }
  disk.isFull = true;
});

const listed = (after: string[]) => paths.filter((path) => !after.includes(path));
const rare = () => paths[2] ?? '';

test('a deleted post is in no list, and pages stay full', async () => {
  const gone = [paths[0] ?? '', rare()];
  for (const path of gone) await posts.setDeleted(path, true, now);
  expect(await everyPath(posts, 2)).toEqual(listed(gone));
  expect(await everyPath(posts, 2, { category: 'tea' })).toEqual(listed(gone));
  expect(await everyPath(posts, 2, { category: 'rare' })).toEqual([]);
  expect((await posts.list({ limit: 2 })).items).toHaveLength(2);
  const last = await posts.list({ limit: 3, offset: 0 });
  const newer = await posts.list({ limit: 2, ...(last.after !== undefined && { before: last.after }) });
  expect(pathsOf(newer)).toEqual(listed(gone).slice(0, 2));
  expect(newer.before).toBeUndefined();
  expect(pathsOf(await posts.list({ limit: 10, filter: { deleted: true } })).sort()).toEqual(
    [...gone].sort(),
  );
  expect(pathsOf(await posts.list({ limit: 10, filter: { deleted: true, text: 'Cup 3' } }))).toEqual([
    rare(),
  ]);
  const pace = { step: () => Promise.resolve() };
  const search = { texts: ['cup'], limit: 10, now, pace };
  expect(pathsOf(await posts.search(search))).toEqual(listed(gone));
  expect(await posts.categories()).toEqual(['tea']);
  expect(await posts.sizes('category', now)).toEqual([{ name: 'tea', count: 4 }]);
  expect(await posts.sizes('month', now)).toEqual([{ name: '2026/11', count: 4 }]);
});

test('a deleted post cannot be changed, and is deleted on disk once there is room', async () => {
  const deleted = await posts.setDeleted(rare(), true, now);
  expect(deleted.deletedAt).toBe(new Date(now).toISOString());
  expect([await posts.get(rare()), posts.isSaved(rare())]).toEqual([deleted, false]);
  const edit = posts.change(rare(), (one) => one, { now });
  await expect(edit).rejects.toMatchObject({ code: 'invalid_request' });
  expect((await posts.setDeleted(rare(), true, now + 1000)).deletedAt).toBe(deleted.deletedAt);

  disk.isFull = false;
  expect(await endings.retry()).toBe(true);
  expect(await store.get(rare())).toEqual(deleted);
  expect(saved).toHaveBeenCalledExactlyOnceWith(deleted, expect.objectContaining({ deletedAt: null }));
});

test('a deletion that isn’t on disk is undone without the disk', async () => {
  await posts.setDeleted(rare(), true, now);
  expect((await posts.setDeleted(rare(), false, now)).deletedAt).toBeNull();
  expect(await everyPath(posts, 10)).toEqual(paths);
  disk.isFull = false;
  await endings.retry();
  expect((await store.get(rare()))?.deletedAt).toBeNull();
});

test('a deleted post is replaced only once its deletion is on disk, and the new one stays', async () => {
  await posts.setDeleted(rare(), true, now);
  const renewed = () => posts.renew(rare(), content({ content: ['New'] }), now);
  await expect(renewed()).rejects.toMatchObject({ code: 'storage_full' });
  disk.isFull = false;
  expect((await renewed())?.deletedAt).toBeNull();
  await endings.retry();
  expect((await posts.get(rare()))?.deletedAt).toBeNull();
});

test('a deletion that only the index lacks is left out of lists, and completed later', async () => {
  disk.isFull = false;
  const together = vi.spyOn(index, 'together').mockImplementation(() => {
    throw new PorchlightError('storage_full', 'Full.', 507);
  });
  await posts.setDeleted(rare(), true, now);
  expect(posts.isSaved(rare())).toBe(false);
  expect(await everyPath(posts, 10)).toEqual(listed([rare()]));
  expect(await endings.retry()).toBe(false);
  together.mockRestore();
  expect(await endings.retry()).toBe(true);
  expect(await everyPath(store, 10)).toEqual(listed([rare()]));
});
