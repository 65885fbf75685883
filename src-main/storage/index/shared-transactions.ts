import { setImmediate as nextTurn } from 'node:timers/promises';
import type { IndexDatabase } from './index-database.ts';

/**
 * Returns a function that runs a change to the index in one transaction with other changes that are requested at the same
 * time. Its promise rejects if any of these changes fails.
 */
export function sharedTransactions(
  index: Pick<IndexDatabase, 'together' | 'writable'>,
): (change: () => void) => Promise<void> {
  let group: ReturnType<typeof newGroup> | undefined;

  function newGroup() {
    const changes: (() => void)[] = [];
    const done = nextTurn().then(async () => {
      await index.writable();
      group = undefined;
      index.together(() => changes.forEach((change) => change()));
    });
    return { changes, done };
  }

  return (change) => {
    group ??= newGroup();
    group.changes.push(change);
    return group.done;
  };
}
