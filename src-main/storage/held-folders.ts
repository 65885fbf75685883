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
  /** The device, inode and time of creation of the lock file; empty at first. */
  file: string;
  /** `file` with the time of change and the size, when the lock file was last found to contain `id`. */
  stamp: string;
  /** Whether another lock file with the same `id` was found at the path: the folder was replaced by a copy. */
  isReplaced: boolean;
  readonly replaced: () => void;
}

const Lock = Type.Object({ id: Type.String() });

/** Returns whether `path` is `folder` or inside it. Both must be full paths with symbolic links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * Records that this process has locked `dir`, and that `lockFile` in it contains `id`. `replaced`: called once when a copy
 * of the folder is found at its path. From then on, the folder counts as gone. A disk that was mounted again may look like
 * a copy.
 */
export function holdFolder(dir: string, lockFile: string, id: string, replaced: () => void) {
  const root = resolve(dir);
  const folder: Held = {
    dir,
    lockFile: resolve(lockFile),
    id,
    replaced,
    file: '',
    stamp: '',
    isReplaced: false,
  };
  held.set(root, folder);
  isHere(folder);
  return {
    /** Returns whether the folder is at its path. A copy of it is another folder. */
    isHere: () => isHere(folder),
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
 * folder contains the same id in another file. What is in memory may not be true of a copy, so nothing is read or written
 * there until it was opened as at a start. Reads synchronously, because an asynchronous read uses a thread and takes
 * longer.
 */
function isHere(folder: Held): boolean {
  try {
    if (folder.isReplaced) return false;
    const { dev, ino, birthtimeNs, mtimeNs, size } = statSync(folder.lockFile, { bigint: true });
    const file = [dev, ino, birthtimeNs].join();
    const stamp = [file, mtimeNs, size].join();
    if (stamp === folder.stamp) return true;
    const lock: unknown = JSON.parse(readFileSync(folder.lockFile, 'utf8'));
    if (!isValid(Lock, lock) || lock.id !== folder.id) return false;
    if (folder.file === '') folder.file = file;
    folder.stamp = stamp;
    folder.isReplaced = file !== folder.file;
    if (folder.isReplaced) folder.replaced();
    return !folder.isReplaced;
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
