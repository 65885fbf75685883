import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLog } from '../../../src-main/platform/log.ts';
import { startPorchlight } from '../../support/porchlight.ts';

test('a document of a newer version gets one line in the log, however often it is needed', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info' }, { write: (line) => void lines.push(line) });
  const first = await startPorchlight();
  const { dataDir } = first;
  onTestFinished(() => first.remove());
  const posts = await Promise.all(
    ['one', 'two'].map((text) =>
      first.call('posts.create', {
        text,
        status: 'published',
        visibility: 'public',
        categories: [],
        photos: [],
      }),
    ),
  );
  const { token } = await first.call('apps.issueToken', { label: 'Quill', scopes: ['create', 'update'] });
  await first.stop();
  const files = posts.map(({ path }) => join(dataDir, `${path}.json`));
  for (const file of files) {
    const text = await readFile(file, 'utf8');
    const newer = text.replace(/"format":\s*\d+/, '"format": 99');
    expect(newer).not.toBe(text);
    await writeFile(file, newer);
  }

  const house = await startPorchlight({ dataDir, log });
  onTestFinished(() => house.stop());
  const headers = { authorization: `Bearer ${token}` };
  for (let round = 0; round < 3; round += 1)
    for (const { path } of posts) {
      const source = `/micropub?q=source&url=${encodeURIComponent(house.base + path)}`;
      for (const address of [path, source])
        expect((await fetch(house.base + address, { headers })).status).toBe(503);
      await expect(house.call('posts.get', { url: house.base + path })).rejects.toMatchObject({
        code: 'storage_newer',
      });
    }
  expect(lines.filter((line) => line.includes('request failed'))).toEqual([]);
  for (const file of files) {
    const about = lines.filter((line) => line.includes(file));
    expect(about).toHaveLength(1);
    expect(about[0]).toContain('was written by a newer Porchlight (format 99;');
    expect(about[0]).not.toContain('stack');
  }
});
