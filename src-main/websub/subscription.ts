import { createHash } from 'node:crypto';
import { siteOfHost } from '../platform/site-name.ts';

/**
 * The maximum length of a callback or topic URL, in characters. A secret must be shorter than `secretBytes` (WebSub
 * 5.1).
 */
export const longestAddress = 2000;
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
  readonly expires: string;
  /** The hash of the content that the subscriber has (see `contentHash`). */
  readonly has: string;
  /** The number of deliveries that failed in a row. `due` is the time of the next attempt. */
  readonly failures: number;
  readonly due: string | null;
}

/** A request that the subscriber hasn't confirmed yet (WebSub 5.3). */
export interface IntentRequest extends Pair {
  readonly mode: 'subscribe' | 'unsubscribe';
  readonly leaseSeconds: number;
}

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
