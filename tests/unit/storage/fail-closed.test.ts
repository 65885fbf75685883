import { rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { newStoreWithFiles, note, now } from '../../support/post-folder.ts';

test.each([
  ['deleted', 'damaged'],
  ['deleted', 'gone'],
  ['private', 'damaged'],
  ['private', 'gone'],
] as const)('a post that is %s stays so when its file is %s', async (how, what) => {
  const { copies, fileOf, posts, reopened } = await newStoreWithFiles();
  const { path } = await posts.create(note('Secret'), { slug: 'secret', now });
  if (how === 'deleted') await posts.setDeleted(path, true, now);
  else await posts.change(path, (before) => ({ ...before, visibility: 'private' }), { now });
  await copies.settled();
  if (what === 'gone') await rm(fileOf(path));
  else await writeFile(fileOf(path), '{ "format": 1, "da');
  const again = await (await reopened()).posts.get(path);
  expect(again).toBeDefined();
  expect(again?.deletedAt === null && again.visibility === 'public').toBe(false);
});
