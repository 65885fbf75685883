import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../file-operations.ts';
import { readJson } from '../json-file.ts';
import { isValid } from '../schema-check.ts';
import { isWithin } from './backup.ts';
import { workPrefix } from './kept-paths.ts';

/**
 * What a move copied into a folder, noted in that folder until the move is over: so that no file that somebody else put
 * there is ever taken for a copy. Paths have `/` between names.
 */
const Copied = Type.Array(Type.String({ minLength: 1 }));

const fileIn = (folder: string) => join(folder, `${workPrefix}copied.json`);

/** On disk when it resolves. */
export async function noteCopied(folder: string, paths: readonly string[]): Promise<void> {
  await nodeOperations.write(fileIn(folder), JSON.stringify(paths));
  await nodeOperations.syncFolder(folder);
}

/** @throws PorchlightError `place_broken` where it is missing, or not what was noted. */
export async function readCopied(folder: string): Promise<string[]> {
  const found = await readJson(fileIn(folder), nodeOperations);
  if (found.state === 'whole' && isValid(Copied, found.value)) {
    // The disk may have been in other hands.
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
