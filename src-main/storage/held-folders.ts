import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { isValid } from './schema-check.ts';
import { errorCode } from './storage-error.ts';

/**
 * The data folders that this process has locked. Somebody may rename, delete, unmount or replace such a folder while
 * the server runs. Each read or write in the folder therefore checks the folder's lock file before and afterwards.
 */
const held = new Map<string, Held>();

interface Held {
  readonly dir: string;
  readonly lockFile: string;
  readonly id: string;
  /** The device, inode, time and size of the lock file when it was last found to contain `id`. */
  stamp: string;
  /** Becomes false when a different lock file with the same `id` is found, which happens if the folder was copied. */
  isOriginal: boolean;
}

const Lock = Type.Object({ id: Type.String() });

/** Returns whether `path` is `folder` or inside it. Both must be full paths with symbolic links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Records that this process has locked `dir`, and that `lockFile` in it contains `id`. */
export function holdFolder(dir: string, lockFile: string, id: string) {
  const root = resolve(dir);
  const folder: Held = { dir, lockFile: resolve(lockFile), id, stamp: '', isOriginal: true };
  held.set(root, folder);
  isHere(folder);
  return {
    /**
     * Returns whether the folder is at its path and its lock file was never replaced. In a copy of the folder, the
     * lock file is a different file.
     */
    isUnmoved: () => isHere(folder) && folder.isOriginal,
    end(): void {
      if (held.get(root) === folder) held.delete(root);
    },
  };
}

/**
 * Returns the locked data folder that contains `path`, or undefined if there is none.
 * @throws PorchlightError `storage_gone` (507) if the data folder is missing, or if another folder is in its place.
 */
export function verifiedRoot(path: string): string | undefined {
  const full = resolve(path);
  for (const [root, folder] of held) {
    if (full !== root && !full.startsWith(root + sep)) continue;
    if (!isHere(folder)) throw folderGone(folder.dir);
    return root;
  }
  return undefined;
}

/**
 * Runs `work`, which reads or writes at `path`. If `path` is in a locked data folder, checks before and after `work`
 * that the folder is still at its path.
 * @throws PorchlightError `storage_gone` (507) if a check fails; otherwise, any error from `work`
 */
export async function verified<T>(path: string, work: () => Promise<T>): Promise<T> {
  verifiedRoot(path);
  try {
    return await work();
  } finally {
    verifiedRoot(path);
  }
}

/**
 * Returns whether the folder that this process locked is still at its path. Compares the lock file's inode and metadata
 * first. The inode alone proves nothing, because a new file may get the inode of a deleted one. If anything differs,
 * for example on a remounted disk, compares the id in the lock file with the id that this process wrote. A copy of the
 * folder counts as the folder itself, because it contains the same id. Reads synchronously, because an asynchronous
 * read uses a thread and takes longer.
 */
function isHere(folder: Held): boolean {
  try {
    const { dev, ino, mtimeNs, size } = statSync(folder.lockFile, { bigint: true });
    const stamp = [dev, ino, mtimeNs, size].join();
    if (stamp === folder.stamp) return true;
    const lock: unknown = JSON.parse(readFileSync(folder.lockFile, 'utf8'));
    if (!isValid(Lock, lock) || lock.id !== folder.id) return false;
    folder.isOriginal &&= folder.stamp === '';
    folder.stamp = stamp;
    return true;
  } catch (error) {
    // Denied access doesn't mean that the folder is gone. The read or write itself reports the denied access.
    return ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

/** Returns the error for a data folder that is gone, or that another folder has replaced. */
export function folderGone(dir: string): PorchlightError {
  return new PorchlightError(
    'storage_gone',
    `The folder with your data (${dir}) is gone, or another folder is in its place. Connect its disk or put the folder back, then try again.`,
    507,
  );
}
