import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { checkMedia } from '../../../src-main/media/check-media.ts';
import { putDeleted } from '../../../src-main/media/media-rows.ts';
import type { MediaFile, MediaStore } from '../../../src-main/media/media-store.ts';
import { writeFailure } from '../../../src-main/storage/storage-error.ts';
import { fileNameOf, newMediaStore, pngOf, streamOf } from '../../support/media-folder.ts';
import { systemError } from '../../support/storage-folder.ts';

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

describe('the records of files', () => {
  /** Fills a store, ends it in one of two ways, changes something, and opens it again. */
  async function reopened(damage: (filled: Filled) => Promise<unknown>, { isClean = false } = {}) {
    const filled = await filledStore();
    if (isClean) await filled.store.close();
    await damage(filled);
    const store = filled.open();
    return { ...filled, store, now: await listed(store) };
  }

  const matches = async (dataDir: string) => expect((await checkMedia(dataDir)).problems).toEqual([]);

  test.each([
    ['closed', { isClean: true }],
    ['killed', { isClean: false }],
  ])('give the same lists after the store was %s', async (_what, how) => {
    const { dataDir, files, deleted, store, now, warnings } = await reopened(() => Promise.resolve(), how);
    expect(now).toEqual(files);
    expect(await store.isDeleted(deleted.path)).toBe(true);
    expect(warnings).toEqual([]);
    await matches(dataDir);
  });

  test('get a file whose record a kill prevented', async () => {
    const { dataDir, files, now, open } = await reopened(({ dir }) =>
      writeFile(join(dir, '2026/11', `${'b'.repeat(22)}-found.txt`), 'words'),
    );
    expect(now.map(({ name }) => name).sort()).toEqual(
      [...files.map(({ name }) => name), 'found.txt'].sort(),
    );
    await matches(dataDir);
    expect(await listed(open())).toEqual(now);
  });

  test('get a file whose record a kill prevented, also if it was the first since an end in order', async () => {
    const { dir, files, store, records, open } = await filledStore();
    await store.close();
    const inFolder = async () =>
      (await readdir(join(dir, '2026/11'))).some((name) => name.endsWith('-last.txt'));
    // The kill comes between the file and its record.
    const killed = open({
      records: {
        ...records,
        write: async (change) => ((await inFolder()) ? new Promise(() => undefined) : records.write(change)),
      },
    });
    void killed.add(streamOf('words'), { name: 'last.txt' });
    await expect.poll(inFolder).toBe(true);
    const now = await listed(open());
    expect(now.map(({ name }) => name).sort()).toEqual([...files.map(({ name }) => name), 'last.txt'].sort());
  });

  test('complete a deletion that a kill interrupted before the file was gone', async () => {
    const { dataDir, dir, files, now, store } = await reopened(({ records, files: [first] }) =>
      records.write((transaction) => putDeleted(transaction, first!.path)),
    );
    expect(now).toEqual(files.slice(1));
    expect(await store.isDeleted(files[0]?.path ?? '')).toBe(true);
    expect(await readdir(join(dir, '2026/11'))).not.toContain(fileNameOf(files[0]!));
    await matches(dataDir);
  });

  test('follow files that came and went while Porchlight was killed, and a month that is gone', async () => {
    const { dataDir, dir, files, now, store, open } = await reopened(
      async ({ dir: folder, files: [first] }) => {
        await rm(join(folder, '2026/11', fileNameOf(first!)));
        await rm(join(folder, '2026/10'), { recursive: true });
      },
    );
    const [first, ...others] = files;
    expect(now).toEqual(others.filter(({ path }) => path.includes('/2026/11/')));
    expect(await store.isDeleted(first!.path)).toBe(true);
    await writeFile(join(dir, '2026/11', fileNameOf(first!)), pngOf());
    expect(await open().get(first!.path)).toEqual(first);
    await matches(dataDir);
  });

  test('are compared again after a file could not be removed, so the next start removes the file', async () => {
    const { dir, files, store, warnings, open } = await reopened(() => Promise.resolve(), { isClean: true });
    const path = join(dir, '2026/11', fileNameOf(files[0]!));
    // A folder in the file's place cannot be removed as a file.
    await rename(path, `${path}.aside`);
    await mkdir(path);
    await store.delete(files[0]!.path);
    expect(warnings).toHaveLength(1);
    await store.close();
    await rm(path, { recursive: true });
    await rename(`${path}.aside`, path);
    expect(await listed(open())).toEqual(files.slice(1));
    expect(await readdir(join(dir, '2026/11'))).not.toContain(fileNameOf(files[0]!));
  });
});

test('a file whose record could not be written is not kept, and the next one is', async () => {
  const { dataDir, dir, open, records } = await newMediaStore();
  let isFull = true;
  const full = writeFailure('records.sqlite', systemError('ENOSPC'));
  const store = open({
    records: {
      ...records,
      write: (change) => (isFull ? Promise.reject(full) : records.write(change)),
    },
  });
  await expect(store.add(streamOf('a'), {})).rejects.toMatchObject({ code: 'storage_full', status: 507 });
  expect(await readdir(join(dir, '2026/11'))).toEqual([]);
  isFull = false;
  const added = await store.add(streamOf('b'), {});
  expect(await listed(store)).toEqual([added]);
  isFull = true;
  await expect(store.delete(added.path)).rejects.toMatchObject({ code: 'storage_full' });
  expect(await store.get(added.path)).toEqual(added);
  isFull = false;
  await store.delete(added.path);
  expect(await checkMedia(dataDir)).toEqual({ files: 0, problems: [] });
});

describe('while the records are compared with the files', () => {
  test('lists wait for all files, and other work continues', async () => {
    const { dir, open } = await newMediaStore();
    const count = 3000;
    await mkdir(join(dir, '2026/09'), { recursive: true });
    for (let number = 0; number < count; number += 1)
      await writeFile(join(dir, '2026/09', `${String(number).padStart(22, '0')}-x.txt`), 'words');

    const progress = { isDone: false, turns: 0 };
    const next = open();
    const list = next.list({ limit: 5000 }).finally(() => (progress.isDone = true));
    const added = next.add(streamOf('more'), { name: 'new' });
    while (!progress.isDone) {
      await setImmediate();
      progress.turns += 1;
    }
    expect((await list).items.length).toBeGreaterThanOrEqual(count);
    expect(progress.turns).toBeGreaterThan(count / 50);
    expect(await next.get((await added).path)).toEqual(await added);
    expect(await listed(next)).toHaveLength(1000);
  });

  test('the store can be closed, and the next start continues', async () => {
    const { open, files, dataDir } = await filledStore();
    const store = open();
    await store.close();
    await expect(store.add(streamOf('words'), {})).rejects.toThrow();
    expect(await listed(open())).toEqual(files);
    expect((await checkMedia(dataDir)).problems).toEqual([]);
  });
});

test('a month whose folder cannot be read hides no other, and takes files again once it can be read', async () => {
  const { dir, files, open, clock } = await filledStore();
  const folder = join(dir, '2026/11');
  // A link to itself can't be read.
  await rename(folder, `${folder}.aside`);
  await symlink('11', folder);
  const store = open();
  expect(await listed(store)).toEqual(files);
  await expect(store.add(streamOf('x'), {})).rejects.toMatchObject({ code: 'storage_unreadable' });
  clock.now = Date.parse('2026-12-01T10:00:00Z');
  expect(await store.add(streamOf('x'), { name: 'december' })).toMatchObject({ name: 'december.txt' });
  clock.now = Date.parse('2026-11-21T10:00:00Z');
  await rm(folder);
  await rename(`${folder}.aside`, folder);
  expect(await store.add(streamOf('x'), { name: 'again' })).toMatchObject({ name: 'again.txt' });
  expect(await store.delete(files[0]!.path)).toEqual(files[0]);
});
