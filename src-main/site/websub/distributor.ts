import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import { scheduleOf } from '../../platform/retry-schedule.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import type { Attempt, Outcome } from '../../storage/work/work-kind.ts';
import { deliverContent, type TopicContent } from './subscriber.ts';
import { contentHash, RowPayload, workOf } from './subscription.ts';
import type { SubscriptionStore } from './subscriptions.ts';

interface DistributorDeps {
  readonly store: SubscriptionStore;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly fetch: GuardedFetch;
  readonly log: Log;
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
const limits = { total: 32, late: { late: 8, ofDebtor: 2 } };
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
    ...{ kind: 'websub-deliver', payload: RowPayload, run, retries: scheduleOf('subscriber') },
    ...limits,
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
        ...{
          kind: 'failed',
          words: 'The subscriber did not accept the content.',
          mayPass: result !== 'gone',
        },
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
    async look(topics?: ReadonlySet<string>): Promise<void> {
      for (const topic of store.topics().filter((one) => topics?.has(one) ?? true)) {
        if (deps.signal.aborted) return;
        const made = await make(topic);
        // The subscriptions may have changed while the content was generated, so they are read only now.
        const behind = made === undefined ? [] : store.behind(topic, made.hash);
        // A subscriber whose last delivery failed keeps its place in the schedule.
        if (behind.length > 0) await work.add(...behind.map((one) => ({ ...workOf(one), keeps: true })));
      }
      if (work.size === 0) current.clear();
    },
    /** Forgets failed deliveries to a subscription that begins or was renewed, in its transaction. */
    renewedIn: (transaction: Transaction, seq: number) => work.cancelIn(transaction, String(seq)),
  };
}
