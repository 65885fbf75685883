import { join } from 'node:path';
import { namesIn } from '../storage/folder-names.ts';
import { partsOfFileName } from './media-name.ts';

/** Returns the folder for files that are still being received. */
export const incomingOf = (dir: string) => join(dir, 'incoming');

/**
 * Returns the names of the media files in a month's folder. Ignores names that don't have the format of newFileName.
 */
export async function mediaFilesIn(folder: string): Promise<Set<string>> {
  return new Set((await namesIn(folder)).filter((name) => partsOfFileName(name) !== undefined));
}
