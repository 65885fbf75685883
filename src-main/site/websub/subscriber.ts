import type { Common } from '../../http/common.ts';
import { createHmac, randomBytes } from 'node:crypto';
import { FetchError, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { scheduleOf } from '../../platform/retry-schedule.ts';
import { sameText } from '../../platform/secrets.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { Attempt, Outcome } from '../../storage/work/work-kind.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import {
  contentHash,
  type IntentRequest,
  RowPayload,
  type Subscription,
  type WaitingRequest,
  workOf,
} from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

interface DistributorDeps extends Pick<Common, 'fetch' | 'log'> {
  readonly store: Subscriptions;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly now: () => number;
  readonly content: (topic: string) => Promise<TopicContent | undefined>;
  /** Returns the URL of the hub. */
  readonly hub: () => string;
  readonly signal: AbortSignal;
}

interface Current extends TopicContent {
  readonly hash: string;
  readonly madeAt: number;
}

/**
 * The maximum number of simultaneous deliveries: in total, to all subscribers whose last delivery failed, and to such
 * subscribers on the same site.
 */
const deliveries = { total: 32, late: { late: 8, ofDebtor: 2 } };
/** How long generated content can be reused for further deliveries, in ms. */
const contentKeptMs = 10_000;

/**
 * Sends the new content of topics to their subscribers (WebSub 7). Work in the queue means that a subscriber lacks the
 * content of its topic. An attempt sends the content as it is then.
 */
export function createDistributor(deps: DistributorDeps) {
  const { store, fetch, log, now, content, hub } = deps;
  const current = new Map<string, Current>();
  const work = deps.work.defineWork({
    kind: 'websub-deliver',
    payload: RowPayload,
    run,
    retries: scheduleOf('subscriber'),
    ...deliveries,
    debtor: ({ tries, party }) => (tries > 0 ? party : undefined),
  });

  async function make(topic: string): Promise<Current | undefined> {
    const made = await content(topic);
    if (made === undefined) current.delete(topic);
    else
      current.set(topic, { type: made.type, text: made.text, hash: contentHash(made.text), madeAt: now() });
    return current.get(topic);
  }

  async function contentOf(topic: string): Promise<Current | undefined> {
    const known = current.get(topic);
    const isFresh = known && Math.abs(now() - known.madeAt) < contentKeptMs;
    return isFresh ? known : make(topic);
  }

  async function run({ payload, signal }: Attempt<RowPayload>): Promise<Outcome<RowPayload>> {
    const subscription = store.find(payload.seq);
    if (subscription === undefined) return { kind: 'done' };
    const { topic, callback, has } = subscription;
    const made = await contentOf(topic);
    const isNeeded = made !== undefined && made.hash !== has;
    const result = isNeeded
      ? await deliverContent(fetch, subscription, { content: made, hub: hub(), signal })
      : 'taken';
    if (result !== 'taken')
      return {
        kind: 'failed',
        words: 'The subscriber did not accept the content.',
        mayPass: result !== 'gone',
        also(transaction, isCurrent, isOver) {
          if (!isOver || !isCurrent) return;
          store.endIn(transaction, subscription);
          transaction.after(() => log.info({ callback }, 'a WebSub subscriber was dropped'));
        },
      };
    return {
      kind: 'done',
      also(transaction, isCurrent) {
        if (isNeeded) store.deliveredIn(transaction, subscription, made.hash);
        // The content may have changed during the attempt, while this work was still in the queue.
        const latest = current.get(topic)?.hash ?? made?.hash;
        if (isCurrent && latest !== made?.hash) work.addIn(transaction, workOf(subscription));
        transaction.after(() => {
          if (work.size === 0) current.clear();
        });
      },
    };
  }

  return {
    /** Generates the content of topics (all by default), and sends it to the subscribers that lack it. */
    async distribute(topics?: ReadonlySet<string>): Promise<void> {
      for (const topic of store.topics().filter((one) => topics?.has(one) ?? true)) {
        if (deps.signal.aborted) return;
        const made = await make(topic);
        // The subscriptions may have changed while the content was generated, so they are read only now.
        const behind = made === undefined ? [] : store.behind(topic, made.hash);
        // A subscriber whose last delivery failed keeps its place in the schedule.
        if (behind.length > 0) await work.addMissing(...behind.map(workOf));
      }
      if (work.size === 0) current.clear();
    },
    /** Forgets failed deliveries to a subscription that begins or was renewed, in its transaction. */
    renewedIn: (transaction: Transaction, seq: number) => work.cancelIn(transaction, String(seq)),
  };
}

interface VerifierDeps extends Pick<Common, 'fetch' | 'log'> {
  readonly store: Subscriptions;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  /** Returns the trusted time in ms. */
  readonly now: () => number;
  readonly content: (topic: string) => Promise<TopicContent | undefined>;
  /** Called in the transaction in which a subscription begins or is renewed. `seq`: its number. */
  readonly subscribedIn: (transaction: Transaction, seq: number) => void;
  /** Called when a subscription to a topic has begun or was renewed. Must not throw. */
  readonly subscribed: (topic: string) => void;
}

const mostAtOnce = 16;

/** Asks subscribers to confirm the requests that the hub received for them (WebSub 5.3). */
export function createVerifier(deps: VerifierDeps) {
  const { store, fetch, log, now, content, subscribedIn, subscribed } = deps;
  const work = deps.work.defineWork({
    kind: 'websub-confirm',
    payload: RowPayload,
    run,
    total: mostAtOnce,
    // Strangers choose the callbacks, so each request leads to one request there, also if this computer seems offline.
    retries: { pauses: [] },
  });

  async function run({ payload, signal }: Attempt<RowPayload>): Promise<Outcome<RowPayload>> {
    const request = store.findRequest(payload.seq);
    if (request === undefined) return { kind: 'done' };
    const { mode, topic, leaseSeconds, callback } = request;
    const current = mode === 'subscribe' ? await content(topic) : undefined;
    // If this server is stopping, the queue ignores the failure, and the request is verified after the next start.
    const unconfirmed: Outcome<RowPayload> = {
      kind: 'failed',
      words: 'The subscriber did not confirm its request.',
      mayPass: false,
      also(transaction) {
        store.dropIn(transaction, request);
        transaction.after(() => log.info({ callback }, 'a WebSub subscriber did not confirm its request'));
      },
    };
    if (mode === 'subscribe' && current === undefined) {
      await deny(fetch, request, { reason: 'This server has no such topic.', signal });
      if (signal.aborted) return unconfirmed;
      return { kind: 'done', also: (transaction) => store.dropIn(transaction, request) };
    }
    // A renewal never shortens a lease, because anyone can send one if there is no secret.
    const lease = Math.max(leaseSeconds, store.leaseLeft(request));
    if (!(await confirms(fetch, { ...request, leaseSeconds: lease }, signal))) return unconfirmed;
    return {
      kind: 'done',
      also(transaction) {
        if (current === undefined) {
          store.unsubscribeIn(transaction, request);
          return;
        }
        const expires = new Date(now() + lease * 1000).toISOString();
        const has = contentHash(current.text);
        const seq = store.subscribeIn(transaction, request, { expires, has });
        if (seq === undefined) return;
        subscribedIn(transaction, seq);
        // If the topic's content changed while the hub was waiting for the confirmation, this call sends the new content.
        transaction.after(() => subscribed(topic));
      },
    };
  }

  return {
    /** Adds the work for a new request, in its transaction. `replaced`: the numbers of the requests that it replaces. */
    addIn(transaction: Transaction, request: WaitingRequest, replaced: readonly number[]): void {
      work.cancelIn(transaction, ...replaced.map(String));
      work.addIn(transaction, workOf(request));
    },
    /** Adds the work for requests that the queue doesn't know, because they come from a backup. */
    async addMissing(): Promise<void> {
      const missing = store.requests().filter(({ seq }) => work.entry(String(seq)) === undefined);
      if (missing.length > 0) await work.addMissing(...missing.map(workOf));
    },
  };
}

export interface TopicContent {
  readonly type: string;
  readonly text: string;
}

/** The result of a delivery. `gone`: the subscriber must receive no further content. */
type Delivered = 'taken' | 'failed' | 'gone';

// Redirects are not followed, because the callback itself must respond with success (WebSub 5.3.1 and 7).
const subscriberLimits = { maxRedirects: 0, maxBytes: 16 * 1024, timeoutMs: 10_000, isUnnamed: true };

const isSuccess = (status: number) => status >= 200 && status < 300;

/**
 * Asks a subscriber to confirm its request (WebSub 5.3). Returns true only if the subscriber repeats the challenge.
 * Returns false if the request fails with a FetchError.
 * @throws all other errors
 */
async function confirms(
  fetch: GuardedFetch,
  { mode, callback, topic, leaseSeconds }: IntentRequest,
  signal: AbortSignal,
): Promise<boolean> {
  const challenge = randomBytes(24).toString('base64url');
  const query: Record<string, string> = { 'hub.mode': mode, 'hub.topic': topic, 'hub.challenge': challenge };
  if (mode === 'subscribe') query['hub.lease_seconds'] = String(leaseSeconds);
  try {
    const answer = await fetch(withQuery(callback, query), { ...subscriberLimits, signal });
    return isSuccess(answer.status) && sameText(answer.text(), challenge);
  } catch (error) {
    if (error instanceof FetchError) return false;
    throw error;
  }
}

/** Tells a subscriber that its subscription was denied (WebSub 5.2). Ignores the response. */
async function deny(
  fetch: GuardedFetch,
  { callback, topic }: IntentRequest,
  { reason, signal }: { reason: string; signal: AbortSignal },
): Promise<void> {
  const query = { 'hub.mode': 'denied', 'hub.topic': topic, 'hub.reason': reason };
  await fetch(withQuery(callback, query), { ...subscriberLimits, signal }).catch((error: unknown) => {
    if (!(error instanceof FetchError)) throw error;
  });
}

/**
 * Sends the content of a topic to a subscriber (WebSub 7). Signs the content if the subscriber provided a secret
 * (WebSub 8). If the request fails with a FetchError, returns `failed` or `gone`.
 * @throws all other errors
 */
async function deliverContent(
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
      ...subscriberLimits,
      method: 'POST',
      headers,
      body: content.text,
      signal,
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
