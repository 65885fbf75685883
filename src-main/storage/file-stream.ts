import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeOperations } from './file-operations.ts';
import { writeFailure } from './storage-error.ts';

/**
 * Writes text that arrives in pieces to a file, readable only by its owner (0600). At every moment, `file` has either
 * all of its old content or all of the new. Resolves once the new content is on disk. The folder must exist.
 *
 * @throws PorchlightError `storage_full` or `storage_unwritable`, and whatever `pieces` throws; then nothing has
 * changed.
 */
export async function saveStream(file: string, pieces: AsyncIterable<string>): Promise<void> {
  // A random name, so that nobody can have put anything there before.
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

/** Runs disk work, and turns its errors into ones with a message for the owner. */
async function onDisk<R>(file: string, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (cause) {
    throw writeFailure(file, cause);
  }
}
