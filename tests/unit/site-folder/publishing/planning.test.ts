import { expect, test, vi } from 'vitest';
import { PorchlightError } from '../../../../src-main/contract/error.ts';
import { silentLog } from '../../../../src-main/platform/log.ts';
import { createPlanning } from '../../../../src-main/site-folder/publishing/planning.ts';
import type { PublishingOrder } from '../../../../src-main/site-folder/publishing/publishing-queue.ts';
import { folderScene } from '../../../support/folder-scene.ts';
import { note, now } from '../../../support/post-folder.ts';

const minute = 60_000;

async function scene() {
  const made = await folderScene(now);
  made.start();
  const changed = vi.fn();
  const disk: { trouble: Error | undefined } = { trouble: undefined };
  const planning = createPlanning({
    queue: {
      has: (publisher, key) => made.queue.has(publisher, key),
      add: (orders: readonly PublishingOrder[]) =>
        disk.trouble ? Promise.reject(disk.trouble) : made.queue.add(orders),
    },
    behind: () => made.posts.behind(),
    isOn: () => made.isOn.value,
    changed,
    log: silentLog,
  });
  return {
    ...made,
    planning,
    changed,
    disk,
    /** Publishes everything, and waits until it is live. */
    settle: async () => {
      await made.after(0);
      made.build();
      await made.after(minute);
      expect(made.queue.list()).toEqual([]);
    },
  };
}

test('posts that were saved, changed or deleted without being planned are published at the next start', async () => {
  const { posts, planning, queue, folder, settle, live } = await scene();
  const paths: string[] = [];
  for (const slug of ['new', 'changed', 'deleted', 'hidden', 'same'])
    paths.push((await posts.create(note(slug), { now, slug })).path);
  const [, changed = '', deleted = '', hidden = ''] = paths;
  await queue.add(paths.slice(1).map((key) => ({ publisher: 'posts', key })));
  await settle();
  expect(await posts.behind()).toEqual([paths[0]]);
  const later = now + 1;
  await posts.change(
    changed,
    (content) => ({ ...content, properties: { ...content.properties, content: ['Changed'] } }),
    { now: later },
  );
  await posts.change(hidden, (content) => ({ ...content, visibility: 'private' }), { now: later });
  await posts.setDeleted(deleted, true, later);
  await planning.catchUp();
  expect(
    queue
      .list()
      .map(({ key }) => key)
      .sort(),
  ).toEqual(paths.slice(0, 4).sort());
  await settle();
  expect(Object.fromEntries(folder.files)).toEqual({
    'notes/new.md': 'new\n',
    'notes/changed.md': 'Changed\n',
    'notes/same.md': 'same\n',
  });
  expect(folder.history.at(-1)?.message).toBe('Publish 4 posts');
  expect(live.at(-1)?.quiet).toBe(true);
  expect(await posts.behind()).toEqual([]);
  await planning.catchUp();
  expect(queue.list()).toEqual([]);
});

test('a change that leaves the files unchanged is compared once', async () => {
  const { posts, planning, queue, folder, settle } = await scene();
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  await queue.add([{ publisher: 'posts', key: path }]);
  await settle();
  await posts.change(path, (content) => ({ ...content, visibility: 'unlisted' }), { now: now + 1 });
  await planning.catchUp();
  expect(queue.list()).toHaveLength(1);
  await settle();
  expect(folder.history).toHaveLength(1);
  expect(await posts.behind()).toEqual([]);
});

test('nothing is planned while publishing is off, and waiting entries stay', async () => {
  const { posts, planning, queue, isOn, after } = await scene();
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  isOn.value = false;
  await planning.catchUp();
  expect(queue.list()).toEqual([]);
  await queue.add([{ publisher: 'posts', key: path }]);
  isOn.value = true;
  const before = queue.list();
  await planning.catchUp();
  await after(0);
  expect(before[0]).not.toHaveProperty('quiet');
  expect(queue.list()[0]).not.toHaveProperty('quiet');
});

test('the owner sees that a change could not be planned, until it is', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { posts, planning, queue, disk, changed } = await scene();
    const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
    disk.trouble = new PorchlightError('storage_full', 'The disk is full.', 507);
    await expect(planning.plan([{ publisher: 'posts', key: path }])).rejects.toThrow('The disk is full.');
    expect(planning.trouble()).toBe('The disk is full.');
    expect(changed).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(minute);
    expect(planning.trouble()).toBe('The disk is full.');
    disk.trouble = undefined;
    await vi.advanceTimersByTimeAsync(minute);
    vi.useRealTimers();
    await vi.waitUntil(() => planning.trouble() === undefined, { timeout: 90_000 });
    expect(queue.list().map(({ key }) => key)).toEqual([path]);
    expect(changed).toHaveBeenCalledTimes(2);
    planning.stop();
  } finally {
    vi.useRealTimers();
  }
});
