import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import {
  claimTurn,
  freeTurn,
  highestTurn,
  keepOnly,
  markEnding,
  turnFile,
  turnHolder,
  wasEnding,
} from './lock-turns.ts';
import { nodeOperations } from './file-operations.ts';
import { holdFolder } from './held-folders.ts';
import { isThere } from './presence.ts';
import { isRunning, thisProcess } from './process-identity.ts';
import { writeFailure } from './storage-error.ts';

export type FolderLock = Awaited<ReturnType<typeof lockFolder>>;

/**
 * Locks a data folder for this process, and creates the folder if it is missing. If the process is killed, another
 * process can take over at once. Until the lock is released, Porchlight reads and writes in the folder only while the
 * path still leads to the locked folder (see held-folders.ts).
 *
 * The subfolder `lock` contains numbered files, called turns. Each turn names a process, and the process with the
 * highest turn has the lock. If that process has ended, another process takes over by creating the next turn, which
 * only one process can do. The new process then checks again, and withdraws if there is a higher turn. The highest turn
 * is never removed. Therefore, two processes never have the lock at the same time, even if one of them has outdated
 * information.
 *
 * Limits: the lock doesn't work between computers or containers that share a folder. On systems other than Linux, an
 * unrelated process may get the process ID of an ended one. The folder then stays locked until that process ends.
 *
 * @throws PorchlightError `folder_in_use` (409) with a message that names the folder and the process; `storage_full`,
 * `storage_unwritable`.
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
  // An attempt fails only if another process was faster. Each process stops once one of them has the lock.
  for (;;) {
    const newest = await highestTurn(locks);
    const holder = newest === 0 ? null : await turnHolder(locks, newest);
    const wasReleased = holder === 'released';
    const isHeld = !wasReleased && holder !== null;
    if (isHeld && (await isRunning(holder))) throw inUse(dir, holder.pid);
    const isCrash = isHeld && !(await wasEnding(locks, newest));

    const turn = newest + 1;
    if (!(await claimTurn(locks, turn, { ...self, id }))) continue;
    if ((await highestTurn(locks)) === turn) {
      await keepOnly(locks, turn);
      const hold = holdFolder(dir, turnFile(locks, turn), id);
      return {
        /**
         * True if the previous process ended without releasing the lock, and had not been asked to end: it was killed or
         * it crashed.
         */
        isCrash,
        /**
         * True if the previous process released the lock. `wasReleased` and `isCrash` are both false if its end took too
         * long, and may be both false after a power cut.
         */
        wasReleased,
        /**
         * Returns whether the folder at the path is the locked folder itself, not a copy of it. Once a copy has been
         * found at the path, the result stays false. A remounted disk may count as a copy.
         */
        isUnmoved: () => hold.isUnmoved(),
        /**
         * Records that this process was asked to end. If its end then takes so long that it is killed, that is not a
         * crash. Never fails.
         */
        markEnding: () => markEnding(locks, turn),
        /** Releases the lock. Never fails, because ending the process also releases the lock. */
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
