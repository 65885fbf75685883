import { readdir } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';

/**
 * Returns the names in a folder; none if there is no folder.
 * @throws PorchlightError as readFailure returns
 */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await verified(dir, () => readdir(dir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw readFailure(dir, error);
  }
}
