import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { closeToOthers } from '../../../src-main/storage/closed-to-others.ts';
import { nodeOperations } from '../../../src-main/storage/file-operations.ts';
import { lockFolder } from '../../../src-main/storage/folder-lock.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';
import { bundleProgram } from '../../support/writer-program.ts';

let writer: string;
beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-'));
  writer = await bundleProgram('storage-writer', dir);
  return () => rm(dir, { recursive: true });
});

/** A process that tries to lock the folders it is told. */
async function taker() {
  const child = spawn(process.execPath, [writer, 'lock'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => (await lines.next()).value;
  expect(await answer()).toBe('ready');
  return {
    child,
    lock(dir: string) {
      child.stdin.write(`${dir}\n`);
      return answer();
    },
  };
}

describe('processes that want the same data folder', () => {
  test('after the holder of a data folder was killed, exactly one process gets it, in each of 100 rounds', async () => {
    const root = await temporaryFolder();
    const holder = await taker();
    const folders = Array.from({ length: 100 }, (_, round) => join(root, `${round}`));
    for (const dir of folders) expect(await holder.lock(dir)).toBe('won');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');

    const takers = await Promise.all([taker(), taker(), taker()]);
    const winners = new Set<number>();
    for (const dir of folders) {
      const answers = await Promise.all(takers.map((one) => one.lock(dir)));
      expect(answers.toSorted()).toEqual(['folder_in_use', 'folder_in_use', 'won']);
      winners.add(answers.indexOf('won'));
    }
    // The race was one: more than one process was first at some time.
    expect(winners.size).toBeGreaterThan(1);
  });

  test('and find no database in its lock get it one at a time, and the file is never replaced', async () => {
    const root = await temporaryFolder();
    const takers = await Promise.all([taker(), taker(), taker()]);
    for (let round = 0; round < 50; round += 1) {
      const dir = join(root, `${round}`);
      const file = join(dir, 'lock.sqlite');
      await mkdir(dir);
      await writeFile(file, 'no database'.repeat(100));
      const { ino } = await stat(file);
      const answers = await Promise.all(takers.map((one) => one.lock(dir)));
      expect(answers.toSorted()).toEqual(['folder_in_use', 'folder_in_use', 'won']);
      expect(await stat(file)).toMatchObject({ ino, size: 0 });
    }
  });

  test('while another process has it are refused; they get it once that one is killed', async () => {
    const dir = await temporaryFolder();
    const [holder, next] = await Promise.all([taker(), taker()]);
    expect(await holder.lock(dir)).toBe('won');
    expect(await next.lock(dir)).toBe('folder_in_use');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    expect(await next.lock(dir)).toBe('won');
  });

  test('are refused while it is suspended, and wherever a link leads to the folder', async () => {
    const root = await temporaryFolder();
    const dir = join(root, 'data');
    const [holder, next] = await Promise.all([taker(), taker()]);
    expect(await holder.lock(dir)).toBe('won');
    holder.child.kill('SIGSTOP');
    await symlink(dir, join(root, 'link'));
    expect(await next.lock(join(root, 'link'))).toBe('folder_in_use');
    holder.child.kill('SIGKILL');
    await once(holder.child, 'exit');
    expect(await next.lock(dir)).toBe('won');
  });

  test('are not kept out by a number that another process has by now', async () => {
    const dir = await temporaryFolder();
    await writeFile(join(dir, 'lock.json'), JSON.stringify({ pid: process.pid, id: 'another' }));
    expect(await (await taker()).lock(dir)).toBe('won');
  });

  test('are refused after other users’ access to its files was removed, and after a garbage collection', async () => {
    const dir = join(await temporaryFolder(), 'data');
    await lockFolder(dir);
    await chmod(dir, 0o755);
    await (await closeToOthers(dir)).closeContents(new AbortController().signal);
    expect((await stat(join(dir, 'lock.sqlite'))).mode & 0o777).toBe(0o600);
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    expect(await (await taker()).lock(dir)).toBe('folder_in_use');
  });
});

test('a folder that could only be read is written to only once its lock was taken, and not after another process', async (context) => {
  const disk = await mountSmallDisk(context, '1m');
  onTestFinished(() => disk.remove());
  await writeFile(join(disk.dir, 'settings.json'), '{}');
  await (await lockFolder(disk.dir)).release();
  await disk.setWritable(false);
  const lock = await lockFolder(disk.dir);
  onTestFinished(() => lock.release());
  const write = () => nodeOperations.write(join(disk.dir, 'a'), '');
  await expect(write()).rejects.toMatchObject({ code: 'storage_unwritable' });
  await disk.setWritable(true);
  const other = await taker();
  expect(await other.lock(disk.dir)).toBe('won');
  await expect(write()).rejects.toMatchObject({ code: 'storage_unwritable' });
  other.child.kill('SIGKILL');
  await once(other.child, 'exit');
  // The other process may have changed what is in memory here.
  await expect(write()).rejects.toThrow('Restart Porchlight');
  expect(lock.refusal).toBeDefined();
});
