import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../storage/storage-error.ts';

/**
 * Creates a folder and its missing parent folders. Only the current user can access them. Does not use mkdir's
 * `recursive` option: in Node 20, mkdir with this option never returns if the system reports ENOENT for a new folder,
 * as Linux does below /proc.
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
    // The parent folder exists now, so an error here is final.
    mkdirSync(folder, { mode: 0o700 });
  }
}
