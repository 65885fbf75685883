import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdtemp, rm, stat, statfs } from 'node:fs/promises';
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
  free(): Promise<void>;
  setWritable(writable: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** Mounts one; skips the test, with the reason, where this user may not. `size` as mount(8) takes it. */
export async function mountSmallDisk({ skip }: TestContext, size: string): Promise<SmallDisk> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir]);
  } catch (error) {
    skip(`a real full disk needs the right to mount: ${String(error)}`);
  }
  const filler = join(dir, 'filler');
  let isCovered = false;
  const unmount = async () => {
    await run('umount', ['-l', dir]);
    isCovered = false;
  };
  return {
    dir,
    async fill(left = 0) {
      try {
        for (;;) {
          const { bavail, bsize } = await statfs(dir);
          if (left > 0 && bavail * bsize <= left) return;
          await appendFile(filler, Buffer.alloc(4096));
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free: () => rm(filler, { force: true }),
    async setWritable(writable) {
      // A second mount over the first: the disk itself is busy while a file, such as the index, is open for writing.
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
  await disk.fill();
  // A change may still fit into a log that was written before.
  while ((await reserveSize(dataDir)) > 0)
    await server.call('webmentions.blockDomain', { domain: `${randomUUID()}.example` });
  await disk.fill();
}
