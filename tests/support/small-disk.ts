import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';

const run = promisify(execFile);

/** A real disk that a test can fill, or forbid to write to. */
export interface SmallDisk {
  readonly dir: string;
  /** Fills it; up to `left` bytes, if given. */
  fill(left?: number): Promise<void>;
  /** Makes empty files until there are no inodes left. Needs the number of inodes. */
  fillInodes(): Promise<void>;
  free(): Promise<void>;
  setWritable(writable: boolean): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Mounts one; skips the test, with the reason, where this user may not. `size` as mount(8) takes it. `inodes`: the
 * maximum number of files.
 */
export async function mountSmallDisk(
  { skip }: Pick<TestContext, 'skip'>,
  size: string,
  inodes?: number,
): Promise<SmallDisk> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-disk-'));
  try {
    const options = inodes === undefined ? `size=${size}` : `size=${size},nr_inodes=${inodes}`;
    await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir]);
  } catch (error) {
    skip(`a real full disk needs the right to mount: ${String(error)}`);
  }
  const [filler, files] = [join(dir, 'filler'), join(dir, 'files')];
  let isCovered = false;
  const unmount = async () => {
    await run('umount', ['-l', dir]);
    isCovered = false;
  };
  async function untilFull(use: (turn: number) => Promise<void>): Promise<void> {
    try {
      for (let turn = 0; ; turn += 1) await use(turn);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
  return {
    dir,
    async fill(left = 0) {
      const { bavail, bsize } = await statfs(dir);
      if (left > 0) return appendFile(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
      for (const bytes of [1_048_576, 4096]) await untilFull(() => appendFile(filler, Buffer.alloc(bytes)));
    },
    async fillInodes() {
      await mkdir(files);
      await untilFull((turn) => writeFile(join(files, `${turn}`), ''));
    },
    async free() {
      for (const path of [filler, files]) await rm(path, { recursive: true, force: true });
    },
    async setWritable(writable) {
      // A second mount over the first: the disk itself is busy while a file, such as the database, is open for writing.
      if (writable) return unmount();
      for (let turn = 1; ; turn += 1) {
        await run('mount', ['--bind', dir, dir]);
        isCovered = true;
        try {
          await run('mount', ['-o', 'remount,bind,ro', dir]);
          return;
        } catch (error) {
          // The second mount is busy, too, if a file was opened through it in between.
          await unmount();
          if (turn === 20) throw error;
        }
      }
    },
    async remove() {
      if (isCovered) await unmount();
      await unmount();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Returns the size of the reserve in a data folder, in bytes; 0 if there is none. */
export const reserveSize = (dataDir: string): Promise<number> =>
  stat(join(dataDir, 'records.reserve')).then(
    ({ size }) => size,
    () => 0,
  );

/** Fills a disk, has an ending use the reserve, and fills the room of the reserve, too. */
export async function fillBeyondReserve(
  disk: SmallDisk,
  dataDir: string,
  server: { call(method: 'webmentions.blockDomain', params: { domain: string }): Promise<unknown> },
): Promise<void> {
  const block = () => server.call('webmentions.blockDomain', { domain: `${randomUUID()}.example` });
  await disk.fill();
  // A change may still fit into a log that was written before.
  while ((await reserveSize(dataDir)) > 0) await block();
  await disk.fill();
  // A log that a checkpoint has emptied keeps its blocks, so that changes fit until they are used up.
  for (let hasRoom = true; hasRoom;)
    hasRoom = await block().then(
      () => true,
      () => false,
    );
}
