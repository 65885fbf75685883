import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nodeOperations } from '../storage/file-operations.ts';
import { namesIn } from '../storage/folder-names.ts';
import { verified } from '../storage/held-folders.ts';
import { discard } from './upload-file.ts';

/**
 * Returns the path of a file that is derived from a picture in `folder`, the folder of a month. A missing derived file
 * is made again. `ending`: what follows the picture's name and a dot.
 */
export const derivedFile = (folder: string, file: string, ending: string) =>
  join(derivedFolder(folder), `${file}.${ending}`);

/** Returns the folder of the files that are derived from the pictures of a month. No backup contains it. */
export const derivedFolder = (folder: string) => join(folder, 'thumbnails');

/**
 * Writes a derived file. After a kill, the file is complete or missing.
 * @throws an error of the file system, or `storage_gone`
 */
export async function writeDerived(target: string, bytes: Uint8Array): Promise<void> {
  try {
    await nodeOperations.makeFolder(dirname(target));
    await verified(target, async () => {
      await writeFile(`${target}.tmp`, bytes, { mode: 0o600, flush: true });
      await rename(`${target}.tmp`, target);
    });
  } catch (error) {
    await discard(`${target}.tmp`);
    throw error;
  }
}

/**
 * Deletes all files that are derived from a picture.
 * @throws an error of the file system
 */
export async function removeDerived(folder: string, file: string): Promise<void> {
  const derived = derivedFolder(folder);
  const names = (await namesIn(derived)).filter((name) => name.startsWith(`${basename(file)}.`));
  await Promise.all(names.map((name) => rm(join(derived, name), { force: true })));
}
