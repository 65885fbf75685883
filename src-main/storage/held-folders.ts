import { readFileSync, statSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { isValid } from './schema-check.ts';
import { errorCode } from './storage-error.ts';

/**
 * The data folders that this process uses. Somebody may rename, delete, unmount or replace such a folder while the
 * server runs. Each read or write in the folder therefore checks beforehand and afterwards whether it is still there.
 */
const held = new Map<string, HeldFolder>();

/** How this process recognizes a data folder, and what it needs before it may write there. */
export interface HeldFolder {
  readonly dir: string;
  /** The file or folder that has `place`. */
  identity: string;
  /** The device and inode of `identity`, which this process keeps open, so that no other file gets its inode. */
  place: string | undefined;
  /** A file that contains the id of this process; undefined if it could not be written. */
  note: { readonly file: string; readonly id: string } | undefined;
  /** The version of the file of `note` when it was last found to contain the id. */
  stamp: string;
  /**
   * Takes the lock of the folder, if this process doesn't have it.
   * @throws PorchlightError why nothing may be written
   */
  readonly mayWrite: () => Promise<void>;
}

const Note = Type.Object({ id: Type.String() });

/** Returns whether `path` is `folder` or inside it. Both must be full paths with symbolic links resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** Checks a folder before and after each read and write in it, until the returned function is called. */
export function holdFolder(folder: HeldFolder): () => void {
  const root = resolve(folder.dir);
  held.set(root, folder);
  return () => {
    if (held.get(root) === folder) held.delete(root);
  };
}

function heldAt(path: string): readonly [root: string, folder: HeldFolder] | undefined {
  const full = resolve(path);
  for (const [root, folder] of held) if (full === root || full.startsWith(root + sep)) return [root, folder];
  return undefined;
}

/**
 * Returns the data folder of this process that contains `path`, or undefined if there is none.
 * @throws PorchlightError `storage_gone` (507) if the data folder is missing, or if another folder is in its place.
 */
export function verifiedRoot(path: string): string | undefined {
  const found = heldAt(path);
  if (found && !isHere(found[1])) throw folderGone(found[1].dir);
  return found?.[0];
}

/**
 * Runs `work`, which reads at `path`. If `path` is in a data folder of this process, checks before and after `work`
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
 * Runs `work`, which writes at `path`, as `verified` does. If `path` is in a data folder, this process needs its lock.
 * @throws PorchlightError as `verified` and `mustBeLocked` do
 */
export async function verifiedToWrite<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mustBeLocked(path);
  return verified(path, work);
}

/**
 * Takes the lock of the data folder that contains `path`, if this process doesn't have it (see folder-lock.ts).
 * @throws PorchlightError why nothing may be written: `storage_gone`, `storage_unwritable`, `storage_full`,
 * `folder_in_use`
 */
export async function mustBeLocked(path: string): Promise<void> {
  verifiedRoot(path);
  await heldAt(path)?.[1].mayWrite();
}

/**
 * Returns whether a data folder is at its path. The inode of an open file belongs to no other file. A copy of the folder
 * has another one, and what is in memory may not be true of the copy. On a disk that doesn't support locks between
 * computers or containers, another process may have taken the folder and written its own id into the note. Reads
 * synchronously, because an asynchronous read uses a thread and takes longer.
 */
export function isHere(folder: HeldFolder): boolean {
  try {
    if (placeOnDisk(folder.identity) !== folder.place || folder.place === undefined) return false;
    if (folder.note === undefined) return true;
    const found = statSync(folder.note.file, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return true;
    const stamp = [found.dev, found.ino, found.mtimeNs, found.size].join();
    if (stamp === folder.stamp) return true;
    const note: unknown = JSON.parse(readFileSync(folder.note.file, 'utf8'));
    if (!isValid(Note, note) || note.id !== folder.note.id) return false;
    folder.stamp = stamp;
    return true;
  } catch (error) {
    // Denied access doesn't mean that the folder is gone. The read or write itself reports the denied access.
    return ['EACCES', 'EPERM'].includes(errorCode(error) ?? '');
  }
}

/** Returns the device and inode of a file or folder; undefined if it is missing. */
export function placeOnDisk(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Returns the error for a data folder that is gone, or that another folder has replaced. */
export function folderGone(dir: string): PorchlightError {
  return new PorchlightError(
    'storage_gone',
    `The folder with your data (${dir}) is gone, or another folder is in its place. Connect its disk or put the folder back, then try again.`,
    507,
  );
}
