import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DocumentKind, documentExcess, documentKinds, tooLarge } from './document-kinds.ts';
import { type FileOperations, nodeOperations, renamePatiently } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { reportingUnreadable } from './storage-watch.ts';

/** Returns the path of the previous version of a file. */
export const previousOf = (file: string) => `${file}.previous`;

const temporaryOf = (file: string) => `${file}.tmp`;

/**
 * Replaces a file's content. At every moment, even if the process is killed or the power fails, `file` is either the
 * complete old version or the complete new version. Resolves once the new version is on disk. The old version stays as
 * `.previous`. Only one call at a time may change a file.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`. In these cases, the old
 * file is unchanged and no temporary file remains, unless undoing the failed write fails too.
 */
export async function replaceFile(file: string, text: string, operations: FileOperations): Promise<void> {
  let kept = false;
  let replaced = false;
  try {
    await writeTemporary(file, text, operations);
    kept = await keepPrevious(file, operations);
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

type JsonFile =
  | { state: 'missing' }
  | { state: 'broken'; reason: string }
  | { state: 'whole'; value: unknown };

/**
 * Reads a JSON file of a kind. Returns its value, or reports that the file is missing or broken. A file that exceeds the
 * limits of its kind is broken.
 *
 * @throws PorchlightError `storage_unreadable` if the system refuses access. Such a file isn't broken, and stays
 * unchanged.
 */
export async function readJson(
  path: string,
  kind: DocumentKind,
  operations: FileOperations,
): Promise<JsonFile> {
  let text: string | undefined;
  try {
    text = await operations.read(path, documentKinds[kind]);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { state: 'missing' };
    throw readFailure(path, error);
  }
  if (text === undefined) return { state: 'broken', reason: tooLarge(kind) };
  const excess = documentExcess(text, kind);
  if (excess !== undefined) return { state: 'broken', reason: excess };
  try {
    const value: unknown = JSON.parse(text);
    return { state: 'whole', value };
  } catch (error) {
    return { state: 'broken', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns JSON that the owner can read: indented, with a final line break. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The maximum length of a line, in bytes. Every line that Porchlight writes is shorter. */
const longestLine = 1024 * 1024;
/** What is kept of a line that is too long, in bytes. */
const shownOfLong = 1000;
const chunkBytes = 64 * 1024;
const lineBreak = 10;

/**
 * Runs `work`, which reads `file`. If the file can't be read, reports the file to the watchers in unreadable-files.ts.
 */
const reading = <T>(file: string, work: () => Promise<T>): Promise<T> =>
  reportingUnreadable(file, () =>
    verified(file, work).catch((error: unknown) => {
      throw readFailure(file, error);
    }),
  );

/**
 * Reads the complete lines of a file in batches, without their line breaks. Yields nothing if there is no file.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function* readLines(file: string): AsyncGenerator<string[]> {
  const handle = await reading(file, () => openToRead(file));
  if (handle === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let dropped = 0; // the skipped bytes of the current line, if it is too long
    let place = 0; // the offset of the next chunk
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await reading(file, () => handle.read(chunk, 0, chunkBytes, place));
      if (bytesRead === 0) return;
      place += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines: string[] = [];
      let start = 0;
      for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, start)) {
        // Keep only the beginning of a line that is too long. A truncated line isn't valid JSON, so it counts as
        // unreadable.
        lines.push(bytes.toString('utf8', start, dropped > 0 ? shownOfLong : at));
        dropped = 0;
        start = at + 1;
      }
      rest = bytes.subarray(start, start + longestLine);
      dropped += Math.max(0, bytes.length - start - longestLine);
      if (lines.length > 0) yield lines;
    }
  } finally {
    await handle.close();
  }
}

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes text that arrives in pieces to a file, readable only by its owner (0600). At every moment, `file` has either
 * the complete old content or the complete new content. Resolves once the new content is on disk. The folder must
 * exist.
 *
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`, and errors from
 * `pieces`. In all these cases, `file` is unchanged, unless only the final sync of the folder failed.
 */
export async function saveStream(file: string, pieces: AsyncIterable<string>): Promise<void> {
  // The name is random, so that nobody can create a file or a link with that name beforehand.
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await write(file, temporary, pieces);
    await onDisk(file, async () => {
      await renamePatiently(temporary, file);
      await nodeOperations.syncFolder(dirname(file));
    });
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function write(file: string, temporary: string, pieces: AsyncIterable<string>): Promise<void> {
  const handle = await onDisk(file, () => open(temporary, 'wx', 0o600));
  try {
    for await (const piece of pieces) await onDisk(file, () => handle.writeFile(piece));
    await onDisk(file, () => handle.sync());
  } finally {
    await handle.close();
  }
}

/** Runs a disk operation, and converts its errors to errors with a message for the owner. */
async function onDisk<R>(file: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (cause) {
    throw writeFailure(file, cause);
  }
}
