import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holderOf, lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { mustBeLocked, verifiedRoot } from '../../../src-main/storage/held-folders.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

/** A data folder in which the last process left this note about its lock. */
async function folderWith(note: string, wasEnding = false): Promise<string> {
  const dir = await temporaryFolder();
  await writeFile(join(dir, 'lock.json'), note);
  if (wasEnding) await writeFile(join(dir, 'lock.ending'), '');
  return dir;
}

const ended = JSON.stringify({ pid: 4_000_000, id: 'an earlier one' });

describe('the lock of a data folder', () => {
  test('creates the folder if it is missing, for its owner only', async () => {
    const dir = join(await temporaryFolder(), 'new', 'data');
    await lockFolder(dir);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  test('is held by one: the next is refused with folder and process', async () => {
    const dir = await temporaryFolder();
    await lockFolder(dir);
    const refused = lockFolder(dir);
    await expect(refused).rejects.toMatchObject({ code: 'folder_in_use', status: 409 });
    await expect(refused).rejects.toThrow(
      `"${dir}" is in use by another Porchlight (process ${process.pid})`,
    );
  });

  test('is free again after its release, which may be asked for twice', async () => {
    const dir = await temporaryFolder();
    const first = await lockFolder(dir);
    await first.release();
    await first.release();
    const second = await lockFolder(dir);
    await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'folder_in_use' });
    await second.release();
    await lockFolder(dir);
  });

  test('a second release does not take it from the next holder', async () => {
    const dir = await temporaryFolder();
    const first = await lockFolder(dir);
    await first.release();
    await lockFolder(dir);
    await first.release();
    await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'folder_in_use' });
  });

  test('names its holder in the folder, whose files are for their owner only', async () => {
    const dir = await temporaryFolder();
    await lockFolder(dir);
    expect((await readdir(dir)).sort()).toEqual(['lock.json', 'lock.sqlite']);
    for (const name of ['lock.json', 'lock.sqlite'])
      expect((await stat(join(dir, name))).mode & 0o777, name).toBe(0o600);
    expect(await holderOf(dir)).toEqual({ pid: process.pid, id: expect.any(String) as string });
  });

  test('of a process that ended without its release: it crashed, unless it had been asked to end', async () => {
    expect(await lockFolder(await folderWith(ended))).toMatchObject({ isCrash: true, wasReleased: false });
    const dir = await folderWith(ended, true);
    const cutOff = await lockFolder(dir);
    expect(cutOff).toMatchObject({ isCrash: false, wasReleased: false });
    expect(await readdir(dir)).not.toContain('lock.ending');
    await cutOff.markEnding();
    expect(await readdir(dir)).toContain('lock.ending');
    await cutOff.release();
    expect(await lockFolder(dir)).toMatchObject({ isCrash: false, wasReleased: true });
  });

  test.each([
    ['nothing', ''],
    ['zeros', '\0\0\0'],
    ['half a sentence', '{"pid":'],
    ['no process', '{"pid":0}'],
  ])('is given to the next program if a power cut left %s', async (_, content) => {
    const lock = await lockFolder(await folderWith(content));
    expect(lock).toMatchObject({ isCrash: false, wasReleased: false });
  });

  test('whose file is no database is emptied in place and locked', async () => {
    const dir = await temporaryFolder();
    const file = join(dir, 'lock.sqlite');
    await writeFile(file, 'My diary of locks and keys');
    const { ino } = await stat(file);
    await lockFolder(dir);
    expect(await stat(file)).toMatchObject({ ino, size: 0 });
    await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'folder_in_use' });
  });

  test('whose note could not be written at first gets one note from many writes at once', async () => {
    for (let round = 0; round < 50; round += 1) {
      const dir = await temporaryFolder();
      // In the way of the note, as a full disk is.
      await mkdir(join(dir, 'lock.json.new'));
      const lock = await lockFolder(dir);
      expect(await holderOf(dir)).toBeUndefined();
      await rm(join(dir, 'lock.json.new'), { recursive: true });
      await Promise.all(Array.from({ length: 8 }, () => mustBeLocked(dir)));
      expect(verifiedRoot(dir)).toBe(dir);
      await lock.release();
    }
  });

  test('a removed folder does not stop its release', async () => {
    const dir = await temporaryFolder();
    const lock = await lockFolder(dir);
    await rm(dir, { recursive: true });
    await expect(lock.markEnding()).resolves.toBeUndefined();
    await expect(lock.release()).resolves.toBeUndefined();
  });

  test('a folder that cannot be created is reported as such', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await expect(lockFolder(join(file, 'data'))).rejects.toMatchObject({ code: 'storage_unwritable' });
  });

  test('of many that try at once, exactly one gets it, round after round', async () => {
    const dir = await temporaryFolder();
    for (let round = 0; round < 10; round += 1) {
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => lockFolder(dir)));
      const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(winners).toHaveLength(1);
      for (const outcome of outcomes.filter(({ status }) => status === 'rejected')) {
        expect(outcome).toMatchObject({ reason: { code: 'folder_in_use' } });
      }
      await winners[0]!.value.release();
    }
  });
});
