import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { createHostTurns } from '../storage/work/turns.ts';
import type { Log } from '../platform/log.ts';
import { confirms, deny, type TopicContent } from './subscriber.ts';
import { contentHash, requestKeyOf, siteOfCallback, type IntentRequest } from './subscription.ts';
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
  let added = 0;
  const underWay = new Set<Promise<void>>();
  const turns = createHostTurns({ begin, limits: { all: mostAtOnce } });

  function begin(turn: string): Promise<void> | undefined {
    const request = waiting.get(turn);
    waiting.delete(turn);
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
    // A renewal never shortens a lease, because anyone can send one if there is no secret.
    const lease = Math.max(leaseSeconds, store.leaseLeft(request));
    const isConfirmed = await confirms(fetch, { ...request, leaseSeconds: lease }, signal);
    if (!isConfirmed) {
      if (!signal.aborted) log.info({ callback }, 'a WebSub subscriber did not confirm its request');
      await settleUnlessStopped(() => store.drop(request));
      return;
    }
    const expires = new Date(leaseNow() + lease * 1000).toISOString();
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
    /** Adds a request to the end of the queue for verification. Replaces an earlier request with the same key. */
    add(request: IntentRequest): void {
      for (const [turn, one] of waiting)
        if (requestKeyOf(one) === requestKeyOf(request)) waiting.delete(turn);
      const turn = String((added += 1));
      waiting.set(turn, request);
      turns.add(turn, new URL(request.callback).host, siteOfCallback(request));
      turns.start();
    },
    stop: () => Promise.all(underWay),
  };
}
