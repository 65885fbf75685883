import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plainTarget, PublishingTrouble } from '../../../../src-main/site-folder/publishing/folder-target.ts';
import { folderScene } from '../../../support/folder-scene.ts';
import { note, now } from '../../../support/post-folder.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

/** Posts that are published to a folder on disk, without git. */
async function plainScene() {
  const dir = await temporaryFolder();
  const made = await folderScene(now);
  await writeFile(join(dir, 'hugo.toml'), '');
  made.folder.target = plainTarget(dir, { mayBeEmpty: false });
  made.start();
  return {
    ...made,
    dir,
    /** Creates posts, and queues them together. */
    post: async (...slugs: string[]): Promise<string[]> => {
      const paths = [];
      for (const slug of slugs)
        paths.push((await made.posts.create(note(slug), { now: made.time.now, slug })).path);
      await made.queue.add(paths.map((key) => ({ publisher: 'posts', key })));
      return paths;
    },
    states: () =>
      made.queue
        .list()
        .map(({ key, state }) => `${key.split('/').at(-1)} ${state}`)
        .sort(),
  };
}

test('a post whose path leads through a symlink waits as a conflict, and the other posts go out', async () => {
  const { dir, post, media, after, states, items, queue, posts } = await plainScene();
  const video = join(await temporaryFolder(), 'video.mp4');
  await writeFile(video, 'video');
  await symlink(await temporaryFolder(), join(dir, 'media'));
  const [sun = ''] = await post('sun');
  await after(0);
  await posts.setDeleted(sun, true, now + 1);
  media.set('/posts/2026/11/fog', video);
  await queue.add([{ publisher: 'posts', key: sun }]);
  await post('fog', 'tea');
  await after(0);
  await after(0);
  expect(states()).toEqual(['fog conflict', 'tea building']);
  expect(items().find(({ state }) => state === 'conflict')?.words).toContain('is a symlink');
  expect(await readdir(join(dir, 'notes'))).toContain('tea.md');
  expect(await readdir(join(dir, 'notes'))).not.toContain('sun.md');
});

test('a post whose file differs only by case from a file of the owner waits as a conflict', async () => {
  const { dir, post, after, states } = await plainScene();
  await mkdir(join(dir, 'notes'));
  await writeFile(join(dir, 'notes', 'Fog.md'), 'Mine');
  await post('fog', 'tea');
  await after(0);
  await after(0);
  expect(states()).toEqual(['fog conflict', 'tea building']);
  expect((await readdir(join(dir, 'notes'))).sort()).toEqual(['Fog.md', 'tea.md']);
  expect(await readFile(join(dir, 'notes', 'Fog.md'), 'utf8')).toBe('Mine');
});

test('a folder that is missing is no conflict: all posts wait for it', async () => {
  const { dir, post, after, states } = await plainScene();
  await rm(dir, { recursive: true });
  await post('fog', 'tea');
  await after(0);
  expect(states()).toEqual(['fog waiting', 'tea waiting']);
});

test('a name that the folder refuses concerns only its own post', async () => {
  const { folder, post, after, states } = await plainScene();
  const { target } = folder;
  folder.target = {
    ...target,
    // Like git, which refuses to look for such a name.
    hashes: (files) =>
      files.includes('notes/fog.md')
        ? Promise.reject(new PublishingTrouble('“notes/fog.md” isn’t a file.', ['notes/fog.md']))
        : target.hashes(files),
  };
  await post('fog', 'tea');
  await after(0);
  await after(0);
  expect(states()).toEqual(['fog conflict', 'tea building']);
});

test('an empty folder is a disk that is not connected: nothing is written to it', async () => {
  const { dir, post, after, states, items, queue } = await plainScene();
  await rename(join(dir, 'hugo.toml'), join(dir, '.hidden'));
  await post('fog');
  await after(0);
  expect(await readdir(dir)).toEqual(['.hidden']);
  expect(states()).toEqual(['fog waiting']);
  expect(items()[0]?.words).toContain('is empty. If your site is on another disk, connect the disk.');
  await rename(join(dir, '.hidden'), join(dir, 'hugo.toml'));
  await queue.retry(undefined, false);
  await after(0);
  expect(await readdir(join(dir, 'notes'))).toEqual(['fog.md']);
});

test('a folder for a custom generator may be empty', async () => {
  const dir = await temporaryFolder();
  const files = new Map([['fog.md', { text: 'Fog' }]]);
  await plainTarget(dir, { mayBeEmpty: true }).write([{ files, message: '' }]);
  expect(await readdir(dir)).toEqual(['fog.md']);
});
