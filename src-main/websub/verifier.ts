import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { createHostTurns } from '../platform/host-turns.ts';
import type { Log } from '../platform/log.ts';
import { confirms, deny, type TopicContent } from './subscriber.ts';
import { contentHash, keyOf, siteOfCallback, type IntentRequest } from './subscription.ts';
import type { SubscriptionStore } from './subscriptions.ts';

interface VerifierDeps {
  readonly store: SubscriptionStore;
  readonly fetch: GuardedFetch;
  readonly log: Log;
  readonly leaseNow: () => number;
  readonly content: (topic: string) => Promise<TopicContent | undefined>;
  readonly signal: AbortSignal;
  /** Called when a subscription to a topic begins. */
  readonly subscribed: (topic: string) => void;
}

const mostAtOnce = 16;

/** Asks subscribers to confirm the requests that the hub received for them (WebSub 5.3). */
export function createVerifier(deps: VerifierDeps) {
  const { store, fetch, log, leaseNow, content, signal, subscribed } = deps;
  const waiting = new Map<string, IntentRequest>();
  const underWay = new Set<Promise<void>>();
  const turns = createHostTurns({ begin, limits: { all: mostAtOnce } });

  function begin(key: string): Promise<void> | undefined {
    const request = waiting.get(key);
    waiting.delete(key);
    if (request === undefined || signal.aborted) return undefined;
    const done = verify(request)
      .catch((error: unknown) => log.error({ err: error }, 'A WebSub request could not be verified.'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  }

  async function verify(request: IntentRequest): Promise<void> {
    const { mode, topic, leaseSeconds, callback, secret } = request;
    const current = mode === 'subscribe' ? await content(topic) : undefined;
    if (mode === 'subscribe' && current === undefined) {
      await deny(fetch, request, { reason: 'This server has no such topic.', signal });
      await settleUnlessStopped(() => store.drop(request));
      return;
    }
    const isConfirmed = await confirms(fetch, request, signal);
    if (!isConfirmed) {
      if (!signal.aborted) log.info({ callback }, 'a WebSub subscriber did not confirm its request');
      await settleUnlessStopped(() => store.drop(request));
      return;
    }
    const expires = new Date(leaseNow() + leaseSeconds * 1000).toISOString();
    const isNew = await store.settle(
      request,
      current && {
        ...{ callback, topic, expires, has: contentHash(current.text), failures: 0, due: null },
        ...(secret !== undefined && { secret }),
      },
    );
    // If the topic's content changed while the hub was waiting for the confirmation, this call sends the new content.
    if (isNew && current) subscribed(topic);
  }

  /**
   * Runs `settle` unless this server is stopping. If stopping interrupts the verification of a request, the request is
   * verified after the next start.
   */
  const settleUnlessStopped = async (settle: () => Promise<unknown>): Promise<void> => {
    if (!signal.aborted) await settle();
  };

  return {
    /** Adds a request to the queue for verification. */
    add(request: IntentRequest): void {
      const key = keyOf(request);
      waiting.set(key, request);
      turns.add(key, new URL(request.callback).host, siteOfCallback(request));
      turns.start();
    },
    stop: () => Promise.all(underWay),
  };
}
