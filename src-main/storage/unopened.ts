import { dirname } from 'node:path';
import { copyFile } from 'node:fs/promises';
import type { Static, TObject } from 'typebox';
import { documentCodec, type FormatOptions } from './document-format.ts';
import { nodeOperations } from './file-operations.ts';
import { jsonText, readJson } from './json-file.ts';
import { previousOf } from './replace-file.ts';
import { errorCode } from './storage-error.ts';

/**
 * These functions are for files in a data folder that no process uses, such as an unpacked backup or a folder before
 * startup.
 */

/**
 * Reads a document without changing anything. Returns undefined if the document is missing or broken.
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

/**
 * Replaces a document. The new version is on disk when the promise resolves. Removes the previous version, so that no
 * recovery can bring it back.
 */
export async function writeDocument<S extends TObject>(
  file: string,
  options: FormatOptions<S>,
  data: Static<S>,
): Promise<void> {
  await nodeOperations.makeFolder(dirname(file));
  await nodeOperations.write(`${file}.tmp`, jsonText(documentCodec(options).encode(data)));
  await putInPlace(file);
}

/**
 * Replaces a file with a copy of `original`. The copy is on disk when the promise resolves. If the original is
 * missing, removes the file.
 */
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
