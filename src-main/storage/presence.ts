import { lstat, stat } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';

/**
 * Returns whether a folder exists.
 * @throws PorchlightError `storage_unreadable` if the system can't tell. Such a folder must not count as missing.
 */
export async function isFolder(path: string): Promise<boolean> {
  return (await found(path, stat))?.isDirectory() ?? false;
}

/**
 * Returns whether anything exists at a path.
 * @throws PorchlightError as isFolder does.
 */
export async function isThere(path: string): Promise<boolean> {
  return (await found(path, lstat)) !== undefined;
}

async function found(path: string, look: typeof stat | typeof lstat) {
  try {
    return await verified(path, () => look(path));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw readFailure(path, error);
  }
}
