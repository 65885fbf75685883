import {
  appendFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { mediaTables } from '../../../src-main/media/media-index.ts';
import type { MediaFile, MediaStore } from '../../../src-main/media/media-store.ts';
import type { IndexDatabase } from '../../../src-main/storage/index/index-database.ts';
import { watchUnreadable } from '../../../src-main/storage/unreadable-files.ts';
import { fileNameOf, mediaTablesIn, newMediaStore, pngOf, streamOf } from '../../support/media-folder.ts';
import { systemError, temporaryFolder } from '../../support/storage-folder.ts';

const listed = async (store: MediaStore) => (await store.list({ limit: 1000 })).items;

/** Adds seven files of two months, and deletes one of them. */
async function filledStore() {
  const media = await newMediaStore();
  const { store, clock } = media;
  const files: MediaFile[] = [];
  for (let number = 0; number < 7; number += 1) {
    clock.now = Date.parse(number < 3 ? '2026-10-05T10:00:00Z' : '2026-11-20T10:00:00Z') + number;
    files.push(
      await store.add(streamOf(number % 2 === 0 ? pngOf() : `text ${number}`), { name: `n${number}` }),
    );
  }
  const [deleted] = files.splice(5, 1);
  await store.delete(deleted?.path ?? '');
  return { ...media, deleted: deleted as MediaFile, files: files.reverse() };
}

type Filled = Awaited<ReturnType<typeof filledStore>>;
const journal = (dir: string, month = '2026/11') => join(dir, month, 'index.jsonl');

describe('the index of files', () => {
  /** Uses a folder with an index in a file, ends in one of two ways, changes something, and opens both again. */
  async function reopened(
    damage: (paths: Filled & { indexFile: string }) => Promise<unknown>,
    { isClean = true } = {},
  ) {
    const filled = await filledStore();
    const indexFile = join(await temporaryFolder(), 'index.sqlite');
    const before = mediaTablesIn(indexFile);
    const first = filled.open(before);
    expect(await listed(first)).toEqual(filled.files);
    await first.close();
    if (!isClean) before.setTrusted(mediaTables, false);
    before.close();
    await damage({ ...filled, indexFile });
    const index = mediaTablesIn(indexFile);
    expect(index.isTrusted(mediaTables)).toBe(isClean);
    const store = filled.open(index);
    return { ...filled, index, store, now: await listed(store) };
  }

  const matches = async (dir: string, index: IndexDatabase) =>
    expect((await checkMedia(dir, index)).problems).toEqual([]);

  test.each([
    ['was closed', () => Promise.resolve(), { isClean: true }],
    ['was not closed', () => Promise.resolve(), { isClean: false }],
    ['is missing', ({ indexFile }: { indexFile: string }) => rm(indexFile), { isClean: false }],
    [
      'is damaged',
      ({ indexFile }: { indexFile: string }) => writeFile(indexFile, 'not a database'),
      { isClean: false },
    ],
  ])('gives the same lists if it %s', async (_what, damage, how) => {
    const { dir, files, deleted, index, store, now, warnings, recoveries } = await reopened(damage, how);
    expect(now).toEqual(files);
    expect(await store.isDeleted(deleted.path)).toBe(true);
    expect([...warnings, ...recoveries]).toEqual([]);
    expect(index.isTrusted(mediaTables)).toBe(true);
    await matches(dir, index);
  });

  test('catches up with a line whose row a kill prevented', async () => {
    const { files, deleted, now, dir, index, store } = await reopened(
      async ({ dir: folder, files: [first], deleted: gone }) => {
        const line = JSON.stringify({
          ...first,
          path: first?.path.replace(/-n6/, '-later'),
          name: 'later.png',
        });
        await writeFile(join(folder, '2026/11', fileNameOf(first!).replace('-n6', '-later')), pngOf());
        await appendFile(journal(folder), `${line}\n`);
        expect(await readFile(journal(folder), 'utf8')).toContain(gone.path);
      },
      { isClean: false },
    );
    expect(now).toHaveLength(files.length + 1);
    expect(now.map(({ name }) => name)).toContain('later.png');
    expect(await store.isDeleted(deleted.path)).toBe(true);
    await matches(dir, index);
  });

  test('gets a file whose line a kill prevented, and the journal gets its line', async () => {
    const { dir, files, now, index, open } = await reopened(
      ({ dir: folder }) => writeFile(join(folder, '2026/11', `${'b'.repeat(22)}-found.txt`), 'words'),
      { isClean: false },
    );
    expect(now.map(({ name }) => name).sort()).toEqual(
      [...files.map(({ name }) => name), 'found.txt'].sort(),
    );
    expect(await readFile(journal(dir), 'utf8')).toContain('-found.txt');
    await matches(dir, index);
    expect(await listed(open())).toEqual(now);
  });

  test('completes a deletion that a kill interrupted before the row and before the file', async () => {
    const { dir, files, now, index, store } = await reopened(
      ({ dir: folder, files: [first] }) =>
        appendFile(journal(folder), `${JSON.stringify({ path: first?.path, deleted: true })}\n`),
      { isClean: false },
    );
    expect(now).toEqual(files.slice(1));
    expect(await store.isDeleted(files[0]?.path ?? '')).toBe(true);
    expect(await readdir(join(dir, '2026/11'))).not.toContain(fileNameOf(files[0]!));
    await matches(dir, index);
  });

  test('follows files that came and went while Porchlight was killed, and a month that is gone', async () => {
    const { dir, files, now, store, index, open } = await reopened(
      async ({ dir: folder, files: [first] }) => {
        await rm(join(folder, '2026/11', fileNameOf(first!)));
        await rm(join(folder, '2026/10'), { recursive: true });
      },
      { isClean: false },
    );
    const [first, ...others] = files;
    expect(now).toEqual(others.filter(({ path }) => path.includes('/2026/11/')));
    expect(await store.isDeleted(first!.path)).toBe(true);
    await writeFile(join(dir, '2026/11', fileNameOf(first!)), pngOf());
    index.setTrusted(mediaTables, false);
    expect(await open(index).get(first!.path)).toEqual(first);
    await matches(dir, index);
  });

  test('follows a journal that another program changed, even after a clean end', async () => {
    const { files, now } = await reopened(async ({ dir, files: [first] }) => {
      const text = await readFile(journal(dir), 'utf8');
      await writeFile(journal(dir), text.replace(`"name":"${first?.name}"`, '"name":"renamed.png"'));
    });
    expect(now).toEqual([{ ...files[0], name: 'renamed.png' }, ...files.slice(1)]);
  });

  test('ignores a line that a kill cut off, and the next line takes its place', async () => {
    const { dir, files, now, index, store, recoveries } = await reopened(
      ({ dir: folder }) => appendFile(journal(folder), '{"path":"/media/2026/11/torn'),
      { isClean: false },
    );
    expect(now).toEqual(files);
    expect(recoveries).toEqual([]);
    await store.add(streamOf('more'), {});
    expect(await readFile(journal(dir), 'utf8')).not.toContain('torn');
    await matches(dir, index);
  });

  test('is compared with journals and files by --check, which reports differences', async () => {
    const { dir, index } = await reopened(() => Promise.resolve());
    index.run('UPDATE media SET kind = ? WHERE name = ?', 'audio', 'n3.txt');
    expect((await checkMedia(dir, index)).problems).toEqual([
      expect.stringContaining('The index of files differs from the documents, first at /media/2026/11/'),
    ]);
  });

  test('is not trusted after a file could not be removed, so the next start removes the file', async () => {
    const { dir, files, index, store, warnings, open } = await reopened(() => Promise.resolve());
    const path = join(dir, '2026/11', fileNameOf(files[0]!));
    // A folder in the file's place cannot be removed as a file.
    await rename(path, `${path}.aside`);
    await mkdir(path);
    await store.delete(files[0]!.path);
    expect(warnings).toHaveLength(1);
    expect(index.isTrusted(mediaTables)).toBe(false);
    await rm(path, { recursive: true });
    await rename(`${path}.aside`, path);
    expect(await listed(open(index))).toEqual(files.slice(1));
    expect(await readdir(join(dir, '2026/11'))).not.toContain(fileNameOf(files[0]!));
  });
});

test('an index that cannot be written fails no change, because the rows follow from the journal', async () => {
  const { dir, open } = await newMediaStore();
  const index = mediaTablesIn();
  let isFull = false;
  const failing: IndexDatabase = {
    ...index,
    together(work) {
      if (isFull) throw new Error('database or disk is full');
      return index.together(work);
    },
  };
  const store = open(failing);
  const [kept, deleted] = [await store.add(streamOf('a'), {}), await store.add(streamOf('b'), {})];
  isFull = true;
  const added = await store.add(streamOf('c'), {});
  expect(index.isTrusted(mediaTables)).toBe(false);
  isFull = false;
  expect((await listed(store)).map(({ path }) => path).sort()).toEqual(
    [kept, deleted, added].map(({ path }) => path).sort(),
  );
  isFull = true;
  await store.delete(deleted.path);
  expect(index.isTrusted(mediaTables)).toBe(false);
  isFull = false;
  expect(await store.isDeleted(deleted.path)).toBe(true);
  expect(await store.get(deleted.path)).toBeUndefined();
  expect(await checkMedia(dir, index)).toEqual({ files: 2, problems: [] });
  expect(index.isTrusted(mediaTables)).toBe(true);
});

test('files whose lines were lost are listed while the disk is full, and get their lines afterwards', async () => {
  const { dir, files, open: reopen } = await filledStore();
  const [first = ''] = (await readFile(journal(dir), 'utf8')).split('\n');
  await writeFile(journal(dir), `${first}\n`);
  const handle = await open(journal(dir, '2026/10'), 'r');
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  // Nothing is written, so the journal's size and time stay the same.
  const failing = [vi.spyOn(methods, 'write'), vi.spyOn(methods, 'truncate')];
  for (const method of failing) method.mockRejectedValue(systemError('ENOSPC'));
  onTestFinished(() => void vi.restoreAllMocks());
  const index = mediaTablesIn();
  const store = reopen(index);
  const paths = (list: readonly MediaFile[]) => list.map(({ path }) => path).sort();
  expect(paths(await listed(store))).toEqual(paths(files));
  expect(index.isTrusted(mediaTables)).toBe(false);
  await expect(store.delete(files[0]!.path)).rejects.toMatchObject({ code: 'storage_full', status: 507 });
  vi.restoreAllMocks();
  expect((await store.delete(files[0]!.path)).path).toBe(files[0]!.path);
  expect(await checkMedia(dir, index)).toEqual({ files: 5, problems: [] });
  expect(paths(await listed(reopen()))).toEqual(paths(files.slice(1)));
});

describe('while the index is built', () => {
  test('lists wait for all files, and other work goes on', async () => {
    const { store, dir, open } = await newMediaStore();
    const sample = await store.add(streamOf('words'), { name: 'x' });
    const count = 3000;
    const lines = Array.from({ length: count }, (_, number) => {
      const path = `/media/2026/09/${String(number).padStart(22, '0')}-x.txt`;
      return JSON.stringify({ ...sample, path, uploadedAt: '2026-09-01T00:00:00.000Z' });
    });
    await mkdir(join(dir, '2026/09'), { recursive: true });
    await writeFile(journal(dir, '2026/09'), `${lines.join('\n')}\n`);
    for (let number = 0; number < count; number += 1)
      await writeFile(join(dir, '2026/09', `${String(number).padStart(22, '0')}-x.txt`), 'words');

    const progress = { isBuilt: false, turns: 0 };
    const next = open();
    const list = next.list({ limit: 5000 }).finally(() => (progress.isBuilt = true));
    const added = next.add(streamOf('more'), { name: 'new' });
    while (!progress.isBuilt) {
      await setImmediate();
      progress.turns += 1;
    }
    expect((await list).items.length).toBeGreaterThanOrEqual(count + 1);
    expect(progress.turns).toBeGreaterThan(count / 50);
    expect(await next.get((await added).path)).toEqual(await added);
    expect(await listed(next)).toHaveLength(1000);
  });

  test('the store can be closed, and the next start continues', async () => {
    const { open, files, dir } = await filledStore();
    const indexFile = join(await temporaryFolder(), 'index.sqlite');
    const index = mediaTablesIn(indexFile);
    const store = open(index);
    await store.close();
    await expect(store.add(streamOf('words'), {})).rejects.toThrow();
    index.close();
    const again = mediaTablesIn(indexFile);
    expect(await listed(open(again))).toEqual(files);
    expect((await checkMedia(dir, again)).problems).toEqual([]);
  });
});

describe('a damaged line', () => {
  test.each([
    'nonsense',
    '[]',
    '{"path":"/media/2026/11/../../x","deleted":true}',
    '{"path":"/media/2026/10/aaaaaaaaaaaaaaaaaaaaaa-other-month.txt","deleted":true}',
    `{"x":"${'y'.repeat(3_000_000)}"}`,
  ])('(%.40s) costs only itself, and the owner is told once', async (line) => {
    const { dir, files, open, recoveries } = await filledStore();
    const text = await readFile(journal(dir), 'utf8');
    const [first = '', ...rest] = text.split('\n');
    await writeFile(journal(dir), [first, line, ...rest].join('\n'));
    expect((await checkMedia(dir)).problems).toEqual([expect.stringContaining('2026/11')]);
    const mended = open();
    expect(await listed(mended)).toEqual(files);
    expect(recoveries).toMatchObject([{ file: journal(dir), recoveredFrom: 'rest' }]);
    expect(await readFile(recoveries[0]?.movedTo ?? '', 'utf8')).toContain(line);
    expect(await readFile(journal(dir), 'utf8')).toBe(text);
    expect(await listed(open())).toEqual(files);
    expect(recoveries).toHaveLength(1);
    await mended.add(streamOf('later'), {});
    expect(await checkMedia(dir)).toEqual({ files: 7, problems: [] });
  });

  test('is not one with a key that only a newer version knows', async () => {
    const { dir, files, open, recoveries } = await filledStore();
    const text = await readFile(journal(dir), 'utf8');
    await writeFile(journal(dir), text.replaceAll('{"path"', '{"later":1,"path"'));
    expect(await listed(open())).toEqual(files);
    expect(recoveries).toEqual([]);
    expect(await readFile(journal(dir), 'utf8')).toContain('"later"');
  });

  test('is refused if nobody can be told: the journal stays as it is, and other months are listed', async () => {
    const { dir, files } = await filledStore();
    await appendFile(journal(dir), 'x\n');
    const text = await readFile(journal(dir), 'utf8');
    const { store, clock } = await newMediaStore({ dir, onRecovered: undefined });
    expect(await listed(store)).toEqual(expect.arrayContaining(files.slice(-3)));
    await expect(store.add(streamOf('x'), {})).rejects.toMatchObject({ code: 'storage_broken' });
    expect(await readFile(journal(dir), 'utf8')).toBe(text);
    clock.now = Date.parse('2026-12-01T10:00:00Z');
    expect(await store.add(streamOf('x'), { name: 'december' })).toMatchObject({ name: 'december.txt' });
  });
});

test('a month whose journal cannot be read hides no other, is reported, and is back once it can be read', async () => {
  const { dir, files, open, clock, deleted } = await filledStore();
  const reported = watchUnreadable({ dir, changed: () => undefined, lookMs: 20 });
  onTestFinished(() => reported.stop());
  // A folder in the journal's place can be opened, but not read.
  await rename(journal(dir), `${journal(dir)}.aside`);
  await mkdir(journal(dir));
  const store = open();
  expect(await listed(store)).toEqual(files.slice(-3));
  expect(reported.list()).toMatchObject([
    { code: 'storage_unreadable', words: expect.stringContaining('2026/11/index.jsonl') as string },
  ]);
  const unreadable = { code: 'storage_unreadable' };
  await expect(store.get(files[0]!.path)).rejects.toMatchObject(unreadable);
  await expect(store.isDeleted(deleted.path)).rejects.toMatchObject(unreadable);
  await expect(store.add(streamOf('x'), {})).rejects.toMatchObject(unreadable);
  expect(await store.get(files.at(-1)!.path)).toEqual(files.at(-1));
  expect(await store.get('/media/2026/11/made-up')).toBeUndefined();

  await rm(journal(dir), { recursive: true });
  await rename(`${journal(dir)}.aside`, journal(dir));
  clock.now += 10_000;
  expect(await listed(store)).toEqual(files);
  expect(await store.isDeleted(deleted.path)).toBe(true);
  await expect.poll(() => reported.list()).toEqual([]);
});

test('a month whose journal can be read again takes files at once', async () => {
  const { dir, files, open } = await filledStore();
  await rename(journal(dir), `${journal(dir)}.aside`);
  await mkdir(journal(dir));
  const store = open();
  await expect(store.delete(files[0]!.path)).rejects.toMatchObject({ code: 'storage_unreadable' });
  await rm(journal(dir), { recursive: true });
  await rename(`${journal(dir)}.aside`, journal(dir));
  const { path } = await store.add(streamOf('x'), { name: 'x' });
  expect(await store.delete(files[0]!.path)).toEqual(files[0]);
  expect((await listed(store)).map((file) => file.path)).toEqual([
    path,
    ...files.slice(1).map((file) => file.path),
  ]);
});

test('a known month whose journal cannot be read is still listed and served', async () => {
  const { dir, files, open } = await filledStore();
  const index = mediaTablesIn();
  expect(await listed(open(index))).toEqual(files);
  await rename(journal(dir), `${journal(dir)}.aside`);
  await mkdir(journal(dir));
  index.setTrusted(mediaTables, false);
  const store = open(index);
  expect(await listed(store)).toEqual(files);
  expect(await store.get(files[0]!.path)).toEqual(files[0]);
  await expect(store.add(streamOf('x'), {})).rejects.toMatchObject({ code: 'storage_unreadable' });
});

test.each([
  ['grew', (file: string, line: string) => appendFile(file, line)],
  ['was cut', (file: string) => truncate(file, 0)],
])('a journal that %s while it is in use is read again, and loses no line', async (_what, change) => {
  const { dir, store, open } = await filledStore();
  const before = await listed(store);
  const path = `/media/2026/11/${'c'.repeat(22)}-other.txt`;
  await writeFile(join(dir, path.slice('/media/'.length)), 'other');
  await change(journal(dir), `${JSON.stringify({ ...before[0], path, name: 'other.txt', bytes: 5 })}\n`);
  await expect(store.add(streamOf('x'), {})).rejects.toMatchObject({ code: 'storage_changed', status: 503 });
  expect(await listed(store)).toHaveLength(before.length + 1);
  const added = await store.add(streamOf('x'), { name: 'after' });
  expect((await listed(store)).map(({ path: one }) => one)).toContain(added.path);
  expect(await listed(open())).toEqual(await listed(store));
  expect((await checkMedia(dir)).problems).toEqual([]);
});
