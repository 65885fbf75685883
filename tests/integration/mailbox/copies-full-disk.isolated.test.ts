import { expect, test, vi } from 'vitest';
import { addressOf, copiesScene } from '../../support/copies-scene.ts';

vi.mock('../../../src-main/http/app.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberApp(original),
);
vi.mock('../../../src-main/http/kept-answers.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberVersions(original),
);
vi.mock('../../../src-main/posts/stored-posts.ts', async (original) =>
  (await import('../../support/copied-site.ts')).rememberPosts(original),
);
vi.setConfig({ testTimeout: 540_000 });

const scene = copiesScene();

test('a deleted post leaves the mailbox even if the disk is too full to record that', async () => {
  const url = await scene.create({ content: ['Kettle'] });
  await scene.create({ content: ['Lamp'] });
  await scene.open();
  await scene.settled();
  scene.isDiskFull = true;
  await scene.act('delete', url);
  expect(scene.mailbox.gone).toContain(addressOf(url));
  const naming = [...scene.mailbox.copies.values()].filter(({ body }) =>
    Buffer.from(body).includes('Kettle'),
  );
  expect(naming).toEqual([]);
  scene.isDiskFull = false;
  scene.copies?.wake();
  await scene.settled();
});
