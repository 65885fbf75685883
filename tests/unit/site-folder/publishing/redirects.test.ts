import { expect, test } from 'vitest';
import { createRedirectPublisher } from '../../../../src-main/site-folder/publishing/file-publisher.ts';
import { folderScene } from '../../../support/folder-scene.ts';
import { note, now } from '../../../support/post-folder.ts';

const minute = 60_000;

async function scene() {
  const made = await folderScene(now);
  const { posts, queue, folder } = made;
  queue.connect(
    createRedirectPublisher({
      target: () => folder.target,
      baseUrl: () => 'https://me.example/',
      formatOf: (file) => Promise.resolve(file === '_redirects' ? 'netlify' : undefined),
      async left() {
        const found = (await Promise.all((await posts.leftPages()).map((path) => posts.get(path)))).flatMap(
          (post) => (post?.home ? [{ ...post.home, isGone: post.deletedAt !== null }] : []),
        );
        return {
          moved: found.filter(({ isGone }) => !isGone),
          gone: found.filter(({ isGone }) => isGone),
        };
      },
    }),
  );
  made.start();
  return made;
}

test('a post that moved is redirected in the owner’s file, in a change of its own', async () => {
  const { posts, queue, folder, after, build } = await scene();
  folder.files.set('_redirects', '/mine /yours 301\n');
  const { path } = await posts.create(note('Tea'), { now, slug: 'tea' });
  const other = await posts.create(note('Fog'), { now, slug: 'fog' });
  await queue.add([path, other.path].map((key) => ({ publisher: 'posts', key })));
  await after(0);
  build();
  await after(minute);
  expect(await posts.leftPages()).toEqual([]);
  const moved = await posts.change(path, (content) => content, { now, slug: 'green-tea' });
  expect(await posts.leftPages()).toEqual([moved.path]);
  await queue.add([{ publisher: 'redirects', key: '_redirects' }]);
  await after(0);
  expect(folder.files.get('_redirects')?.split('\n').slice(1)).toEqual([
    '/notes/tea/ /notes/green-tea/ 301',
    '# Porchlight: end',
    '/mine /yours 301',
    '',
  ]);
  expect(folder.history.at(-1)).toEqual({
    message: 'List the pages that posts have left',
    files: ['_redirects'],
  });
  const { length } = folder.history;
  await queue.add([{ publisher: 'redirects', key: '_redirects' }]);
  await after(0);
  expect(folder.history).toHaveLength(length);
  expect(queue.list()).toEqual([]);

  // Both addresses of a deleted post are gone, until it is restored.
  await posts.setDeleted(moved.path, true, now);
  await queue.add([{ publisher: 'redirects', key: '_redirects' }]);
  await after(0);
  expect(folder.files.get('_redirects')?.split('\n').slice(1, 3)).toEqual([
    '/notes/green-tea/ /404.html 410',
    '/notes/tea/ /404.html 410',
  ]);
  await posts.setDeleted(moved.path, false, now);
  await queue.add([{ publisher: 'redirects', key: '_redirects' }]);
  await after(0);
  expect(folder.files.get('_redirects')).not.toContain('410');
});

test('a file that the owner removed stays removed', async () => {
  const { queue, folder, after } = await scene();
  await queue.add([{ publisher: 'redirects', key: '_redirects' }]);
  await after(0);
  expect(folder.files.size).toBe(0);
  expect(queue.list()).toEqual([]);
});
