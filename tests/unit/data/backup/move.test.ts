import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findData as find, readPlace, whereDataIs } from '../../../../src-main/data/backup/find-data.ts';
import { dropMove, prepareMove } from '../../../../src-main/data/backup/move.ts';
import {
  grantsRepair,
  noRecords,
  quietWork,
  readTree,
  writeTree,
  type Tree,
} from '../../../support/backup-scene.ts';
import { temporaryFolder } from '../../../support/storage-folder.ts';

const findData = (placeFile: string, usual: string) => find(placeFile, usual, grantsRepair);

async function scene() {
  const home = await temporaryFolder();
  const [dataDir, placeFile] = [join(home, 'data'), join(home, 'place.json')];
  await writeTree(dataDir, { 'settings.json': 'mine', 'secrets.json': 'mine', 'posts/a.json': 'mine' });
  const move = (target: string, work = quietWork(), records = noRecords) =>
    prepareMove({ dataDir, target, placeFile, now: Date.now(), records, work });
  return { home, dataDir, placeFile, move, before: await readTree(home) };
}

/** Without the lock, and without the database that a folder with posts gets if it lacks one. */
const withoutOwn = (tree: Tree) =>
  Object.fromEntries(
    Object.entries(tree).filter(([name]) => !/^(?:lock\.|records\.|known\.json$)/.test(name)),
  );
const textsIn = async (folder: string) =>
  Object.fromEntries(Object.entries(await readTree(folder)).map(([name, bytes]) => [name, String(bytes)]));

describe('a move is refused, and changes nothing,', () => {
  test('into itself, above itself, by a link too, to a file, and to a missing folder', async () => {
    const { home, dataDir, move } = await scene();
    await writeFile(join(home, 'file'), 'a letter');
    await symlink(dataDir, join(home, 'link'));
    const before = await readTree(dataDir);
    const targets = [
      dataDir,
      join(dataDir, 'inside'),
      join(dataDir, 'posts'),
      home,
      join(home, 'link', 'inside'),
      join(home, 'file'),
      join(home, 'not', 'there'),
      'moved',
      '',
    ];
    for (const target of targets)
      await expect(move(target), target).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await readTree(dataDir)).toEqual(before);
    expect((await readdir(home)).sort()).toEqual(['data', 'file', 'link']);
  });

  test('to a folder that is not empty, whose files stay', async () => {
    const { home, move } = await scene();
    await writeTree(join(home, 'photos'), { 'snow.png': 'snow' });
    const before = await readTree(home);
    await expect(move(join(home, 'photos'))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await readTree(home)).toEqual(before);
  });

  test('once it is cancelled, wherever it was', async () => {
    for (const kept of [true, false]) {
      const { home, move, before } = await scene();
      const target = join(home, 'moved');
      if (kept) await mkdir(target);
      const owner = new AbortController();
      const work = { signal: owner.signal, progress: () => owner.abort() };
      await expect(move(target, work)).rejects.toMatchObject({ code: 'cancelled' });
      expect(await readTree(home)).toEqual(before);
      expect((await readdir(home)).sort()).toEqual(kept ? ['data', 'moved'] : ['data']);
    }
  });
});

describe('a move', () => {
  test('takes along what changed until the next start, the secrets too, and keeps the old folder', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    // An upload that goes on: a copy of it would differ from what it is a moment later.
    await writeTree(dataDir, { 'media/incoming/a1.part': 'the beginning' });
    expect(await move(target)).toBe(target);
    expect(Object.keys(await readTree(target))).not.toContain('media/incoming/a1.part');
    await rm(join(dataDir, 'posts/a.json'));
    await writeTree(dataDir, { 'settings.json': 'changed', 'posts/b.json': 'new' });
    const changed = await readTree(dataDir);

    expect(await findData(placeFile, dataDir)).toEqual({ folder: target });
    expect(withoutOwn(await readTree(target))).toEqual(changed);
    expect((await readdir(home)).filter((name) => name.startsWith('data'))).toEqual([
      expect.stringMatching(/^data\.moved-/),
    ]);
    expect(await findData(placeFile, dataDir)).toEqual({ folder: target });
  });

  test('that is cancelled removes the copy, and nothing else', async () => {
    const { home, dataDir, placeFile, move, before } = await scene();
    await move(join(home, 'moved'));
    await dropMove(placeFile);
    expect(await readPlace(placeFile)).toEqual({ folder: null, moving: null });
    await rm(placeFile);
    expect(await readTree(home)).toEqual(before);
    expect(await findData(placeFile, dataDir)).toEqual({ folder: dataDir });
  });

  test('never removes files that somebody put into the new folder in the meantime', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    await move(target);
    await writeTree(target, { 'holiday.png': 'snow', 'posts/mine.txt': 'a letter' });
    await dropMove(placeFile);
    expect(await textsIn(target)).toEqual({ 'holiday.png': 'snow', 'posts/mine.txt': 'a letter' });

    const other = join(home, 'other');
    await move(other);
    await writeTree(other, { 'holiday.png': 'snow' });
    await rm(join(dataDir, 'posts/a.json'));
    expect(await findData(placeFile, dataDir)).toEqual({ folder: other });
    expect(await textsIn(other)).toEqual({
      'settings.json': 'mine',
      'secrets.json': 'mine',
      'holiday.png': 'snow',
    });
  });

  test('is not finished if the record of the copied files is lost', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    for (const text of ['{', '["../data/settings.json"]']) {
      await move(target);
      await writeFile(join(target, '.porchlight-copied.json'), text);
      expect(await findData(placeFile, dataDir)).toMatchObject({
        folder: dataDir,
        problem: expect.stringMatching(/can’t tell which files it copied/) as unknown,
      });
      await rm(target, { recursive: true });
    }
    expect(await textsIn(dataDir)).toMatchObject({ 'settings.json': 'mine' });
  });

  test('whose new disk is missing at the next start leaves the data in place, and says so', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    await move(join(home, 'moved'));
    await rm(join(home, 'moved'), { recursive: true });
    const { folder, problem } = await findData(placeFile, dataDir);
    expect(folder).toBe(dataDir);
    expect(problem).toMatch(/couldn’t move your data to “.*moved”\. Your data is in its old folder/);
    expect(await findData(placeFile, dataDir)).toEqual({ folder: dataDir });
  });

  test('that waits keeps waiting while somebody only reads its state, and nothing changes', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    await move(target);
    await writeTree(dataDir, { 'posts/b.json': 'new' });
    const before = await readTree(home);
    expect(await whereDataIs(placeFile, dataDir)).toBe(dataDir);
    expect(await readTree(home)).toEqual(before);
    expect(await findData(placeFile, dataDir)).toEqual({ folder: target });
    expect(await whereDataIs(placeFile, dataDir)).toBe(target);
  });

  test('whose old folder is gone or emptied at the next start uses the copy, deletes nothing, and says so', async () => {
    const noData: Record<string, string> = { 'logs/porchlight.log': 'a line' };
    for (const leftBehind of [{}, noData, undefined]) {
      const { home, dataDir, placeFile, move } = await scene();
      const target = join(home, 'moved');
      const copied = await readTree(dataDir);
      await move(target);
      await rm(dataDir, { recursive: true });
      if (leftBehind) await writeTree(dataDir, leftBehind);
      const { folder, problem } = await findData(placeFile, dataDir);
      expect(folder).toBe(target);
      expect(problem).toMatch(/“.*moved”, as it was copied on .*“.*data” was gone or empty/);
      expect(await readTree(target)).toEqual(copied);
      expect(await textsIn(dataDir)).toEqual(leftBehind ?? {});
      expect(await findData(placeFile, dataDir)).toEqual({ folder: target });
    }
  });

  test('whose old folder cannot be read now starts nothing, and is finished once it can', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    await move(target);
    await rename(dataDir, join(home, 'away'));
    await symlink(dataDir, dataDir); // leads to itself: the system says neither that it is there nor that it is not
    const before = await textsIn(target);
    await expect(findData(placeFile, dataDir)).rejects.toMatchObject({ code: 'storage_unreadable' });
    expect(await textsIn(target)).toEqual(before);
    await rm(dataDir);
    await rename(join(home, 'away'), dataDir);
    await writeTree(dataDir, { 'posts/b.json': 'new' });
    expect(await findData(placeFile, dataDir)).toEqual({ folder: target });
    expect(await textsIn(target)).toMatchObject({ 'posts/b.json': 'new' });
  });

  test('whose old folder is gone, and whose copy is not whole, starts nothing and deletes nothing', async () => {
    for (const lost of ['posts/a.json', '.porchlight-copied.json']) {
      const { home, dataDir, placeFile, move } = await scene();
      const target = join(home, 'moved');
      await move(target);
      await rm(dataDir, { recursive: true });
      await rm(join(target, lost));
      const before = await readTree(home);
      await expect(findData(placeFile, dataDir)).rejects.toMatchObject({
        code: 'place_missing',
        message: expect.stringMatching(/“.*data”.*“.*moved”/) as unknown,
      });
      expect(await readTree(home)).toEqual(before);
      expect(await readdir(home)).not.toContain('data');
    }
  });

  test('that can’t be finished leaves no copy behind, and may be tried again', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    await move(target);
    await writeTree(dataDir, { 'posts/b.json': 'new', 'posts/c.json': 'new' });
    // A folder has the name that a new file is to have.
    await mkdir(join(target, 'posts/c.json'));
    const data = await readTree(dataDir);
    const { folder, problem } = await findData(placeFile, dataDir);
    expect(folder).toBe(dataDir);
    expect(problem).toMatch(/couldn’t move your data.*in its old folder.*“.*moved” isn’t empty/);
    expect(await readTree(target)).toEqual({});
    expect(withoutOwn(await readTree(dataDir))).toEqual(data);
    await rm(join(target, 'posts'), { recursive: true });
    expect(await move(target)).toBe(target);
  });
});

describe('the place of the data', () => {
  test('that is on a disconnected disk never starts again elsewhere', async () => {
    const { home, dataDir, placeFile, move } = await scene();
    const target = join(home, 'moved');
    await move(target);
    await findData(placeFile, dataDir);
    await rm(target, { recursive: true });
    await expect(findData(placeFile, dataDir)).rejects.toMatchObject({ code: 'place_missing' });
  });

  test.each(['', '{', '{"folder":1,"moving":null}', '[]'])(
    'is not guessed where its file says %j',
    async (text) => {
      const { dataDir, placeFile } = await scene();
      await writeFile(placeFile, text);
      await expect(findData(placeFile, dataDir)).rejects.toMatchObject({ code: 'place_broken' });
    },
  );
});
