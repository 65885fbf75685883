import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';

/**
 * Returns the names in a folder; an empty list if the folder doesn't exist.
 * @throws the PorchlightError that readFailure returns
 */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await verified(dir, () => readdir(dir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw readFailure(dir, error);
  }
}

/**
 * Returns the months (such as `2026/11`) that have a folder in `dir`, newest first. `dir` contains one subfolder per
 * year.
 * @throws the PorchlightError that readFailure returns
 */
export async function monthsIn(dir: string): Promise<string[]> {
  const months: string[] = [];
  for (const year of await namesIn(dir)) {
    if (!/^\d{4}$/.test(year)) continue;
    for (const name of await namesIn(join(dir, year))) {
      if (/^(?:0[1-9]|1[0-2])$/.test(name)) months.push(`${year}/${name}`);
    }
  }
  return months.sort().reverse();
}
