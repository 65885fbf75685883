import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../../storage/file-operations.ts';
import { readJson } from '../../storage/json-file.ts';
import { isValid } from '../../storage/schema-check.ts';
import { isWithin } from '../../storage/held-folders.ts';
import { workPrefix } from '../../storage/kept-paths.ts';

/**
 * The list of the files that Porchlight has copied to a new data folder. The list stays in that folder until the move
 * of the data is finished. It distinguishes the copies from other files in the folder. Paths use `/` as separator.
 */
const Copied = Type.Array(Type.String({ minLength: 1 }));

const fileIn = (folder: string) => join(folder, `${workPrefix}copied.json`);

/** Writes the list of copied files. The list is on disk when the promise resolves. */
export async function noteCopied(folder: string, paths: readonly string[]): Promise<void> {
  await nodeOperations.write(fileIn(folder), JSON.stringify(paths));
  await nodeOperations.syncFolder(folder);
}

/**
 * Reads the list of copied files.
 * @throws PorchlightError `place_broken` if the list is missing or invalid.
 */
export async function readCopied(folder: string): Promise<string[]> {
  const found = await readJson(fileIn(folder), nodeOperations);
  if (found.state === 'whole' && isValid(Copied, found.value)) {
    // Somebody else may have changed the list, for example on a removable disk, so check each path.
    if (found.value.every((path) => isWithin(folder, join(folder, path)))) return found.value;
  }
  throw new PorchlightError(
    'place_broken',
    `Porchlight can’t tell which files it copied to “${folder}”.`,
    500,
  );
}

export async function forgetCopied(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}
