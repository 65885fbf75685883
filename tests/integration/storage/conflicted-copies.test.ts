import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { startPorchlight } from '../../support/porchlight.ts';

test('other versions of a post’s file that a synchronizing program kept are named, and are no posts', async () => {
  const house = await startPorchlight();
  onTestFinished(() => house.remove());
  const { path: at } = await house.call('posts.create', {
    text: 'Dinner',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
    slug: 'dinner',
  });
  const { dataDir } = house;
  const file = path.join(dataDir, `${at}.json`);
  const textOf = () => readFile(file, 'utf8').catch(() => '');
  await expect.poll(textOf, patience).not.toBe('');
  await house.stop();
  const text = await textOf();
  const names = [
    'dinner (Ada’s conflicted copy 2026-11-21).json',
    'dinner 2.json',
    'dinner-DESKTOP-4F2A.json',
  ];
  for (const name of names) await writeFile(path.join(path.dirname(file), name), text);
  const again = await startPorchlight({ dataDir });
  onTestFinished(() => again.stop());
  const found = async () =>
    (await again.call('status.get', {})).problems.find(({ code }) => code === 'conflicted_copies')?.message ??
    '';
  await expect.poll(found, patience).not.toBe('');
  for (const name of names) expect(await found()).toContain(`“${path.dirname(at).slice(1)}/${name}”`);
  expect((await again.call('posts.list', {})).items).toHaveLength(1);
});
