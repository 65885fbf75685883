import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { choice, closed, Moment, orNull } from '../contract/shapes.ts';
import { siteOfHost } from '../platform/site-name.ts';

/** The longest callback and topic, in characters, and the secret's limit in bytes (WebSub 5.1). */
export const longestAddress = 2000;
export const secretBytes = 200;

const pair = {
  callback: Type.String({ maxLength: longestAddress }),
  topic: Type.String({ maxLength: longestAddress }),
};
const secret = Type.Optional(Type.String({ maxLength: secretBytes }));

/** A verified subscription. */
export const Subscription = closed({
  ...pair,
  secret,
  expires: Moment,
  /** The hash of the content that the subscriber has (see `hashOf`). */
  has: Type.String(),
  /** How many deliveries in a row have failed, and when to try again. */
  failures: Type.Integer({ minimum: 0 }),
  due: orNull(Moment),
});
export type Subscription = Static<typeof Subscription>;

/** A request whose intent is not verified yet. */
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
});
export type Subscriptions = Static<typeof Subscriptions>;
export const subscriptionsFormat = {
  schema: Subscriptions,
  format: 1,
  initial: { subscriptions: [], requests: [] } as Subscriptions,
};

/** The path of the document below the data folder. */
export const subscriptionsFile = 'websub/subscriptions.json';

/** Returns what identifies a subscription: its callback and its topic (WebSub 5.1). */
export const keyOf = ({ callback, topic }: Pick<Subscription, 'callback' | 'topic'>): string =>
  `${callback} ${topic}`;

/** Returns the site that a callback belongs to. */
export const siteOfCallback = ({ callback }: Pick<Subscription, 'callback'>): string =>
  siteOfHost(new URL(callback).host);

export const hashOf = (content: string): string => createHash('sha256').update(content).digest('base64url');
