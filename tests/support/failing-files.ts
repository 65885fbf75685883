import type * as files from 'node:fs/promises';

/** What of the file system fails at the moment, as on a full disk. */
export const failing: { write: boolean; sync: boolean; truncate: boolean; truncateOfAppended: boolean } = {
  write: false,
  sync: false,
  truncate: false,
  /** As on Windows: what is opened for appending can not be cut. */
  truncateOfAppended: false,
};

/** What was called since a test reset it. */
export const counted: { writes: number; syncs: number; opens: number } = { writes: 0, syncs: 0, opens: 0 };

/** If set, runs once before the next fdatasync. */
export const meanwhile: { beforeSync: (() => Promise<unknown>) | undefined } = { beforeSync: undefined };

const failure = (code: string) => Object.assign(new Error(code), { code });

/** The file system that fails as `failing` says: a write that fails has written half. For `vi.mock` of `node:fs/promises`. */
export function failingFiles(real: typeof files): Partial<typeof files> {
  return {
    ...real,
    async writeFile(path, data, options) {
      if (!failing.write || typeof data !== 'string') return real.writeFile(path, data, options);
      await real.writeFile(path, data.slice(0, data.length / 2), options);
      throw failure('ENOSPC');
    },
    async open(path, flags, mode) {
      const handle = await real.open(path, flags, mode);
      counted.opens += 1;
      return Object.assign(Object.create(handle) as files.FileHandle, {
        close: () => handle.close(),
        async write(data: Buffer, offset: number, length: number, position: number) {
          counted.writes += 1;
          if (!failing.write) return handle.write(data, offset, length, position);
          await handle.write(data, offset, length >> 1, position);
          throw failure('ENOSPC');
        },
        async sync() {
          if (failing.sync) throw failure('EIO');
          await handle.sync();
        },
        async datasync() {
          counted.syncs += 1;
          const work = meanwhile.beforeSync;
          meanwhile.beforeSync = undefined;
          await work?.();
          if (failing.sync) throw failure('EIO');
          await handle.datasync();
        },
        async truncate(length: number) {
          if (failing.truncate) throw failure('EIO');
          if (failing.truncateOfAppended && flags === 'a') throw failure('EPERM');
          await handle.truncate(length);
        },
      });
    },
  };
}
