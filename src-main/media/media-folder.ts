import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { verified } from '../storage/held-folders.ts';
import { errorCode, readFailure } from '../storage/storage-error.ts';
import { partsOfFileName } from './media-name.ts';

/** Returns the path of a month's journal. */
export const journalOf = (dir: string, month: string) => join(dir, month, 'index.jsonl');

/** Returns the path of a file's thumbnail. A missing thumbnail is made again. */
export const thumbnailOf = (folder: string, file: string) => join(folder, 'thumbnails', `${file}.webp`);

/** Returns the folder for files that are still being received. */
export const incomingOf = (dir: string) => join(dir, 'incoming');

/** Returns the months that have a folder, such as `2026/11`, newest first. */
export async function monthsIn(dir: string): Promise<string[]> {
  const months: string[] = [];
  for (const year of await namesIn(dir)) {
    if (!/^\d{4}$/.test(year)) continue;
    for (const month of await namesIn(join(dir, year)))
      if (/^(?:0[1-9]|1[0-2])$/.test(month)) months.push(`${year}/${month}`);
  }
  return months.sort().reverse();
}

/** Returns the names of the media files in a month's folder: those in the format of newFileName. */
export async function mediaFilesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).filter((name) => partsOfFileName(name) !== undefined));
}

/** Returns the names in a folder; empty if the folder does not exist. */
export async function namesIn(dir: string): Promise<string[]> {
  try {
    return await verified(dir, () => readdir(dir));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw readFailure(dir, error);
  }
}
