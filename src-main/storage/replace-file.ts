import { dirname } from 'node:path';
import { nodeOperations, type FileOperations } from './file-operations.ts';
import { errorCode, writeFailure } from './storage-error.ts';

/** Returns the path of the previous version of a file. */
export const previousOf = (file: string) => `${file}.previous`;

const temporaryOf = (file: string) => `${file}.tmp`;

/**
 * Replaces a file's content. At every moment, even if the process is killed or the power fails, `file` is either the
 * complete old version or the complete new version. Resolves once the new version is on disk. The old version stays as
 * `.previous`. Only one call at a time may change a file. `isNew`: true if there is no old version.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`. In these cases, the old
 * file is unchanged and no temporary file remains, unless undoing the failed write fails too.
 */
export async function replaceFile(
  file: string,
  text: string,
  operations: FileOperations,
  isNew = false,
): Promise<void> {
  let kept = false;
  let replaced = false;
  try {
    await writeTemporary(file, text, operations);
    kept = !isNew && (await keepPrevious(file, operations));
    await operations.rename(temporaryOf(file), file);
    replaced = true;
    await operations.syncFolder(dirname(file));
  } catch (cause) {
    if (replaced) await goBack(file, kept, operations);
    await removeLeftovers(file, operations);
    throw writeFailure(file, cause);
  }
}

/**
 * Replaces a file's content in one step, and keeps no previous version. Resolves once the new content is on disk. The
 * folder must exist.
 * @throws the system's error
 */
export async function putFile(file: string, text: string, operations = nodeOperations): Promise<void> {
  await operations.write(temporaryOf(file), text);
  await operations.rename(temporaryOf(file), file);
  await operations.syncFolder(dirname(file));
}

/**
 * Removes the temporary files that a killed process left beside `file`. Ignores errors, because such files do no harm.
 */
export async function removeLeftovers(file: string, operations: FileOperations): Promise<void> {
  for (const path of [temporaryOf(file), temporaryOf(previousOf(file))]) {
    await operations.remove(path).catch(() => undefined);
  }
}

async function writeTemporary(file: string, text: string, operations: FileOperations): Promise<void> {
  try {
    await operations.write(temporaryOf(file), text);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await operations.makeFolder(dirname(file));
    await operations.write(temporaryOf(file), text);
  }
}

/**
 * Saves a copy of the current version as the previous version. Uses a rename, so that a previous version exists at
 * every moment. Returns false if there is no current version.
 */
async function keepPrevious(file: string, operations: FileOperations): Promise<boolean> {
  const copy = temporaryOf(previousOf(file));
  try {
    await operations.duplicate(file, copy);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    if (errorCode(error) !== 'EEXIST') throw error;
    await operations.remove(copy);
    await operations.duplicate(file, copy);
  }
  await operations.rename(copy, previousOf(file));
  // If `copy` and the previous version are already the same file (two hard links), a POSIX rename does nothing and
  // `copy` stays. This happens if an earlier process was killed after it saved the previous version and before it
  // replaced `file`.
  await operations.remove(copy);
  return true;
}

/** Restores the old version after a failed write, because the new version may not be on disk. */
async function goBack(file: string, kept: boolean, operations: FileOperations): Promise<void> {
  const undo = kept ? operations.rename(previousOf(file), file) : operations.remove(file);
  // If restoring the old version fails too, nothing more can be done. The caller reports the failed write anyway.
  await undo.catch(() => undefined);
}
