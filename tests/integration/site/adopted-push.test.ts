import { rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeBackTo } from '../../../src-main/site/adopted/write-back.ts';
import { gitTarget } from '../../../src-main/site/publishers/git-target.ts';
import { gitScene, posting, toOrigin } from '../../support/git-scene.ts';

test('an edit of an older post that can’t be pushed is refused as a whole, and arrives when it is repeated', async () => {
  const scene = await gitScene();
  const git = scene.open();
  const target = () => Promise.resolve(gitTarget(git, { ...toOrigin, push: true }));
  await git.list(toOrigin);
  const edit = { file: 'content/about.md', before: 'About\n', after: 'About me\n', message: 'Update' };
  await rename(scene.remote, `${scene.remote}.away`);
  await expect(writeBackTo(target, edit)).rejects.toMatchObject({ status: 503 });
  await rename(`${scene.remote}.away`, scene.remote);
  // The app was told that nothing has changed, so nothing of it goes out with the next post.
  await git.publish([posting({ 'content/posts/one.md': 'One\n' })], toOrigin);
  expect(await scene.published(edit.file)).toBe('About\n');
  expect(await scene.view()).toBe('\n\n');

  await writeBackTo(target, edit);
  await writeBackTo(target, edit);
  expect(await scene.published(edit.file)).toBe('About me\n');
  expect(await scene.in(scene.remote, 'log', '--format=%s', 'main')).toBe('Update\nPost\nStart\n');
  await scene.check();
});
