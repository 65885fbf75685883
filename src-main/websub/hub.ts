import type { FastifyPluginCallback } from 'fastify';
import type { Post } from '../contract/posts.ts';
import { RetryLater } from '../http/errors.ts';
import { inBackground } from '../platform/background.ts';
import { createCauseBudget } from '../platform/cause.ts';
import type { GuardedFetch } from '../platform/guarded-fetch.ts';
import type { Log } from '../platform/log.ts';
import type { Recovery } from '../storage/recovery.ts';
import { createDistributor } from './distributor.ts';
import { hubRoutes } from './hub-routes.ts';
import type { TopicContent } from './subscriber.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createVerifier } from './verifier.ts';

/** The site whose topics the hub distributes. */
export interface HubSite {
  /**
   * Returns the current content of a topic, without posts that aren't live at their own URLs yet; undefined if there is
   * no such topic.
   */
  content(topic: string): Promise<TopicContent | undefined>;
  /** Returns the topics that show a post. */
  topicsOf(post: Post): readonly string[];
  /** Returns when the next scheduled post is published, in ms; undefined if none is scheduled. */
  nextPublication(now: number): Promise<number | undefined>;
  /** Returns some of the public posts that were published after `after` and by `by`, in ms, newest first. */
  publishedBetween(after: number, by: number): Promise<readonly Post[]>;
}

export interface HubDeps {
  readonly dataDir: string;
  readonly fetch: GuardedFetch;
  readonly site: HubSite;
  /** Returns the URL of the hub. */
  readonly address: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly onRecovered?: ((recovery: Recovery) => void) | undefined;
}

/** A WebSub hub for the topics of the site. */
export interface Hub {
  readonly routes: FastifyPluginCallback;
  /**
   * Sends the topics that show a changed post to their subscribers, in the background. Call it when the post is live at
   * its own URL.
   */
  postChanged(change: { readonly post: Post; readonly before?: Post | undefined }): void;
  /** Resumes the work that was pending when the service stopped, and announces scheduled posts from now on. */
  start(): Promise<void>;
  /** Does what became due, because the computer woke or its network changed. */
  wake(): void;
  stop(): Promise<void>;
}

/** How many requests a visitor may make, and how many may be made for callbacks on one host. */
const requestLimits = { visitor: { burst: 20, perMinute: 10 }, host: { burst: 60, perMinute: 30 } };
const longestSleepMs = 60_000;

/** Creates the hub (W3C WebSub). It sends nothing before `start`. */
export function createHub({ dataDir, fetch, site, address, now, log, onRecovered }: HubDeps): Hub {
  const stopping = new AbortController();
  const { signal } = stopping;
  const store = createSubscriptions({ dataDir, now, onRecovered });
  const content = (topic: string) => site.content(topic);
  const tell = inBackground(log);
  const distributor = createDistributor({ store, fetch, log, now, content, hub: address, signal });
  const verifier = createVerifier({
    ...{ store, fetch, log, now, content, signal },
    subscribed: (topic) => tell(distributor.look(new Set([topic]))),
  });
  const budget = createCauseBudget({ ...requestLimits, clock: now });
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  /** Posts that were published up to this time (ms) are announced. */
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
    // The clock can jump and the computer can sleep, so the timer never runs for long.
    const sleep = Math.min(Math.max(0, later - now()), longestSleepMs);
    timer = setTimeout(() => tell(announceScheduled()), sleep).unref();
  }

  return {
    routes: hubRoutes(async (request, visitor) => {
      const cause = { visitor, address: request.callback };
      const wait = budget.waitMs(cause);
      if (wait > 0) throw new RetryLater('Too many requests to this hub. Try again later.', wait);
      budget.charge(cause, 1);
      await store.request(request);
      if (isStarted) verifier.add(request);
    }),

    postChanged({ post, before }) {
      if (!isStarted || signal.aborted) return;
      const topics = [post, ...(before ? [before] : [])].flatMap((one) => site.topicsOf(one));
      tell(distributor.look(new Set(topics)));
      tell(announceScheduled());
    },

    async start() {
      isStarted = true;
      for (const request of await store.requests()) verifier.add(request);
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
      await Promise.all([verifier.stop(), distributor.stop()]);
      await tell.finished();
    },
  };
}
