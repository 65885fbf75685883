import { dirname } from 'node:path';
import { copyFile } from 'node:fs/promises';
import type { Static, TObject } from 'typebox';
import { documentCodec, type FormatOptions } from './document-format.ts';
import { nodeOperations } from './file-operations.ts';
import { jsonText, readJson } from './json-file.ts';
import { previousOf } from './replace-file.ts';
import { errorCode } from './storage-error.ts';

/** Documents and files of a data folder that no store has open: of a backup that was unpacked, or before a start. */

/**
 * Reads a document and changes nothing. Answers undefined where there is none, or none that is whole.
 * @throws PorchlightError `storage_newer`, `storage_migration`, `storage_unreadable`
 */
export async function readDocument<S extends TObject>(
  file: string,
  options: FormatOptions<S>,
): Promise<Static<S> | undefined> {
  const found = await readJson(file, nodeOperations);
  const decoded = found.state === 'whole' ? documentCodec(options).decode(found.value, file) : undefined;
  return decoded && 'data' in decoded ? decoded.data : undefined;
}

/** Replaces a document, on disk when it resolves. No previous version stays, which a recovery could bring back. */
export async function writeDocument<S extends TObject>(
  file: string,
  options: FormatOptions<S>,
  data: Static<S>,
): Promise<void> {
  await nodeOperations.makeFolder(dirname(file));
  await nodeOperations.write(`${file}.tmp`, jsonText(documentCodec(options).encode(data)));
  await putInPlace(file);
}

/** Gives a file the content of another, on disk when it resolves; where that one is missing, none stays. */
export async function replaceByCopy(file: string, original: string): Promise<void> {
  try {
    await nodeOperations.makeFolder(dirname(file));
    await copyFile(original, `${file}.tmp`);
    await putInPlace(file);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await nodeOperations.remove(previousOf(file));
    await nodeOperations.remove(file);
  }
}

async function putInPlace(file: string): Promise<void> {
  await nodeOperations.remove(previousOf(file));
  await nodeOperations.rename(`${file}.tmp`, file);
  await nodeOperations.syncFolder(dirname(file));
}
