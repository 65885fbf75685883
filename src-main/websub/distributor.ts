import { createDueOrder } from '../storage/work/due-order.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import { createHostTurns } from '../storage/work/turns.ts';
import type { Log } from '../platform/log.ts';
import { nextAttempt, plausibleDue } from '../platform/retry-schedule.ts';
import { deliverContent, type TopicContent } from './subscriber.ts';
import { contentHash, deliveryKeyOf, siteOfCallback, type Subscription } from './subscription.ts';
import type { SubscriptionStore } from './subscriptions.ts';

interface DistributorDeps {
  readonly store: SubscriptionStore;
  readonly fetch: GuardedFetch;
  readonly log: Log;
  readonly now: () => number;
  readonly leaseNow: () => number;
  readonly content: (topic: string) => Promise<TopicContent | undefined>;
  /** Returns the URL of the hub. */
  readonly hub: () => string;
  readonly signal: AbortSignal;
}

/** A subscriber that hasn't received the current content of its topic. */
interface Behind {
  readonly subscription: Subscription;
  readonly due: number;
}

interface Current extends TopicContent {
  readonly hash: string;
  readonly madeAt: number;
}

/**
 * The maximum number of simultaneous deliveries. `all`: in total. `late`: to all subscribers whose last delivery
 * failed. `ofDebtor`: to such subscribers on the same site.
 */
const limits = { all: 32, late: 8, ofDebtor: 2 };
/** How long generated content can be reused for further deliveries, in ms. */
const contentKeptMs = 10_000;
/** Timers stop while the computer sleeps, so the distributor checks for due deliveries at this interval, in ms. */
const longestSleepMs = 60_000;

/** Sends the new content of topics to their subscribers (WebSub 7). */
export function createDistributor(deps: DistributorDeps) {
  const { store, fetch, log, now, leaseNow, content, hub, signal } = deps;
  const behind = new Map<string, Behind>();
  const order = createDueOrder<Behind>((one) => behind.get(deliveryKeyOf(one.subscription)) === one);
  const current = new Map<string, Current>();
  /**
   * For each subscriber, the hash of the content that is currently being sent. The distributor doesn't send the same
   * content again in the meantime.
   */
  const sending = new Map<string, string>();
  const underWay = new Set<Promise<void>>();
  const turns = createHostTurns({
    begin,
    limits,
    debtor: (key, site) => ((behind.get(key)?.subscription.failures ?? 0) > 0 ? site : undefined),
  });
  let timer: NodeJS.Timeout | undefined;

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

  function put(subscription: Subscription, due: number): void {
    const one = { subscription, due };
    behind.set(deliveryKeyOf(subscription), one);
    order.add(one, due);
  }

  function run(): void {
    clearTimeout(timer);
    if (signal.aborted) return;
    for (let one = order.take(now()); one !== undefined; one = order.take(now())) {
      const { subscription } = one;
      turns.add(
        deliveryKeyOf(subscription),
        new URL(subscription.callback).host,
        siteOfCallback(subscription),
      );
    }
    turns.start();
    if (behind.size === 0) current.clear();
    const sleep = Math.min(Math.max(0, order.next() - now()), longestSleepMs);
    if (order.next() < Infinity) timer = setTimeout(run, sleep).unref();
  }

  function begin(key: string): Promise<void> | undefined {
    const one = behind.get(key);
    if (one === undefined || one.due > now() || signal.aborted) return undefined;
    behind.delete(key);
    const done = carry(one.subscription)
      .catch((error: unknown) => log.error({ err: error }, 'A WebSub delivery failed.'))
      .finally(() => {
        underWay.delete(done);
        sending.delete(key);
        run();
      });
    underWay.add(done);
    return done;
  }

  async function carry(subscription: Subscription): Promise<void> {
    if (Date.parse(subscription.expires) <= leaseNow()) return;
    const made = await contentOf(subscription.topic);
    if (made === undefined || made.hash === subscription.has) return;
    sending.set(deliveryKeyOf(subscription), made.hash);
    const result = await deliverContent(fetch, subscription, { content: made, hub: hub(), signal });
    // If a delivery failed because this server is stopping, it is repeated after the next start.
    if (result !== 'taken' && signal.aborted) return;
    if (result === 'taken') {
      await store.delivered(subscription, { has: made.hash, failures: 0, due: null });
      return;
    }
    const failures = subscription.failures + 1;
    const due = result === 'gone' ? undefined : nextAttempt('subscriber', { failures, now: now() });
    if (due === undefined) {
      log.info({ callback: subscription.callback }, 'a WebSub subscriber was dropped');
      await store.end(subscription);
      return;
    }
    const change = { has: subscription.has, failures, due: new Date(due).toISOString() };
    await store.delivered(subscription, change);
    put({ ...subscription, ...change }, due);
  }

  return {
    /** Generates the content of topics (all by default), and sends it to the subscribers that lack it. */
    async look(topics?: ReadonlySet<string>): Promise<void> {
      for (const topic of store.topics().filter((one) => topics?.has(one) ?? true)) {
        if (signal.aborted) return;
        const made = await make(topic);
        // The subscriptions may have changed while the content was generated, so they are read only now.
        for (const one of store.live(topic)) {
          if (made === undefined || one.has === made.hash) continue;
          if (sending.get(deliveryKeyOf(one)) === made.hash) continue;
          put(one, one.due === null ? now() : plausibleDue('subscriber', Date.parse(one.due), now()));
        }
        run();
      }
    },
    async stop(): Promise<void> {
      clearTimeout(timer);
      await Promise.all(underWay);
    },
  };
}
