import path from 'node:path';
import { RetryLater } from '../http/errors.ts';
import { openDocument, type Document } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import {
  keyOf,
  siteOfCallback,
  subscriptionsFile,
  subscriptionsFormat,
  type IntentRequest,
  type Subscription,
  type Subscriptions,
} from './subscription.ts';

/**
 * The maximum numbers of subscriptions and of unverified requests, in total and for each site. The limits apply to
 * sites rather than hosts, because all hosts of a site may belong to one person.
 */
const most = { subscriptions: 1000, ofSite: 50, requests: 200, requestsOfSite: 20 };
const fullPauseMs = 600_000;
const siteWords = 'This site has too many subscriptions. Try again later.';
/**
 * The number of requests from the mailbox at Cloudflare to remember. This exceeds the number of requests that the
 * mailbox can deliver before Porchlight confirms them.
 */
const mostKept = 100;

/**
 * Thrown if a site has reached its maximum number of subscriptions. It can't subscribe again until some of them end.
 */
export class SiteFull extends RetryLater {}

interface StoreOptions extends Pick<DurableFileOptions<unknown>, 'onRecovered'> {
  readonly dataDir: string;
  /** Returns the trusted time in ms. This time ignores implausible jumps of the computer's clock. */
  readonly leaseNow: () => number;
}

/**
 * Stores subscriptions, and the requests for them, on disk. Each change is on disk once its promise resolves, and also
 * removes expired subscriptions. The methods throw the same errors as `openDocument` and `Document.update`.
 */
export function createSubscriptions({ dataDir, leaseNow, onRecovered }: StoreOptions) {
  let opened: Promise<Document<Subscriptions>> | undefined;
  const open = () =>
    (opened ??= openDocument({
      file: path.join(dataDir, subscriptionsFile),
      onRecovered,
      ...subscriptionsFormat,
    }));
  const isLive = ({ expires }: Subscription) => Date.parse(expires) > leaseNow();

  async function update<R>(edit: (draft: Subscriptions) => R): Promise<R> {
    return (await open()).update((draft) => {
      draft.subscriptions = draft.subscriptions.filter(isLive);
      return edit(draft);
    });
  }

  return {
    async live(): Promise<readonly Subscription[]> {
      return (await open()).data.subscriptions.filter(isLive);
    },
    async requests(): Promise<readonly IntentRequest[]> {
      return (await open()).data.requests;
    },

    /**
     * Returns whether a request with this mark (see `keptMark`) is among the newest requests from the mailbox at
     * Cloudflare.
     */
    isKept: async (mark: string): Promise<boolean> => (await open()).data.kept?.includes(mark) ?? false,

    /**
     * Adds a request. Replaces an earlier request for the same subscription. `mark`: identifies a request from the
     * mailbox at Cloudflare (see `keptMark`).
     * @throws RetryLater if there are too many requests or subscriptions; SiteFull if the subscriber's site has too
     * many subscriptions
     */
    request: (request: IntentRequest, mark?: string) =>
      update((draft) => {
        const site = siteOfCallback(request);
        const key = keyOf(request);
        const others = draft.requests.filter((one) => keyOf(one) !== key);
        const ofSite = (list: readonly Pick<Subscription, 'callback'>[]) =>
          list.filter((one) => siteOfCallback(one) === site).length;
        const isNew = request.mode === 'subscribe' && draft.subscriptions.every((one) => keyOf(one) !== key);
        // Requests count toward the limit of subscriptions, because each request may become a subscription.
        const places = [...draft.subscriptions, ...others];
        if (others.length >= most.requests || (isNew && places.length >= most.subscriptions))
          throw new RetryLater('This hub has too many subscriptions. Try again later.', fullPauseMs, 503);
        if (isNew && ofSite(draft.subscriptions) >= most.ofSite) throw new SiteFull(siteWords, fullPauseMs);
        if (ofSite(others) >= most.requestsOfSite || (isNew && ofSite(places) >= most.ofSite))
          throw new RetryLater(siteWords, fullPauseMs);
        draft.requests = [...others, request];
        if (mark !== undefined) draft.kept = [...(draft.kept ?? []), mark].slice(-mostKept);
      }),

    /**
     * Completes a verified request: adds, renews or removes its subscription. On renewal, the subscription keeps the
     * hash of the content that the subscriber has (`has`), because the subscriber may lack the current content. If a
     * newer request for the same subscription has replaced this one, does nothing and returns false.
     */
    settle: (request: IntentRequest, subscription?: Subscription) =>
      update((draft) => {
        const rest = draft.requests.filter((one) => !isSame(one, request));
        if (rest.length === draft.requests.length) return false;
        draft.requests = rest;
        if (subscription === undefined && request.mode === 'subscribe') return true;
        const others = draft.subscriptions.filter((one) => keyOf(one) !== keyOf(request));
        const known = draft.subscriptions.find((one) => keyOf(one) === keyOf(request));
        const added = subscription && { ...subscription, has: known?.has ?? subscription.has };
        draft.subscriptions = added ? [...others, added] : others;
        return true;
      }),

    /** Removes a request that wasn't confirmed. Changes no subscription. */
    drop: (request: IntentRequest) =>
      update((draft) => {
        draft.requests = draft.requests.filter((one) => !isSame(one, request));
      }),

    /**
     * Changes a subscription, or removes it if `change` is null. Does nothing if the subscription has meanwhile been
     * renewed or removed.
     */
    change: (subscription: Subscription, change: Partial<Subscription> | null) =>
      update((draft) => {
        const isMeant = (one: Subscription) =>
          keyOf(one) === keyOf(subscription) &&
          one.expires === subscription.expires &&
          one.secret === subscription.secret;
        draft.subscriptions = draft.subscriptions.flatMap((one) =>
          !isMeant(one) ? one : change === null ? [] : { ...one, ...change },
        );
      }),
  };
}

export type SubscriptionStore = ReturnType<typeof createSubscriptions>;

const isSame = (a: IntentRequest, b: IntentRequest) =>
  keyOf(a) === keyOf(b) && a.mode === b.mode && a.secret === b.secret && a.leaseSeconds === b.leaseSeconds;
