import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi, type TestContext } from 'vitest';

const run = promisify(execFile);

/** A real disk that a test can fill, or forbid to write to. */
export interface SmallDisk {
  readonly dir: string;
  fill(): Promise<void>;
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
  return {
    dir,
    async fill() {
      try {
        for (;;) await appendFile(filler, Buffer.alloc(4096));
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      }
    },
    free: () => rm(filler, { force: true }),
    async setWritable(writable) {
      const remount = () => run('mount', ['-o', `remount,${writable ? 'rw' : 'ro'}`, dir]);
      // While a file is open for writing the disk is busy.
      await vi.waitFor(remount, { timeout: 10_000, interval: 100 });
    },
    async remove() {
      await run('umount', ['-l', dir]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
