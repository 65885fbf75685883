import { join } from 'node:path';
import { readRecords } from '../storage/records/closed-records.ts';
import { replaceRows } from '../storage/records/stored-rows.ts';
import { replaceByCopy } from '../storage/unopened.ts';
import { waits } from './queue-entry.ts';
import { readQueue } from './queue-file.ts';
import { deliveryTable, sendTables } from './send/delivery-table.ts';

/**
 * Returns the number of unverified mentions in a webmentions folder. A server that uses the folder will verify them.
 */
export async function countQueued(dir: string): Promise<number> {
  const { entries } = await readQueue(join(dir, 'queue.jsonl'));
  return [...entries.values()].filter(waits).length;
}

/** Checks the queue in a webmentions folder. Returns a description of each problem. */
export async function queueProblems(dir: string): Promise<string[]> {
  const { unread } = await readQueue(join(dir, 'queue.jsonl'));
  return unread > 0 ? ['The queue has lines that cannot be read.'] : [];
}

/**
 * Replaces the queue in folder `there` with a copy of the queue in folder `here`. A server that uses `there` then
 * verifies the mentions that were waiting in `here`.
 */
export async function keepQueue(here: string, there: string): Promise<void> {
  await replaceByCopy(join(there, 'queue.jsonl'), join(here, 'queue.jsonl'));
}

/** Returns the number of unsent webmentions in a data folder. A server that uses the folder will send them. */
export async function countOutgoing(dataDir: string): Promise<number> {
  const count = await readRecords(dataDir, deliveryTable, (database) =>
    Number(database.prepare("SELECT count(*) AS n FROM deliveries WHERE state = 'waiting'").get()?.['n']),
  );
  return typeof count === 'number' ? count : 0;
}

/** Replaces what was sent, and waits to be sent, in the folder `there` by that in the folder `here`. */
export const keepOutgoing = (here: string, there: string): Promise<void> =>
  replaceRows(here, there, sendTables);
