import { expect, test } from 'vitest';
import { PublishingTrouble } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { folderScene } from '../../../support/folder-scene.ts';
import { note, now } from '../../../support/post-folder.ts';

const minute = 60_000;
const day = 86_400_000;
const away = new PublishingTrouble('The git server doesn’t answer.');

/** A post whose push seemed to fail, and which the owner then deleted. Its page was never seen. */
async function withdrawn() {
  const scene = await folderScene(now);
  const { posts, queue, folder, after, start } = scene;
  start();
  folder.state.trouble = away;
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  folder.state.trouble = undefined;
  await posts.setDeleted(path, true, now + 1);
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  await after(10_000);
  expect(folder.files.size).toBe(0);
  return scene;
}

test('a push that arrives after its post was withdrawn is undone, although nobody has seen the page', async () => {
  const { folder, after, rows, live, site } = await withdrawn();
  const { length } = live;
  folder.files.set('notes/tea.md', 'Tea\n');
  await after(5 * minute);
  expect([...folder.files.keys()]).toEqual([]);
  expect(folder.history).toEqual([{ message: 'Remove notes/tea.md', files: ['notes/tea.md'] }]);
  expect(site.size).toBe(0);
  await after(minute);
  expect(live.length).toBe(length + 1);
  // After a day, no push is under way any more.
  for (let count = 0; count < 50; count += 1) await after(day / 20);
  expect(rows()).toEqual([]);
  expect(live.length).toBe(length + 1);
});

test('a push that outlives a killed Porchlight is undone by the next start', async () => {
  const { dataDir, stop, queue, rows, time } = await withdrawn();
  expect(rows()).toEqual(['publish posts:/posts/2026/11/tea watched']);
  // Nothing of this is left to do for the owner.
  expect(queue.list()).toEqual([]);
  expect(queue.has('posts', '/posts/2026/11/tea')).toBe(false);
  await stop();
  const next = await folderScene(time.now, dataDir);
  next.folder.files.set('notes/tea.md', 'Tea\n');
  next.start();
  await next.after(0);
  expect([...next.folder.files.keys()]).toEqual([]);
});

test('a file that the owner made in its place stays', async () => {
  const { folder, after, rows } = await withdrawn();
  folder.files.set('notes/tea.md', 'My own tea\n');
  for (let count = 0; count < 50; count += 1) await after(day / 20);
  expect(folder.files.get('notes/tea.md')).toBe('My own tea\n');
  expect(rows()).toEqual([]);
});

test('a post that was published without trouble needs no second look once it is withdrawn', async () => {
  const { posts, queue, folder, after, build, rows, start } = await folderScene(now);
  start();
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  build();
  await after(minute);
  await posts.setDeleted(path, true, now + 1);
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  build();
  await after(minute);
  expect(folder.files.size).toBe(0);
  expect(rows()).toEqual([]);
});

test('a push of the owner’s post that arrives during its next attempt is no conflict', async () => {
  const { posts, queue, folder, after, start } = await folderScene(now);
  start();
  folder.state.trouble = away;
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  folder.state.trouble = undefined;
  await posts.change(
    path,
    (content) => ({ ...content, properties: { ...content.properties, content: ['Green tea'] } }),
    { now: now + 1 },
  );
  let attempts = 0;
  folder.state.onWrite = () => {
    if ((attempts += 1) > 1) return;
    folder.files.set('notes/tea.md', 'Tea\n');
    throw new PublishingTrouble('notes/tea.md: somebody else changed this.', ['notes/tea.md']);
  };
  await queue.add([{ publisher: 'posts', key: path }]);
  await after(0);
  expect(queue.list()).toMatchObject([{ state: 'building' }]);
  expect(folder.files.get('notes/tea.md')).toBe('Green tea\n');
});
