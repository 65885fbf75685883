import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeOperations } from './file-operations.ts';
import { writeFailure } from './storage-error.ts';

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
      await rename(temporary, file);
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
