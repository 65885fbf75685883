import { rowsIn } from '../../src-main/storage/records/stored-rows.ts';
import {
  intentTable,
  keptMarkTable,
  subscriptionTable,
} from '../../src-main/site/websub/subscription-tables.ts';

/** Reads what the hub has stored in a data folder, also while a server uses the folder. */
export const storedSubscriptions = async (dataDir: string) => ({
  subscriptions: await rowsIn(dataDir, subscriptionTable),
  requests: await rowsIn(dataDir, intentTable),
  kept: (await rowsIn(dataDir, keptMarkTable)).map(({ mark }) => mark),
});
