import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { claimTurn, freeTurn, highestTurn, keepOnly, turnFile, turnHolder } from './lock-turns.ts';
import { nodeOperations } from './file-operations.ts';
import { holdFolder } from './held-folders.ts';
import { isThere } from './presence.ts';
import { isRunning, thisProcess } from './process-identity.ts';
import { writeFailure } from './storage-error.ts';

export type FolderLock = Awaited<ReturnType<typeof lockFolder>>;

/**
 * Makes sure that only one process works in a data folder, and creates the folder if it is missing. If that process is
 * killed, the next one takes over at once. Until the release, nothing is read or written in the folder unless it is
 * still the same one (see held-folders.ts).
 *
 * Its subfolder `lock` contains numbered files, called turns, and each turn names a process. The process with the
 * highest turn has the lock. To take over from a process that has ended, a process creates the next turn, which only
 * one process can do. Then it checks again and gives way to a higher turn. The highest turn is never removed. So a
 * process whose last check was long ago finds that the next turn is taken, or sees a higher one. Two processes never
 * both believe that they are alone.
 *
 * Limits: the lock covers only the processes of this computer (and container), not a folder shared over a network.
 * Except on Linux, a process id that another program has since been given counts as in use until that program ends.
 *
 * @throws PorchlightError `folder_in_use` (409), naming folder and process; `storage_full`, `storage_unwritable`.
 */
export async function lockFolder(dir: string) {
  const locks = join(dir, 'lock');
  try {
    const isNew = !(await isThere(dir));
    await nodeOperations.makeFolder(locks);
    const taken = await takeTurn(dir, locks);
    return {
      /** True if the data folder was missing and has just been created. */
      isNew,
      ...taken,
    };
  } catch (error) {
    throw writeFailure(locks, error);
  }
}

async function takeTurn(dir: string, locks: string) {
  const self = await thisProcess();
  const id = randomUUID();
  // Each failed iteration means that another process got further, so the loop ends.
  for (;;) {
    const newest = await highestTurn(locks);
    const holder = newest === 0 ? null : await turnHolder(locks, newest);
    const wasReleased = holder === 'released';
    const tookOver = !wasReleased && holder !== null;
    if (tookOver && (await isRunning(holder))) throw inUse(dir, holder.pid);

    const turn = newest + 1;
    if (!(await claimTurn(locks, turn, { ...self, id }))) continue;
    if ((await highestTurn(locks)) === turn) {
      await keepOnly(locks, turn);
      const hold = holdFolder(dir, turnFile(locks, turn), id);
      return {
        /** True if the previous process ended without releasing the lock, because it was killed or crashed. */
        tookOver,
        /** True if the previous process released the lock. A power cut may leave no trace of that process. */
        wasReleased,
        /**
         * Returns whether the locked folder is at its path. Once a different folder has been found there, the result
         * stays false.
         */
        isUnmoved: () => hold.isUnmoved(),
        /** Releases the lock. Never fails: a lock counts as released anyway once its process has ended. */
        async release(): Promise<void> {
          await freeTurn(locks, turn);
          hold.end();
        },
      };
    }
    await rm(turnFile(locks, turn), { force: true });
  }
}

function inUse(dir: string, pid: number): PorchlightError {
  return new PorchlightError(
    'folder_in_use',
    `"${dir}" is in use by another Porchlight (process ${pid}). Close that one first, or choose another data folder.`,
    409,
  );
}
