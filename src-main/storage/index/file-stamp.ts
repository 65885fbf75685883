import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { errorCode } from '../storage-error.ts';

/**
 * Returns a string that identifies the version of a file. The string changes with every write. Returns an empty string
 * if there is no file.
 */
export async function stampOf(file: string): Promise<string> {
  try {
    return stampOfStats(await stat(file, { bigint: true }));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Returns the string that identifies the version of a file with these stats. */
export const stampOfStats = ({ size, mtimeNs, ino }: BigIntStats): string => `${size} ${mtimeNs} ${ino}`;
