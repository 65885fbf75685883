import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import type { Attempt, Outcome } from '../../storage/work/work-kind.ts';
import { confirms, deny, type TopicContent } from './subscriber.ts';
import { contentHash, RowPayload, workOf, type WaitingRequest } from './subscription.ts';
import type { SubscriptionStore } from './subscriptions.ts';

interface VerifierDeps {
  readonly store: SubscriptionStore;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly fetch: GuardedFetch;
  readonly log: Log;
  readonly leaseNow: () => number;
  readonly content: (topic: string) => Promise<TopicContent | undefined>;
  /** Called in the transaction in which a subscription begins or is renewed. `seq`: its number. */
  readonly subscribedIn: (transaction: Transaction, seq: number) => void;
  /** Called when a subscription to a topic has begun or was renewed. Must not throw. */
  readonly subscribed: (topic: string) => void;
}

const mostAtOnce = 16;

/** Asks subscribers to confirm the requests that the hub received for them (WebSub 5.3). */
export function createVerifier(deps: VerifierDeps) {
  const { store, fetch, log, leaseNow, content, subscribedIn, subscribed } = deps;
  const work = deps.work.defineWork({
    ...{ kind: 'websub-confirm', payload: RowPayload, run, total: mostAtOnce },
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
      ...{ kind: 'failed', words: 'The subscriber did not confirm its request.', mayPass: false },
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
        const expires = new Date(leaseNow() + lease * 1000).toISOString();
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
      if (missing.length > 0)
        await work.add(...missing.map((request) => ({ ...workOf(request), keeps: true })));
    },
  };
}
