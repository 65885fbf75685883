import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { postMonths } from '../../../src-main/posts/post-months.ts';
import { month, newStore, note, now, pathsOf } from '../../support/post-folder.ts';

const wordsOf = ({ properties }: { properties: Record<string, readonly unknown[]> }) =>
  properties['content']?.[0];

async function editedByHand() {
  const store = await newStore();
  const { path } = await store.posts.create(note('Old words'), { slug: 'a', now });
  await store.posts.list({ limit: 1 });
  const file = join(store.dir, month, 'a.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('Old words', 'Words by hand'));
  return { ...store, path, file };
}

test('a post that somebody edits while Porchlight is on is shown as it is on disk', async () => {
  const { posts, path } = await editedByHand();
  expect(wordsOf((await posts.get(path))!)).toBe('Words by hand');
  expect((await posts.list({ limit: 1 })).items.map(wordsOf)).toEqual(['Words by hand']);
});

test('the text that a save would have overwritten becomes a version', async () => {
  const { posts, path, check } = await editedByHand();
  const seen: unknown[] = [];
  await posts.change(
    path,
    (content, before) => {
      seen.push(wordsOf(before));
      return { ...content, properties: { ...content.properties, content: ['New words'] } };
    },
    { now: now + 1 },
  );
  expect(seen).toEqual(['Words by hand']);
  expect((await posts.history(path)).map(({ content }) => wordsOf(content))).toEqual(['Words by hand']);
  expect(await check()).toEqual({ posts: 1, problems: [] });
});

test('a text that appears in the middle of a save becomes a version too', async () => {
  const { posts, path, file } = await editedByHand();
  const home = { url: 'https://owner.example/a/', file: 'a.md', former: [], written: {}, liveAt: null };
  await posts.setHome(path, () => {
    // The post has been read, and is about to be saved.
    return home;
  });
  const text = await readFile(file, 'utf8');
  const { writeFileSync } = await import('node:fs');
  await posts.change(
    path,
    (content) => {
      writeFileSync(file, text.replace('Words by hand', 'Words of the last moment'));
      return { ...content, properties: { ...content.properties, content: ['New words'] } };
    },
    { now: now + 1 },
  );
  const versions = (await posts.history(path)).map(({ content }) => wordsOf(content));
  expect(versions).toEqual(['Words of the last moment', 'Words by hand']);
  expect(wordsOf((await posts.get(path))!)).toBe('New words');
});

test('many documents are compared in a thread, which goes on where an earlier one was stopped', async () => {
  const { dir, posts, open, index, closeIndex, check } = await newStore();
  for (const published of ['2026-09-15', '2026-10-15', '2026-11-15'])
    await Promise.all(
      Array.from({ length: 100 }, (_, number) =>
        posts.create(note(`Words of ${number}`, `${published}T10:00:00Z`), { slug: `p-${number}`, now }),
      ),
    );
  await posts.close();
  closeIndex();
  await rm(join(dir, 'index.sqlite'));

  const stopped = open();
  while (postMonths(index()).missing().length !== 2) await new Promise((resolve) => setTimeout(resolve, 2));
  await stopped.close();
  const before = postMonths(index()).missing();
  expect(before).not.toContain('2026/11');
  closeIndex();

  const again = open();
  expect(pathsOf(await again.soon.list({ limit: 20 }))).toHaveLength(20);
  expect(pathsOf(await again.list({ limit: 400 }))).toHaveLength(300);
  expect(postMonths(index()).missing()).toEqual([]);
  expect(await check()).toEqual({ posts: 300, problems: [] });
});
