import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { namesIn } from '../../storage/folder-names.ts';
import { verified } from '../../storage/held-folders.ts';

export interface PictureFolderOptions {
  readonly dir: string;
  readonly now: Clock;
  /**
   * The maximum total size of the pictures, in bytes. Above this size, the least recently used pictures are deleted.
   */
  readonly mostBytes: number;
}

/**
 * Stores small copies of strangers' pictures on disk, each as `<name>.webp`. The name is the SHA-256 of the original's
 * URL, in hex. If a copy is lost, the original is fetched again.
 */
export interface PictureFolder {
  /** Returns whether a picture is stored, and counts the call as a use of the picture. */
  has(name: string): Promise<boolean>;
  read(name: string): Promise<Buffer | undefined>;
  keep(name: string, bytes: Uint8Array): Promise<void>;
  /** Writes `bytes` to a temporary file, runs `work` on the file, and then deletes the file. */
  aside<R>(name: string, bytes: Uint8Array, work: (file: string) => Promise<R>): Promise<R>;
}

const dayMs = 86_400_000;
/**
 * If the limit is exceeded, pictures are deleted until they take up only this fraction of `mostBytes`. A margin is
 * needed because new pictures keep arriving.
 */
const roomAfter = 0.9;

export function pictureFolder({ dir, now, mostBytes }: PictureFolderOptions): PictureFolder {
  const fileOf = (name: string) => join(dir, `${name}.webp`);
  /** The size of all pictures in bytes; undefined until they have been counted. */
  let total: number | undefined;
  let trimming: Promise<void> | undefined;
  let tidied: Promise<void> | undefined;

  /** Deletes the temporary files of a process that was killed. Never fails. */
  async function tidy(): Promise<void> {
    for (const entry of await namesIn(dir).catch(() => []))
      if (/^[0-9a-f]{64}\.(tmp|fetched)$/.test(entry))
        await rm(join(dir, entry), { force: true }).catch(() => undefined);
  }

  async function pictures(): Promise<{ file: string; bytes: number; usedAt: number }[]> {
    const found = [];
    for (const entry of await namesIn(dir)) {
      if (!entry.endsWith('.webp')) continue;
      const file = join(dir, entry);
      const about = await stat(file).catch(() => undefined);
      if (about) found.push({ file, bytes: about.size, usedAt: about.mtimeMs });
    }
    return found;
  }

  async function trim(): Promise<void> {
    const all = (await pictures()).sort((a, b) => a.usedAt - b.usedAt);
    let left = all.reduce((sum, { bytes }) => sum + bytes, 0);
    if (left > mostBytes) {
      for (const { file, bytes } of all) {
        if (left <= mostBytes * roomAfter) break;
        await rm(file, { force: true });
        left -= bytes;
      }
    }
    total = left;
  }

  return {
    async has(name) {
      const about = await stat(fileOf(name)).catch(() => undefined);
      if (about === undefined) return false;
      // It is enough to update the time of last use once a day.
      if (about.mtimeMs < now() - dayMs) {
        const at = new Date(now());
        await utimes(fileOf(name), at, at).catch(() => undefined);
      }
      return true;
    },

    read: (name) => readFile(fileOf(name)).catch(() => undefined),

    async keep(name, bytes) {
      const temporary = join(dir, `${name}.tmp`);
      await nodeOperations.makeFolder(dir);
      await verified(dir, async () => {
        await writeFile(temporary, bytes, { mode: 0o600, flush: true });
        const at = new Date(now());
        await utimes(temporary, at, at);
        await rename(temporary, fileOf(name));
      });
      if (total !== undefined) total += bytes.length;
      if (total !== undefined && total <= mostBytes) return;
      trimming ??= trim().finally(() => (trimming = undefined));
      await trimming;
    },

    async aside(name, bytes, work) {
      await (tidied ??= tidy());
      const file = join(dir, `${name}.fetched`);
      await nodeOperations.makeFolder(dir);
      await verified(file, () => writeFile(file, bytes, { mode: 0o600 }));
      try {
        return await work(file);
      } finally {
        await rm(file, { force: true });
      }
    },
  };
}
