import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../storage/storage-error.ts';

/**
 * Creates a folder and its missing parents, for this user only. Does not use mkdir's `recursive`, which never returns
 * in Node 20 if the system reports ENOENT for a new folder, as below /proc.
 * @throws the system's error.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    // If this second attempt fails, its error is final: the parent exists now.
    mkdirSync(folder, { mode: 0o700 });
  }
}
