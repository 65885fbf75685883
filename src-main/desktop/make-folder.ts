import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../storage/storage-error.ts';

/**
 * Makes a folder, and those above it where they are missing, for this user only. Not by mkdir's `recursive`: Node 20's
 * never returns where the system says of a new folder that there is no such place, as below /proc.
 * @throws what the system says.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
    makeFolder(dirname(folder));
    // Once, and without a look at what it says: its parent is there now.
    mkdirSync(folder, { mode: 0o700 });
  }
}
