import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { forgetPosts } from '../../bench/folders.ts';
import { patience } from '../../support/patience.ts';
import { startPorchlight } from '../../support/porchlight.ts';

/** A folder with three posts. A newer version wrote the files of the first two, and somebody edited the third. */
async function folderWithNewer() {
  const first = await startPorchlight();
  const { dataDir } = first;
  onTestFinished(() => first.remove());
  const posts = await Promise.all(
    ['one', 'two', 'three'].map((text) =>
      first.call('posts.create', {
        text,
        status: 'published',
        visibility: 'public',
        categories: [],
        photos: [],
      }),
    ),
  );
  const textOf = (path: string) => readFile(join(dataDir, `${path}.json`), 'utf8').catch(() => '');
  for (const { path } of posts) await expect.poll(() => textOf(path), patience).not.toBe('');
  await first.stop();
  const [one, two, three] = posts.map(({ path }) => path) as [string, string, string];
  for (const path of [one, two]) {
    const text = await textOf(path);
    const newer = text.replace(/"format":\s*\d+/, '"format": 99');
    expect(newer).not.toBe(text);
    await writeFile(join(dataDir, `${path}.json`), newer);
  }
  await writeFile(join(dataDir, `${three}.json`), (await textOf(three)).replace('three', 'by hand'));

  return { dataDir, newer: [one, two], edited: three };
}

test('files of posts that a newer version wrote are named, and the posts stay unchanged', async () => {
  const { dataDir, newer, edited } = await folderWithNewer();
  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  const found = () => house.call('posts.files', {});
  await expect.poll(async () => (await found()).changed, patience).toHaveLength(1);
  const { unreadable } = await found();
  expect(unreadable.map(({ file }) => `/posts/${file}`).sort()).toEqual(
    newer.map((path) => `${path}.json`).sort(),
  );
  for (const { reason } of unreadable) expect(reason).toContain('newer');
  for (const path of [...newer, edited]) expect((await fetch(house.base + path)).status).toBe(200);
});

test('files of posts that a newer version wrote do not keep the others from being read', async () => {
  const { dataDir, newer, edited } = await folderWithNewer();
  await forgetPosts(dataDir);
  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  expect(await (await fetch(house.base + edited)).text()).toContain('by hand');
  const { items } = await house.call('posts.list', {});
  expect(items.map(({ path }) => path)).toEqual([edited]);
  expect((await fetch(`${house.base}/`)).status).toBe(200);
  for (const path of newer) {
    const answer = await fetch(house.base + path, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const page = await answer.text();
    expect(page).toContain('can’t be read at the moment');
    expect(page).not.toContain(dataDir);
  }
});
