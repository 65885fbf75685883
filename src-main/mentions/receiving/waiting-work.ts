import { readRecords } from '../../storage/records/closed-records.ts';
import { replaceRows } from '../../storage/records/stored-rows.ts';
import { deliveryTable, sendTables } from '../sending/delivery-table.ts';

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
