import { stat } from 'node:fs/promises';
import { errorCode } from '../storage-error.ts';

/** Names the version of a file: every write gives it another one. Empty for a file that is not there. */
export async function stampOf(file: string): Promise<string> {
  try {
    const { size, mtimeNs, ino } = await stat(file, { bigint: true });
    return `${size} ${mtimeNs} ${ino}`;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}
