import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { thisProcess } from '../../../src-main/storage/process-identity.ts';
import { readJsonFile, temporaryFolder } from '../../support/storage-folder.ts';

/** A data folder whose lock folder holds these files. */
async function folderWith(turns: Record<string, unknown>): Promise<string> {
  const dir = await temporaryFolder();
  await mkdir(join(dir, 'lock'));
  for (const [name, content] of Object.entries(turns)) {
    await writeFile(join(dir, 'lock', name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
}

async function endedProcess() {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return { pid: child.pid!, started: null };
}

describe('the lock of a data folder', () => {
  test('makes the folder where it is missing, for its owner only', async () => {
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

  test('passes on from a process that has ended, and tidies up behind it', async () => {
    const ended = await endedProcess();
    const dir = await folderWith({ '6.json': ended, '7.json': ended, 'left-over.draft': '{' });
    await lockFolder(dir);
    expect(await readdir(join(dir, 'lock'))).toEqual(['8.json']);
    expect(await readJsonFile(join(dir, 'lock', '8.json'))).toEqual({
      ...(await thisProcess()),
      id: expect.any(String) as string,
    });
  });

  test('of a process that ended without its release: it crashed, unless it had been asked to end', async () => {
    const ended = await endedProcess();
    const crashed = await lockFolder(await folderWith({ '7.json': ended, '6.ending': '' }));
    expect(crashed).toMatchObject({ isCrash: true, wasReleased: false });
    const dir = await folderWith({ '7.json': ended, '7.ending': '' });
    const cutOff = await lockFolder(dir);
    expect(cutOff).toMatchObject({ isCrash: false, wasReleased: false });
    expect(await readdir(join(dir, 'lock'))).toEqual(['8.json']);
    await cutOff.markEnding();
    expect((await readdir(join(dir, 'lock'))).sort()).toEqual(['8.ending', '8.json']);
    await cutOff.release();
    expect(await lockFolder(dir)).toMatchObject({ isCrash: false, wasReleased: true });
  });

  test.each([
    ['nothing', ''],
    ['zeros', '\0\0\0'],
    ['half a sentence', '{"pid":'],
    ['no process', '{"pid":0,"started":null}'],
  ])('passes on where a power cut left %s', async (_, content) => {
    const dir = await folderWith({ '3.json': content });
    await lockFolder(dir);
    expect(await readdir(join(dir, 'lock'))).toEqual(['4.json']);
  });

  test('a lower turn, made by one who looked long ago, does not disturb the holder', async () => {
    const holder = await thisProcess();
    const dir = await folderWith({ '2.json': await endedProcess(), '9.json': holder });
    await expect(lockFolder(dir)).rejects.toMatchObject({ code: 'folder_in_use' });
    expect((await readdir(join(dir, 'lock'))).sort()).toEqual(['2.json', '9.json']);
  });

  test('a removed folder does not stop its release', async () => {
    const dir = await temporaryFolder();
    const lock = await lockFolder(dir);
    await rm(dir, { recursive: true });
    await expect(lock.markEnding()).resolves.toBeUndefined();
    await expect(lock.release()).resolves.toBeUndefined();
  });

  test('a folder that cannot be made is told as such', async () => {
    const file = join(await temporaryFolder(), 'file');
    await writeFile(file, '');
    await expect(lockFolder(join(file, 'data'))).rejects.toMatchObject({ code: 'storage_unwritable' });
  });

  test('of many that try at once, exactly one gets it, round after round', async () => {
    const dir = await temporaryFolder();
    for (let round = 0; round < 50; round += 1) {
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
