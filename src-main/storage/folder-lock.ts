import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { claimTurn, freeTurn, highestTurn, keepOnly, turnHolder, withdrawTurn } from './lock-turns.ts';
import { nodeOperations } from './file-operations.ts';
import { isRunning, thisProcess } from './process-identity.ts';
import { errorCode, writeFailure } from './storage-error.ts';

export interface FolderLock {
  /** True where the process before ended without letting go: it was killed, or it crashed. */
  readonly tookOver: boolean;
  /** Lets the next one in. Never fails: a lock whose process has ended counts as released anyway. */
  release(): Promise<void>;
}

/**
 * Makes sure that one process works in a data folder; makes the folder where it is missing. After a kill the next
 * start takes over at once.
 *
 * The folder `lock` in it holds numbered files, turns, each naming a process. The highest turn has the lock. To take
 * over from a process that has ended, a process makes the next turn, which only one can; then it looks once more and
 * gives way to a higher one. The highest turn is never removed: so one who looked long ago either finds its turn
 * taken, or sees the higher one that made its turn free again. Two can never both believe to be alone.
 *
 * Limits: it sees the processes of this computer (and container) only, not a folder shared over a network. Outside
 * Linux a process number that another program has got since then counts as in use until that program ends.
 *
 * @throws PorchlightError `folder_in_use` (409), naming folder and process; `storage_full`, `storage_unwritable`.
 */
export async function lockFolder(dir: string): Promise<FolderLock> {
  const locks = join(dir, 'lock');
  try {
    await nodeOperations.makeFolder(locks);
    return await takeTurn(dir, locks);
  } catch (error) {
    throw error instanceof PorchlightError ? error : writeFailure(locks, await reasonOf(dir, error));
  }
}

/** Making folders on a disk that may only be read fails with a name that says nothing (ENOENT). */
async function reasonOf(dir: string, error: unknown): Promise<unknown> {
  if (errorCode(error) !== 'ENOENT') return error;
  return access(dir, constants.W_OK).then(
    () => error,
    (reason: unknown) => (errorCode(reason) === 'ENOENT' ? error : reason),
  );
}

async function takeTurn(dir: string, locks: string): Promise<FolderLock> {
  const self = await thisProcess();
  // Every round but the last is lost to a process that got further, so this ends.
  for (;;) {
    const newest = await highestTurn(locks);
    const holder = newest === 0 ? null : await turnHolder(locks, newest);
    if (holder !== null && (await isRunning(holder))) throw inUse(dir, holder.pid);

    const turn = newest + 1;
    if (!(await claimTurn(locks, turn, self))) continue;
    if ((await highestTurn(locks)) === turn) {
      await keepOnly(locks, turn);
      return { tookOver: holder !== null, release: () => freeTurn(locks, turn) };
    }
    await withdrawTurn(locks, turn);
  }
}

function inUse(dir: string, pid: number): PorchlightError {
  return new PorchlightError(
    'folder_in_use',
    `"${dir}" is in use by another Porchlight (process ${pid}). Close that one first, or choose another data folder.`,
    409,
  );
}
