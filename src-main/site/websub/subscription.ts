import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { closed } from '../../contract/shapes.ts';
import { siteOfHost } from '../../platform/site-name.ts';
import type { NewWork } from '../../storage/work/work-kind.ts';

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
