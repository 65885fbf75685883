import { rowsIn } from '../../src-main/storage/records/closed-records.ts';
import { intentTable, keptMarkTable, subscriptionTable } from '../../src-main/site/websub/subscription.ts';

/** Reads what the hub has stored in a data folder, also while a server uses the folder. */
export const storedSubscriptions = async (dataDir: string) => ({
  subscriptions: await rowsIn(dataDir, subscriptionTable),
  requests: await rowsIn(dataDir, intentTable),
  kept: (await rowsIn(dataDir, keptMarkTable)).map(({ mark }) => mark),
});
