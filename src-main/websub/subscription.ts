import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { choice, closed, Moment, orNull } from '../contract/shapes.ts';
import { siteOfHost } from '../platform/site-name.ts';

/**
 * The maximum length of a callback or topic URL, in characters. A secret must be shorter than `secretBytes` (WebSub
 * 5.1).
 */
export const longestAddress = 2000;
export const secretBytes = 200;

const pair = {
  callback: Type.String({ maxLength: longestAddress }),
  topic: Type.String({ maxLength: longestAddress }),
};
const secret = Type.Optional(Type.String({ maxLength: secretBytes }));

/**
 * A verified subscription. A callback can have several subscriptions to a topic, with different secrets. The hub can't
 * tell whether the subscriber or a stranger has sent a new secret, because a callback confirms requests without seeing
 * their secrets. So an earlier secret stays valid until its lease ends, and content is sent once for each secret.
 */
export const Subscription = closed({
  ...pair,
  secret,
  expires: Moment,
  /** The hash of the content that the subscriber has (see `contentHash`). */
  has: Type.String(),
  /** The number of deliveries that failed in a row. `due` is the time of the next attempt. */
  failures: Type.Integer({ minimum: 0 }),
  due: orNull(Moment),
});
export type Subscription = Static<typeof Subscription>;

/** A request that the subscriber hasn't confirmed yet (WebSub 5.3). */
export const IntentRequest = closed({
  ...pair,
  secret,
  mode: choice('subscribe', 'unsubscribe'),
  leaseSeconds: Type.Integer({ minimum: 1 }),
});
export type IntentRequest = Static<typeof IntentRequest>;

const Subscriptions = closed({
  subscriptions: Type.Array(Subscription),
  requests: Type.Array(IntentRequest),
  /**
   * The marks (see `keptMark`) of the newest requests from the mailbox at Cloudflare. They identify repeated requests:
   * if Porchlight is killed, the mailbox may deliver a request twice.
   */
  kept: Type.Optional(Type.Array(Type.String())),
});
export type Subscriptions = Static<typeof Subscriptions>;
export const subscriptionsFormat = {
  schema: Subscriptions,
  format: 1,
  initial: { subscriptions: [], requests: [] } as Subscriptions,
};

/** The path of the document with the subscriptions, relative to the data folder. */
export const subscriptionsFile = 'websub/subscriptions.json';

/** Returns the key of a subscription: its callback and its topic (WebSub 5.1). */
export const keyOf = ({ callback, topic }: Pick<Subscription, 'callback' | 'topic'>): string =>
  `${callback} ${topic}`;

/** Returns the key of the deliveries of a subscription: its callback, its topic and its secret. */
export const deliveryKeyOf = (one: Pick<Subscription, 'callback' | 'topic' | 'secret'>): string =>
  `${keyOf(one)} ${one.secret ?? ''}`;

/** Returns the key of a request. A new request replaces only a request with the same key. */
export const requestKeyOf = (request: IntentRequest): string =>
  `${request.mode} ${request.mode === 'subscribe' ? deliveryKeyOf(request) : keyOf(request)}`;

/** Returns the site of a subscription's callback URL. */
export const siteOfCallback = ({ callback }: Pick<Subscription, 'callback'>): string =>
  siteOfHost(new URL(callback).host);

/**
 * Returns a mark that identifies a request from the mailbox at Cloudflare. `arrived`: when the request reached the
 * mailbox, in ms.
 */
export const keptMark = (request: IntentRequest, arrived: number): string =>
  contentHash(`${requestKeyOf(request)} ${arrived}`);

export const contentHash = (content: string): string =>
  createHash('sha256').update(content).digest('base64url');
