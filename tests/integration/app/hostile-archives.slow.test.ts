import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { hostileArchive, hostileArchives } from '../../support/hostile-archives.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';
import { sampleArchive } from '../../support/post-archives.ts';
import { rawZip } from '../../support/raw-zip.ts';

vi.setConfig({ testTimeout: 360_000 });

let house: Porchlight;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'porchlight-hostile-archives-'));
  house = await startPorchlight();
});
afterAll(async () => {
  await house.remove();
  await rm(folder, { recursive: true, force: true });
});

const check = (path: string) => house.call('posts.import', { path, format: 'auto', dryRun: true });

describe('a check of a hostile archive ends, names what it skips, and reads the rest', () => {
  test.each(hostileArchives)('$name', async (archive) => {
    const path = await hostileArchive(archive, folder);
    const { result } = archive;
    if ('error' in result) {
      await expect(check(path)).rejects.toMatchObject({ code: 'archive_broken', message: result.error });
      return;
    }
    const report = await check(path);
    expect(report.skipped.map(({ what, why }) => `${what}: ${why}`)).toEqual(result.skipped);
    expect(report.found).toBe(result.found);
  });
});

test('the server answers while a hostile archive is checked, and the check can be cancelled', async () => {
  await writeFile(join(folder, 'slow.md'), `---\n${'? '.repeat(400)}\n---\nWords`);
  let isOver = false;
  const checking = check(join(folder, 'slow.md')).then(
    () => 'checked',
    (error: unknown) => String(error),
  );
  void checking.then(() => (isOver = true));
  await vi.waitFor(() => expect(house.events.some(({ name }) => name === 'posts.importProgress')).toBe(true));
  for (let answers = 0; answers < 10; answers += 1) expect((await fetch(`${house.base}/`)).status).toBe(200);
  expect(isOver).toBe(false);
  expect(await house.call('posts.cancelImport', {})).toEqual({ cancelled: true });
  expect(await checking).toContain('Cancelled.');
});

test('an import skips a Markdown file that takes too long, and imports the others', async () => {
  const dir = await mkdtemp(join(folder, 'markdown-'));
  await writeFile(join(dir, 'a.md'), '---\ndate: 2020-01-01\n---\nBefore');
  await writeFile(join(dir, 'b.md'), `---\n${'? '.repeat(400)}\n---\nWords`);
  await writeFile(join(dir, 'c.md'), '---\ndate: 2020-01-02\n---\nAfter');
  const report = await house.call('posts.import', { path: dir, format: 'auto' });
  expect(report).toMatchObject({
    state: 'done',
    found: 3,
    imported: 2,
    skipped: [{ what: 'b.md', why: 'It takes too long to read.' }],
  });
});

test('a file that many posts show is added once, also when its name is repeated', async () => {
  const image = '<img src="/uploads/porch.png">';
  const item = (id: number) => ({
    id: `https://many.example/${id}`,
    content_html: `<p>Post ${id}</p>${image}${image}`,
    date_published: '2021-01-01T00:00:00Z',
  });
  const items = Array.from({ length: 40 }, (_, index) => item(index));
  const path = join(folder, 'many.zip');
  const content = await readFile(sampleArchive('microblog/uploads/2021/porch.png'));
  await writeFile(
    path,
    rawZip([
      { name: 'feed.json', content: JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items }) },
      { name: 'uploads/porch.png', content },
    ]),
  );
  const before = (await house.call('media.list', { limit: 500 })).items.length;
  const report = await house.call('posts.import', { path, format: 'auto' });
  expect(report).toMatchObject({ imported: 40, skipped: [] });
  const { items: files } = await house.call('media.list', { limit: 500 });
  expect(files).toHaveLength(before + 1);
  expect(await house.call('posts.undoImport', { id: report.id })).toMatchObject({ deleted: 40, files: 1 });
});

test('a placeholder for a file counts once, so that its URL can’t multiply', async () => {
  const item = {
    id: 'https://marks.example/1',
    content_html: `<img src="/uploads/a.png?${'a'.repeat(4000)}">${'porchlight-import:0 '.repeat(9000)}`,
    date_published: '2021-01-01T00:00:00Z',
  };
  const path = join(folder, 'marks.zip');
  await writeFile(
    path,
    rawZip([
      {
        name: 'feed.json',
        content: JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [item] }),
      },
      { name: 'uploads/a.png', content: 'no picture' },
    ]),
  );
  expect(await house.call('posts.import', { path, format: 'auto' })).toMatchObject({ imported: 1 });
  const [post] = (await house.call('posts.list', { limit: 1, query: 'porchlight' })).items;
  const source = await house.call('posts.source', { url: post?.url ?? '' });
  expect(source.text.length).toBeLessThan(200_000);
});
