import { join } from 'node:path';
import { highestTurn, turnHolder } from '../../src-main/storage/lock-turns.ts';

/** What the lock of a data folder says: the process that holds it, or `released` after an end in order. */
export async function lockState(dataDir: string) {
  const locks = join(dataDir, 'lock');
  return turnHolder(locks, await highestTurn(locks));
}
