import { createHmac, randomBytes } from 'node:crypto';
import { FetchError, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { sameText } from '../../platform/secret-text.ts';
import type { IntentRequest, Subscription } from './subscription.ts';

export interface TopicContent {
  readonly type: string;
  readonly text: string;
}

/** The result of a delivery. `gone`: the subscriber must receive no further content. */
export type Delivered = 'taken' | 'failed' | 'gone';

// Redirects are not followed, because the callback itself must respond with success (WebSub 5.3.1 and 7).
const limits = { maxRedirects: 0, maxBytes: 16 * 1024, timeoutMs: 10_000 };

const isSuccess = (status: number) => status >= 200 && status < 300;

/**
 * Asks a subscriber to confirm its request (WebSub 5.3). Returns true only if the subscriber repeats the challenge.
 * Returns false if the request fails with a FetchError.
 * @throws all other errors
 */
export async function confirms(
  fetch: GuardedFetch,
  { mode, callback, topic, leaseSeconds }: IntentRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const challenge = randomBytes(24).toString('base64url');
  const query: Record<string, string> = { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': challenge };
  if (mode === 'subscribe') query['hub.lease_seconds'] = String(leaseSeconds);
  try {
    const answer = await fetch(withQuery(callback, query), { ...limits, signal });
    return isSuccess(answer.status) && sameText(answer.text(), challenge);
  } catch (error) {
    if (error instanceof FetchError) return false;
    throw error;
  }
}

/** Tells a subscriber that its subscription was denied (WebSub 5.2). Ignores the response. */
export async function deny(
  fetch: GuardedFetch,
  { callback, topic }: IntentRequest,
  { reason, signal }: { reason: string; signal: AbortSignal },
): Promise<void> {
  const query = { 'hub.mode': 'denied', 'hub.topic': topic, 'hub.reason': reason };
  await fetch(withQuery(callback, query), { ...limits, signal }).catch((error: unknown) => {
    if (!(error instanceof FetchError)) throw error;
  });
}

/**
 * Sends the content of a topic to a subscriber (WebSub 7). Signs the content if the subscriber provided a secret
 * (WebSub 8). If the request fails with a FetchError, returns `failed` or `gone`.
 * @throws all other errors
 */
export async function deliverContent(
  fetch: GuardedFetch,
  { callback, topic, secret }: Subscription,
  { content, hub, signal }: { content: TopicContent; hub: string; signal: AbortSignal },
): Promise<Delivered> {
  const headers = {
    'content-type': content.type,
    link: `<${hub}>; rel="hub", <${topic}>; rel="self"`,
    ...(secret !== undefined && {
      'x-hub-signature': `sha256=${createHmac('sha256', secret).update(content.text).digest('hex')}`,
    }),
  };
  try {
    const { status } = await fetch(callback, {
      ...{ ...limits, method: 'POST', headers, body: content.text, signal },
    });
    if (isSuccess(status)) return 'taken';
    return status === 410 ? 'gone' : 'failed';
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error.code === 'fetch_refused_address' || error.code === 'fetch_bad_url' ? 'gone' : 'failed';
  }
}

/**
 * Returns a callback URL with added query parameters and without its fragment. Keeps the existing query byte for byte.
 */
function withQuery(callback: string, query: Readonly<Record<string, string>>): string {
  const [address = ''] = callback.split('#', 1);
  return `${address}${address.includes('?') ? '&' : '?'}${new URLSearchParams(query).toString()}`;
}
