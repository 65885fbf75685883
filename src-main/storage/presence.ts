import { lstat, stat } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';

/** Whether there is a folder. @throws PorchlightError `storage_unreadable` where nobody can tell: it is not taken as gone. */
export async function isFolder(path: string): Promise<boolean> {
  return (await found(path, stat))?.isDirectory() ?? false;
}

/** Whether there is anything of that name. @throws PorchlightError as isFolder does */
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
