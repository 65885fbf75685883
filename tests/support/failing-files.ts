import type * as files from 'node:fs/promises';

/** What of the file system fails at the moment, as on a full disk. */
export const failing: { write: boolean; sync: boolean; truncate: boolean; truncateOfAppended: boolean } = {
  write: false,
  sync: false,
  truncate: false,
  /** As on Windows: what is opened for appending can not be cut. */
  truncateOfAppended: false,
};

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
      return Object.assign(Object.create(handle) as files.FileHandle, {
        close: () => handle.close(),
        async write(data: Buffer, offset: number, length: number, position: number) {
          if (!failing.write) return handle.write(data, offset, length, position);
          await handle.write(data, offset, length >> 1, position);
          throw failure('ENOSPC');
        },
        async sync() {
          if (failing.sync) throw failure('EIO');
          await handle.sync();
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
