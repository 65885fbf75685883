import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import type { OwnerPostStore } from '../../../src-main/posts/micropub/owner-post-store.ts';
import type { ChangedPost, Within } from '../../../src-main/posts/post-store.ts';
import { createFollowing } from '../../../src-main/posts/following.ts';
import { openWork } from '../../../src-main/storage/work/work.ts';
import { silentLog } from '../../../src-main/platform/log.ts';
import type { Records } from '../../../src-main/storage/records/records.ts';
import { newStore, note, now } from '../../support/post-folder.ts';

const minute = 60_000;

/** A store of posts whose changes are followed, and another start on the same data. */
async function house(change: (posts: OwnerPostStore, records: Records) => OwnerPostStore = (posts) => posts) {
  const { posts: stored, records } = await newStore();
  const posts = change(stored, records);
  let time = now;
  const clock = () => time;
  const open = async () => {
    const follow = vi.fn((_change: ChangedPost) => Promise.resolve());
    const queue = await openWork({ records, now: clock, online: () => true, log: silentLog });
    const following = createFollowing({
      posts,
      work: queue,
      records,
      base: () => 'https://ada.example',
      now: clock,
      follow,
    });
    queue.start();
    return { follow, queue, ...following };
  };
  const one = await open();
  return {
    records,
    store: posts,
    one,
    pass: (ms: number) => void (time += ms),
    rows: () => records.rows(({ key }) => key, "SELECT key FROM work WHERE kind = 'follow-post'"),
    /** What follows after a kill of this process and another start. */
    afterKill: async () => {
      await one.queue.stop();
      time += minute;
      const next = await open();
      await vi.waitFor(() => expect(records.rows(({ key }) => key, 'SELECT key FROM work')).toEqual([]));
      await next.queue.stop();
      return next.follow.mock.calls
        .map(([change]) => change)
        .toSorted((a, b) => a.post.path.localeCompare(b.post.path));
    },
  };
}

test('a post that was created just before a kill is followed at the next start', async () => {
  const { one, rows, afterKill } = await house();
  const post = await one.posts.create(note('Hello.'), { now });
  expect(rows()).toEqual([post.path]);
  expect(await afterKill()).toMatchObject([{ change: 'created', post: { path: post.path } }]);
});

test('a change is followed with the content before it, and a deletion as one', async () => {
  const { one, store, afterKill } = await house();
  const { path } = await store.create(note('One.'), { now });
  const other = await store.create(note('Other.'), { now });
  await one.posts.change(path, () => note('Two.'), { now: now + 1 });
  await one.posts.setDeleted(other.path, true, now + 1);
  expect(await afterKill()).toMatchObject([
    {
      change: 'updated',
      post: { properties: { content: ['Two.'] } },
      before: { path, properties: { content: ['One.'] } },
    },
    { change: 'deleted', post: { path: other.path }, before: { deletedAt: null } },
  ]);
});

test('a change without an effect is not followed, and nothing is kept of one that fails at its end', async () => {
  const { one, store, rows, afterKill } = await house();
  const { path } = await store.create(note('One.'), { now });
  const no = new PorchlightError('invalid_request', 'No.');
  const within = () => {
    throw no;
  };
  await expect(one.posts.create(note('Never.'), { now, slug: 'never', within })).rejects.toBe(no);
  await expect(one.posts.change(path, () => note('Two.'), { now, within })).rejects.toBe(no);
  await expect(one.posts.setDeleted(path, true, now, within)).rejects.toBe(no);
  expect(rows()).toEqual([]);
  expect((await store.list({ limit: 9 })).items).toMatchObject([{ properties: { content: ['One.'] } }]);
  await one.posts.change(path, (same) => same, { now });
  expect(rows()).toEqual([path]);
  expect(await afterKill()).toEqual([]);
});

test('rows that a caller saves within a change are saved together with the intention', async () => {
  const { one, store, rows, records } = await house();
  const seen: unknown[] = [];
  const within: Within = ({ run }, { path, before }) => {
    seen.push([path, before?.properties.content]);
    run("INSERT INTO post_state VALUES ('rules', ?)", path);
  };
  const { path } = await one.posts.create(note('One.'), { now, within });
  expect(records.rows(({ value }) => value, 'SELECT value FROM post_state')).toEqual([path]);
  expect(rows()).toEqual([path]);
  await expect(one.posts.change(path, () => note('Two.'), { now, within })).rejects.toThrow('UNIQUE');
  expect(seen).toEqual([
    [path, undefined],
    [path, ['One.']],
  ]);
  expect((await store.get(path))?.properties.content).toEqual(['One.']);
});

test('a change that is made elsewhere is followed, too, if its transaction has the intention', async () => {
  const { one, store, afterKill } = await house();
  const { path } = await store.create(note('One.'), { now });
  await store.change(path, () => note('Two.'), { now: now + 1, within: one.intend });
  expect(await afterKill()).toMatchObject([
    { change: 'updated', before: { properties: { content: ['One.'] } } },
  ]);
});

test('a change that was followed leaves no intention, also if the post moved', async () => {
  const { one, store, rows, afterKill } = await house();
  const before = await store.create(note('One.'), { now, slug: 'one' });
  const post = await one.posts.change(before.path, () => note('Two.'), { now: now + 1, slug: 'two' });
  expect(post.path).not.toBe(before.path);
  await one.followed({ post, before, change: 'updated', url: '' });
  await vi.waitFor(() => expect(rows()).toEqual([]));
  expect(one.follow).toHaveBeenCalledOnce();
  expect(await afterKill()).toEqual([]);
});

test('a change that is refused leaves no intention', async () => {
  const { one, store, rows } = await house();
  const { path } = await store.create(note('One.'), { now });
  const no = new PorchlightError('invalid_request', 'No.');
  const refuse = () => {
    throw no;
  };
  await expect(one.posts.change(path, refuse, { now })).rejects.toBe(no);
  await vi.waitFor(() => expect(rows()).toEqual([]));
});

test('while another change of the same post is under way, the intention stays', async () => {
  const { one, store, rows, afterKill } = await house();
  const before = await store.create(note('One.'), { now });
  const first = await one.posts.change(before.path, () => note('Two.'), { now: now + 1 });
  await one.posts.change(before.path, () => note('Three.'), { now: now + 2 });
  await one.followed({ post: first, before, change: 'updated', url: '' });
  expect(rows()).toEqual([before.path]);
  expect(await afterKill()).toMatchObject([{ post: { properties: { content: ['Three.'] } } }]);
});

test('a change that follows another one before a kill leaves the older intention', async () => {
  const { one, afterKill } = await house();
  const { path } = await one.posts.create(note('One.'), { now });
  await one.posts.change(path, () => note('Two.'), { now: now + 1 });
  expect(await afterKill()).toMatchObject([
    { change: 'created', post: { properties: { content: ['Two.'] } } },
  ]);
});

test('a change that this process still follows is not followed a second time, however long that takes', async () => {
  const { one, pass, rows } = await house();
  const post = await one.posts.create(note('One.'), { now });
  pass(10 * minute);
  one.queue.wake();
  await one.queue.stop();
  expect(one.follow).not.toHaveBeenCalled();
  expect(rows()).toEqual([post.path]);
});

test('a transaction that is made again at another path leaves no intention at the first one', async () => {
  const { one, store, rows } = await house((posts, records) => ({
    ...posts,
    async create(content, options) {
      const taken = records.write((transaction) => {
        options.within?.(transaction, { path: '/posts/2026/11/taken' });
        throw new Error('taken');
      });
      await expect(taken).rejects.toThrow('taken');
      return posts.create(content, options);
    },
  }));
  const post = await one.posts.create(note('One.'), { now });
  expect(rows()).toEqual([post.path]);
  // Nothing seems to be under way there either.
  const before = await store.create(note('Other.'), { now, slug: 'taken' });
  const other = await one.posts.change(before.path, () => note('Two.'), { now: now + 1 });
  await one.followed({ post: other, before, change: 'updated', url: '' });
  await vi.waitFor(() => expect(rows()).toEqual([post.path]));
});

test('if the database accepts no writes, no post changes and none is deleted', async () => {
  const { one, store, records } = await house();
  const { path } = await store.create(note('One.'), { now });
  const full = new PorchlightError('storage_full', 'The disk is full.');
  const write = vi.spyOn(records, 'write').mockRejectedValue(full);
  await expect(one.posts.change(path, () => note('Two.'), { now })).rejects.toBe(full);
  await expect(one.posts.create(note('New.'), { now })).rejects.toBe(full);
  expect((await store.get(path))?.properties).toMatchObject({ content: ['One.'] });
  await expect(one.posts.setDeleted(path, true, now)).rejects.toBe(full);
  expect((await store.get(path))?.deletedAt).toBeNull();
  write.mockRestore();
  await store.setDeleted(path, true, now);
  vi.spyOn(records, 'write').mockRejectedValue(full);
  // The store knows a better reason than the full disk.
  await expect(one.posts.change(path, () => note('Two.'), { now })).rejects.toThrow('This post is deleted.');
});
