import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { damagePages } from '../support/damage.ts';
import { startPorchlight } from '../support/porchlight.ts';

const plain = { photos: [], categories: [], visibility: 'public' as const, status: 'published' as const };

async function makeNewer(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace(/"format": \d+/, '"format": 99'));
}

test('a post of a newer format costs its own page alone, which answers 503, and the status names its file', async () => {
  const first = await startPorchlight();
  const { dataDir } = first;
  await first.call('settings.update', { profile: { me: 'https://ada.example/' } });
  const posts = [];
  for (const content of ['One', 'Two']) posts.push(await first.call('posts.create', { ...plain, content }));
  const [one, two] = posts.map(({ url }) => new URL(url).pathname);
  await first.stop();
  const file = path.join(dataDir, `${one ?? ''}.json`);
  await makeNewer(file);

  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  const answer = await fetch(`${house.base}${one ?? ''}`, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(503);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  const page = await answer.text();
  expect(page).toContain('can’t be read at the moment');
  expect(page).not.toContain(dataDir);
  expect((await fetch(`${house.base}${two ?? ''}`)).status).toBe(200);
  expect((await fetch(`${house.base}/`)).status).toBe(200);
  const listed = await house.call('posts.list', {});
  expect(listed.items.map(({ url }) => new URL(url).pathname)).toContain(two);
  const { problems } = await house.call('status.get', {});
  expect(problems.map(({ message }) => message).join()).toContain(path.relative(dataDir, file));
});

test('a damaged index costs the lists until the next start, which makes it again, and the status says so', async () => {
  const first = await startPorchlight();
  const { dataDir } = first;
  await first.call('settings.update', { profile: { me: 'https://ada.example/' } });
  for (let number = 0; number < 30; number += 1)
    await first.call('posts.create', { ...plain, content: `Post ${number} `.padEnd(20_000, 'x') });
  await first.stop();
  await damagePages(path.join(dataDir, 'index.sqlite'));

  const damaged = await startPorchlight({ dataDir });
  expect((await fetch(`${damaged.base}/`)).status).toBe(503);
  await expect(damaged.call('posts.list', { limit: 50 })).rejects.toMatchObject({ code: 'storage_damaged' });
  const { problems } = await damaged.call('status.get', {});
  expect(problems).toContainEqual({
    code: 'storage_damaged',
    message: expect.stringContaining('Restart Porchlight') as string,
  });
  await damaged.stop();

  const house = await startPorchlight({ dataDir });
  onTestFinished(() => house.stop());
  expect((await house.call('posts.list', { limit: 50 })).items).toHaveLength(30);
  expect((await fetch(`${house.base}/`)).status).toBe(200);
  expect((await house.call('status.get', {})).problems).toEqual([]);
});
