import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { verified } from '../storage/held-folders.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import { partsOfFileName } from './media-name.ts';

/** A month's index, in its folder. */
export const journalOf = (folder: string) => join(folder, 'index.jsonl');

/** Where a file's thumbnail is kept: derived, made anew when it is missing. */
export const thumbnailOf = (folder: string, file: string) => join(folder, 'thumbnails', `${file}.webp`);

/** Where files are while they come in. */
export const incomingOf = (dir: string) => join(dir, 'incoming');

/** The months that have a folder, `2026/11`, newest first. */
export async function monthsIn(dir: string): Promise<string[]> {
  const months: string[] = [];
  for (const year of await namesIn(dir)) {
    if (!/^\d{4}$/.test(year)) continue;
    for (const month of await namesIn(join(dir, year)))
      if (/^(?:0[1-9]|1[0-2])$/.test(month)) months.push(`${year}/${month}`);
  }
  return months.sort().reverse();
}

/** The files in a month's folder that are named as we name them. */
export async function filesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).filter((name) => partsOfFileName(name) !== undefined));
}

/** What is in a folder; nothing where there is none. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await verified(dir, () => readdir(dir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw readFailure(dir, error);
  }
}
