import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { choice, closed, Moment, orNull } from '../../contract/shapes.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import {
  asChecked,
  isWrittenTime,
  readRow,
  recordTable,
  type Row,
} from '../../storage/records/record-table.ts';
import type { NewWork } from '../../storage/work/work-kind.ts';

/**
 * The maximum length of a callback or topic URL, in characters. A secret must be shorter than `secretBytes` (WebSub
 * 5.1).
 */
export const longestHubUrl = 2000;
export const secretBytes = 200;

interface Pair {
  readonly callback: string;
  readonly topic: string;
  readonly secret?: string;
}

/**
 * A verified subscription. A callback can have several subscriptions to a topic, with different secrets. The hub can't
 * tell whether the subscriber or a stranger has sent a new secret, because a callback confirms requests without seeing
 * their secrets. So an earlier secret stays valid until its lease ends, and content is sent once for each secret.
 */
export interface Subscription extends Pair {
  readonly seq: number;
  readonly expires: string;
  /** The hash of the content that the subscriber has (see `contentHash`). */
  readonly has: string;
}

/** A request of a subscriber (WebSub 5.1). */
export interface IntentRequest extends Pair {
  readonly mode: 'subscribe' | 'unsubscribe';
  readonly leaseSeconds: number;
}

/** A request that the subscriber hasn't confirmed yet (WebSub 5.3). */
export interface WaitingRequest extends IntentRequest {
  readonly seq: number;
}

/** Returns the key of a subscription: its callback and its topic (WebSub 5.1). */
export const keyOf = ({ callback, topic }: Pick<Subscription, 'callback' | 'topic'>): string =>
  `${callback} ${topic}`;

/** Returns the key of a request. A new request replaces only a request with the same key. */
export const requestKeyOf = (request: IntentRequest): string =>
  `${request.mode} ${keyOf(request)}${request.mode === 'subscribe' ? ` ${request.secret ?? ''}` : ''}`;

/** Returns the site of a subscription's callback URL. */
export const siteOfCallback = ({ callback }: Pick<Subscription, 'callback'>): string =>
  siteOfHost(new URL(callback).host);

/** The payload of the hub's work: the row that it is about. The secret is only in the row. */
export const RowPayload = closed({ seq: Type.Integer() });
export type RowPayload = Static<typeof RowPayload>;

/** Returns the work that contacts the callback of a subscription or of a request. */
export function workOf({ seq, callback }: Pick<Subscription, 'seq' | 'callback'>): NewWork<RowPayload> {
  const { host } = new URL(callback);
  return { key: String(seq), party: siteOfHost(host), host, payload: { seq } };
}

/**
 * Returns a mark that identifies a request from the mailbox at Cloudflare. `arrived`: when the request reached the
 * mailbox, in ms.
 */
export const keptMark = (request: IntentRequest, arrived: number): string =>
  contentHash(`${requestKeyOf(request)} ${arrived}`);

export const contentHash = (content: string): string =>
  createHash('sha256').update(content).digest('base64url');

// The secrets of a backup belong to these numbers, so a number is never used again.
const Seq = Type.Integer({ minimum: 1 });
const pair = {
  callback: Type.String({ maxLength: longestHubUrl }),
  topic: Type.String({ maxLength: longestHubUrl }),
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
  cleaned: asChecked,
  secretColumn: 'secret',
});

export const intentTable = recordTable({
  name: 'websub_requests',
  /** See WaitingRequest. */
  row: closed({
    seq: Seq,
    ...pair,
    mode: choice('subscribe', 'unsubscribe'),
    lease_seconds: Type.Integer({ minimum: 1 }),
  }),
  isSound: ({ callback }) => isWebUrl(callback),
  create: `CREATE TABLE IF NOT EXISTS websub_requests (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, callback TEXT NOT NULL, topic TEXT NOT NULL, secret TEXT, mode TEXT NOT NULL,
      lease_seconds INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS websub_requests_by_pair ON websub_requests (callback, topic)`,
  format: 1,
  cleaned: asChecked,
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
  cleaned: asChecked,
});

/** All tables of the hub. */
export const hubTables = [subscriptionTable, intentTable, keptMarkTable];

export type SubscriptionRow = Static<typeof subscriptionTable.row>;

/** Returns the subscription in a row. */
export function subscriptionIn(found: Row): Subscription {
  const { secret, ...row } = readRow(subscriptionTable, found);
  return { ...row, ...(secret !== null && { secret }) };
}

/** Returns the request in a row. */
export function requestInRow(found: Row): WaitingRequest {
  const { secret, lease_seconds: leaseSeconds, ...row } = readRow(intentTable, found);
  return { ...row, leaseSeconds, ...(secret !== null && { secret }) };
}
