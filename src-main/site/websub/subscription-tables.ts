import { Type, type Static } from 'typebox';
import { choice, closed, Moment, orNull } from '../../contract/shapes.ts';
import { isWrittenTime, recordTable } from '../../storage/records/record-table.ts';
import { longestAddress, secretBytes, type Subscription, type WaitingRequest } from './subscription.ts';

// The secrets of a backup belong to these numbers, so a number is never used again.
const Seq = Type.Integer({ minimum: 1 });
const pair = {
  callback: Type.String({ maxLength: longestAddress }),
  topic: Type.String({ maxLength: longestAddress }),
  secret: orNull(Type.String({ maxLength: secretBytes })),
};
const isWebUrl = (text: string) => /^https?:/.test(text) && URL.canParse(text);

export const subscriptionTable = recordTable({
  name: 'websub_subscriptions',
  /** See Subscription. */
  row: closed({ seq: Seq, ...pair, expires: Moment, has: Type.String() }),
  // Expired rows are found by comparing texts.
  isSound: ({ callback, expires }) => isWebUrl(callback) && isWrittenTime(expires),
  create: `CREATE TABLE IF NOT EXISTS websub_subscriptions (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, callback TEXT NOT NULL, topic TEXT NOT NULL, secret TEXT, expires TEXT NOT NULL,
      has TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS websub_subscriptions_by_pair ON websub_subscriptions (callback, topic);
    CREATE INDEX IF NOT EXISTS websub_subscriptions_by_topic ON websub_subscriptions (topic, expires);
    CREATE INDEX IF NOT EXISTS websub_subscriptions_by_end ON websub_subscriptions (expires)`,
  format: 1,
  secretColumn: 'secret',
});

export const intentTable = recordTable({
  name: 'websub_requests',
  /** See WaitingRequest. */
  row: closed({
    ...{ seq: Seq, ...pair, mode: choice('subscribe', 'unsubscribe') },
    lease_seconds: Type.Integer({ minimum: 1 }),
  }),
  isSound: ({ callback }) => isWebUrl(callback),
  create: `CREATE TABLE IF NOT EXISTS websub_requests (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, callback TEXT NOT NULL, topic TEXT NOT NULL, secret TEXT, mode TEXT NOT NULL,
      lease_seconds INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS websub_requests_by_pair ON websub_requests (callback, topic)`,
  format: 1,
  secretColumn: 'secret',
});

/**
 * The marks (see `keptMark`) of the newest requests from the mailbox at Cloudflare. They identify repeated requests: if
 * Porchlight is killed, the mailbox may deliver a request twice.
 */
export const keptMarkTable = recordTable({
  name: 'websub_kept',
  row: closed({ seq: Seq, mark: Type.String() }),
  create:
    'CREATE TABLE IF NOT EXISTS websub_kept (seq INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE) STRICT',
  format: 1,
});

/** All tables of the hub. */
export const hubTables = [subscriptionTable, intentTable, keptMarkTable];

export type RequestRow = Static<typeof intentTable.row>;
export type SubscriptionRow = Static<typeof subscriptionTable.row>;

/** Returns the subscription in a row. */
export function subscriptionIn({ secret, ...row }: SubscriptionRow): Subscription {
  return { ...row, ...(secret !== null && { secret }) };
}

/** Returns the request in a row. */
export function requestInRow({ secret, lease_seconds: leaseSeconds, ...row }: RequestRow): WaitingRequest {
  return { ...row, leaseSeconds, ...(secret !== null && { secret }) };
}
