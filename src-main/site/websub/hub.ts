import type { Common } from '../../http/common.ts';
import type { FastifyPluginCallback } from 'fastify';
import type { Post } from '../../contract/posts.ts';
import { visitorOf } from '../../http/client-address.ts';
import { invalidRequest, RetryLater } from '../../http/errors.ts';
import { type Fields, formFields } from '../../http/form.ts';
import { createCauseBudget } from '../../platform/cause.ts';
import { inBackground } from '../../platform/log.ts';
import type { Records } from '../../storage/records/records.ts';
import type { WorkQueue } from '../../storage/work/work.ts';
import { createDistributor, createVerifier, type TopicContent } from './subscriber.ts';
import { type IntentRequest, keptMark, longestHubUrl, secretBytes } from './subscription.ts';
import { SiteFull, Subscriptions } from './subscriptions.ts';

/** Provides the topics that the hub distributes, and their posts. */
interface HubSite {
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

interface HubDeps extends Pick<Common, 'fetch' | 'log'> {
  readonly records: Pick<Records, 'rows' | 'write' | 'settled'>;
  readonly work: Pick<WorkQueue, 'defineWork'>;
  readonly site: HubSite;
  /** Records that another server has reached this one. */
  readonly reached: () => void;
  /** Returns the URL of the hub. */
  readonly address: () => string;
  /**
   * Returns the trusted time in ms. This time ignores implausible jumps of the computer's clock. Subscriptions expire
   * by the trusted time, so that a wrong clock doesn't delete valid subscriptions.
   */
  readonly now: () => number;
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
  const { records, work, fetch, site, address, now, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const store = new Subscriptions(records, now);
  const content = (topic: string) => site.content(topic);
  const background = inBackground(log);
  const distributor = createDistributor({
    store,
    work,
    fetch,
    log,
    now,
    content,
    hub: address,
    signal,
  });
  const verifier = createVerifier({
    store,
    work,
    fetch,
    log,
    now,
    content,
    subscribedIn: distributor.renewedIn,
    subscribed(topic) {
      background(distributor.distribute(new Set([topic])));
      background(announceScheduled());
    },
  });
  const budget = createCauseBudget({ ...requestLimits, clock: now });
  let isStarted = false;
  let timer: NodeJS.Timeout | undefined;
  /** Posts that were published up to this time (in ms) have been announced. */
  let announced = now();

  async function announceScheduled(): Promise<void> {
    clearTimeout(timer);
    const moment = now();
    if (!store.hasSubscribers()) {
      announced = moment;
      return;
    }
    const next = await site.nextPublication(Math.min(announced, moment));
    if (next !== undefined && next <= moment) {
      const posts = await site.publishedBetween(announced, moment);
      announced = moment;
      await distributor.distribute(new Set(posts.flatMap((post) => site.topicsOf(post))));
    }
    announced = moment;
    const later = await site.nextPublication(moment);
    if (later === undefined || !isStarted || signal.aborted) return;
    clearTimeout(timer);
    // The timer is set for a short time only, because the clock can jump and the computer can sleep.
    const sleep = Math.min(Math.max(0, later - now()), longestSleepMs);
    timer = setTimeout(() => background(announceScheduled()), sleep).unref();
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
      if (!isStarted || signal.aborted || !store.hasSubscribers()) return;
      const topics = [post, ...(before ? [before] : [])].flatMap((one) => site.topicsOf(one));
      background(distributor.distribute(new Set(topics)));
      background(announceScheduled());
    },

    async start() {
      isStarted = true;
      await verifier.addMissing();
      await distributor.distribute();
      await announceScheduled();
    },

    wake() {
      if (!isStarted || signal.aborted) return;
      background(distributor.distribute());
      background(announceScheduled());
    },

    async stop() {
      isStarted = false;
      clearTimeout(timer);
      stopping.abort();
      await background.finished();
    },
  };
}

const hour = 3600;
const day = 24 * hour;
/** The minimum, default and maximum duration of a subscription, in seconds. */
const lease = { least: 300, usual: 10 * day, most: 30 * day };

/** Accepts a request that the subscriber still has to confirm (WebSub 5.3). Resolves once the request is on disk. */
type Accept = (request: IntentRequest, visitor: string | undefined) => Promise<void>;

/** Serves the endpoint of the WebSub hub (WebSub 5.1). */
function hubRoutes(accept: Accept): FastifyPluginCallback {
  return (app, _options, done) => {
    app.post('/websub', async (request, reply) => {
      await accept(requestIn(formFields(request.body)), visitorOf(request));
      return reply
        .code(202)
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send('Accepted. The callback will be asked to confirm this request.\n');
    });
    done();
  };
}

/**
 * Returns the request from the form fields that a subscriber sent.
 * @throws invalid_request
 */
function requestIn(fields: Fields): IntentRequest {
  const mode = textIn(fields, 'hub.mode');
  if (mode !== 'subscribe' && mode !== 'unsubscribe')
    throw invalidRequest('hub.mode must be subscribe or unsubscribe.');
  const callback = addressIn(fields, 'hub.callback');
  const topic = addressIn(fields, 'hub.topic');
  const seconds = textIn(fields, 'hub.lease_seconds') ?? String(lease.usual);
  if (!/^\d{1,12}$/.test(seconds))
    throw invalidRequest('hub.lease_seconds must be a whole number of seconds.');
  const secret = textIn(fields, 'hub.secret');
  if (secret !== undefined && Buffer.byteLength(secret) >= secretBytes)
    throw invalidRequest(`hub.secret must be shorter than ${secretBytes} bytes.`);
  const leaseSeconds = Math.min(lease.most, Math.max(lease.least, Number(seconds)));
  return { mode, callback, topic, leaseSeconds, ...(secret !== undefined && { secret }) };
}

function addressIn(fields: Fields, name: string): string {
  const text = textIn(fields, name);
  if (text === undefined) throw invalidRequest(`The parameter ${name} is missing.`);
  const url = text.length <= longestHubUrl && URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isWeb || url.username !== '' || url.password !== '')
    throw invalidRequest(`${name} must be an http or https URL of at most ${longestHubUrl} characters.`);
  return url.href.length <= longestHubUrl ? url.href : text;
}

function textIn(fields: Fields, name: string): string | undefined {
  const value: unknown = fields[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidRequest(`The parameter ${name} must appear once, as text.`);
  return value;
}
