import { expect, test } from 'vitest';
import { createImportRecords } from '../../../src-main/importing/import-records.ts';
import { recordsIn } from '../../support/records-in.ts';

const moment = '2026-11-22T10:00:00.000Z';

async function scene() {
  const records = await recordsIn();
  const imports = createImportRecords(records, () => Date.parse(moment));
  const first = imports.of('first');
  await first.begin('/archive.zip', 'mastodon', false);
  type Run = typeof first;
  const post = (run: Run, key: string, path: string, at: string) =>
    records.write((transaction) => run.post(transaction, key, path, at));
  return { imports, first, post };
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

test('the additions of a run are read in the order in which they were recorded, even if there are many', async () => {
  const { imports, first, post } = await scene();
  const paths = Array.from({ length: 1203 }, (_, at) => `/posts/${1203 - at}`);
  await Promise.all(paths.map((path, at) => post(first, `key ${at}`, path, moment)));
  await first.file('key 0', 'hash', '/media/a.png');
  expect((await all(imports.items('first', 'post'))).map(({ place }) => place)).toEqual(paths);
  expect((await all(imports.items('first', 'file'))).map(({ place }) => place)).toEqual(['/media/a.png']);
  expect(imports.find('first')).toMatchObject({ posts: 1203, files: 1, mentions: 0, pages: 0 });
});

test('an item that a run records again is replaced, and counts once', async () => {
  const { imports, first, post } = await scene();
  await post(first, 'key', '/posts/one', moment);
  await post(first, 'key', '/posts/two', moment);
  expect(imports.recorded().post('key')).toEqual({ path: '/posts/two', createdAt: moment });
  expect(imports.find('first')).toMatchObject({ posts: 1 });
});

test('an import does not see records from after its beginning', async () => {
  const { imports, first, post } = await scene();
  await post(first, 'early', '/posts/early', moment);
  const recorded = imports.recorded();
  await post(first, 'late', '/posts/late', moment);
  await first.file('early', 'hash', '/media/a.png');
  expect(recorded.post('early')).toBeDefined();
  expect(recorded.post('late')).toBeUndefined();
  expect(recorded.fileOfAny('hash')).toBeUndefined();
  expect(imports.recorded().fileOfAny('hash')).toBe('/media/a.png');
});

test('the newest record of a key counts, and a file is found for one run or for any', async () => {
  const { imports, first, post } = await scene();
  const second = imports.of('second');
  await second.begin('/other.zip', 'mastodon', false);
  await post(first, 'key', '/posts/one', moment);
  await first.file('key', 'hash', '/media/one.png');
  await first.undone('key', moment);
  await post(second, 'key', '/posts/two', moment);
  await second.file('key', 'hash', '/media/two.png');
  const recorded = imports.recorded();
  expect(recorded.post('key')?.path).toBe('/posts/two');
  expect(recorded.undone('key')).toBe(moment);
  expect(recorded.fileOfAny('hash')).toBe('/media/two.png');
  expect(recorded.fileOfAny('hash', 'first')).toBe('/media/one.png');
  expect(recorded.mention('key')).toBeUndefined();
});

test('only a run of the same archive that did not finish is continued', async () => {
  const { imports, first } = await scene();
  expect(imports.begun('/archive.zip', 'mastodon')?.id).toBe('first');
  expect(imports.begun('/archive.zip', 'twitter')).toBeUndefined();
  expect(imports.begun('/other.zip', 'mastodon')).toBeUndefined();
  await first.end('cancelled');
  expect(imports.begun('/archive.zip', 'mastodon')?.id).toBe('first');
  for (const ended of ['done', 'undone'] as const) {
    await first.end(ended);
    expect(imports.begun('/archive.zip', 'mastodon')).toBeUndefined();
  }
  expect(imports.list()).toMatchObject([{ id: 'first', state: 'undone', format: 'mastodon' }]);
});
