import type { FastifyPluginCallback } from 'fastify';
import type { Post } from '../../contract/posts.ts';
import { invalidRequest, RetryLater } from '../../http/errors.ts';
import { inBackground } from '../../platform/background.ts';
import { createCauseBudget } from '../../platform/cause.ts';
import type { GuardedFetch } from '../../platform/guarded-fetch.ts';
import type { Log } from '../../platform/log.ts';
import type { Records } from '../../storage/records/records.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import { createDistributor } from './distributor.ts';
import { hubRoutes, requestIn } from './hub-routes.ts';
import type { TopicContent } from './subscriber.ts';
import { keptMark, type IntentRequest } from './subscription.ts';
import { createSubscriptions, SiteFull } from './subscriptions.ts';
import { createVerifier } from './verifier.ts';

/** Provides the topics that the hub distributes, and their posts. */
export interface HubSite {
  /**
   * Returns the current content of a topic; undefined if the topic doesn't exist. Leaves out posts whose own URLs
   * aren't live yet.
   */
  content(topic: string): Promise<TopicContent | undefined>;
  /** Returns the URLs of the topics that include a post. */
  topicsOf(post: Post): readonly string[];
  /** Returns the publication time of the next scheduled post, in ms; undefined if no post is scheduled. */
  nextPublication(now: number): Promise<number | undefined>;
  /**
   * Returns public posts that were published after `after` and no later than `by` (both in ms), newest first. The list
   * may be incomplete.
   */
  publishedBetween(after: number, by: number): Promise<readonly Post[]>;
}

export interface HubDeps {
  readonly records: Pick<Records, 'rows' | 'write' | 'settled'>;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly fetch: GuardedFetch;
  readonly site: HubSite;
  /** Records that another server has reached this one. */
  readonly reached: () => void;
  /** Returns the URL of the hub. */
  readonly address: () => string;
  readonly now: () => number;
  /**
   * Returns the trusted time in ms. This time ignores implausible jumps of the computer's clock. Subscriptions expire
   * by the trusted time, so that a wrong clock doesn't delete valid subscriptions.
   */
  readonly leaseNow: () => number;
  readonly log: Log;
}

/** Sends the topics of the site to their WebSub subscribers. */
export interface Hub {
  readonly routes: FastifyPluginCallback;
  /**
   * Accepts a request that the mailbox at Cloudflare stored while this server was away. `fields`: the form fields of
   * the request. `arrived`: when the request reached the mailbox, in ms. `visitor`: the network of its sender, if
   * known. Resolves once the request is on disk: with
   * `known` if the mailbox had already delivered it, otherwise with `new`.
   * @throws PorchlightError invalid_request if the request isn't valid, or the subscriber's site has reached its
   * maximum number of subscriptions; RetryLater if there are too many requests or subscriptions
   */
  requestKept(
    fields: Readonly<Record<string, string>>,
    arrived: number,
    visitor?: string,
  ): Promise<'new' | 'known'>;
  /**
   * Sends the topics that include a changed post to their subscribers, in the background. Call this method once the
   * post is live at its own URL.
   */
  postChanged(change: { readonly post: Post; readonly before?: Post | undefined }): void;
  /** Resumes pending work. From then on, announces scheduled posts when they are published. */
  start(): Promise<void>;
  /** Sends what has changed. Call this method after the computer wakes up or its network changes. */
  wake(): void;
  /** Call this method after the queue of work has stopped. */
  stop(): Promise<void>;
}

/** The limits on the rate of requests: per visitor, and per host of the callback URLs. */
const requestLimits = { visitor: { burst: 20, perMinute: 10 }, host: { burst: 60, perMinute: 30 } };
const longestSleepMs = 60_000;

/** Creates the hub (W3C WebSub). The queue of work sends everything. */
export function createHub(deps: HubDeps): Hub {
  const { records, work, fetch, site, address, now, leaseNow, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const store = createSubscriptions({ records, leaseNow });
  const content = (topic: string) => site.content(topic);
  const tell = inBackground(log);
  const distributor = createDistributor({
    ...{ store, work, fetch, log, now, content, hub: address, signal },
  });
  const verifier = createVerifier({
    ...{ store, work, fetch, log, leaseNow, content, subscribedIn: distributor.renewedIn },
    subscribed: (topic) => tell(distributor.look(new Set([topic]))),
  });
  const budget = createCauseBudget({ ...requestLimits, clock: now });
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  /** Posts that were published up to this time (in ms) have been announced. */
  let announced = now();

  async function announceScheduled(): Promise<void> {
    clearTimeout(timer);
    const moment = now();
    const next = await site.nextPublication(Math.min(announced, moment));
    if (next !== undefined && next <= moment) {
      const posts = await site.publishedBetween(announced, moment);
      announced = moment;
      await distributor.look(new Set(posts.flatMap((post) => site.topicsOf(post))));
    }
    announced = moment;
    const later = await site.nextPublication(moment);
    if (later === undefined || !isStarted || signal.aborted) return;
    clearTimeout(timer);
    // The timer is set for a short time only, because the clock can jump and the computer can sleep.
    const sleep = Math.min(Math.max(0, later - now()), longestSleepMs);
    timer = setTimeout(() => tell(announceScheduled()), sleep).unref();
  }

  async function accept(request: IntentRequest, visitor: string | undefined, mark?: string): Promise<void> {
    const cause = { visitor, address: request.callback };
    const wait = budget.waitMs(cause);
    if (wait > 0) throw new RetryLater('Too many requests to this hub. Try again later.', wait);
    budget.charge(cause, 1);
    await store.request(request, mark, (...change) => verifier.addIn(...change));
  }

  return {
    routes: hubRoutes((request, visitor) => {
      deps.reached();
      return accept(request, visitor);
    }),

    async requestKept(fields, arrived, visitor) {
      const request = requestIn(fields);
      const mark = keptMark(request, arrived);
      if (await store.isKept(mark)) return 'known';
      try {
        await accept(request, visitor, mark);
      } catch (error) {
        // If the subscriber's site already has the maximum number of subscriptions, the hub denies the request, as
        // WebSub allows. After any other error, the mailbox at Cloudflare would retry the request for months.
        throw error instanceof SiteFull ? invalidRequest(error.message) : error;
      }
      return 'new';
    },

    postChanged({ post, before }) {
      if (!isStarted || signal.aborted) return;
      const topics = [post, ...(before ? [before] : [])].flatMap((one) => site.topicsOf(one));
      tell(distributor.look(new Set(topics)));
      tell(announceScheduled());
    },

    async start() {
      isStarted = true;
      await verifier.addMissing();
      await distributor.look();
      await announceScheduled();
    },

    wake() {
      if (!isStarted || signal.aborted) return;
      tell(distributor.look());
      tell(announceScheduled());
    },

    async stop() {
      isStarted = false;
      clearTimeout(timer);
      stopping.abort();
      await tell.finished();
    },
  };
}
