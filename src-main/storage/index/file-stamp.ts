import { stat } from 'node:fs/promises';
import { errorCode } from '../storage-error.ts';

/**
 * Returns a string that identifies the version of a file. The string changes with every write. Returns an empty string
 * if there is no file.
 */
export async function stampOf(file: string): Promise<string> {
  try {
    const { size, mtimeNs, ino } = await stat(file, { bigint: true });
    return `${size} ${mtimeNs} ${ino}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
