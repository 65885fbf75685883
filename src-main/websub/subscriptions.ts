import path from 'node:path';
import { RetryLater } from '../http/errors.ts';
import { openDocument, type Document } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';
import {
  deliveryKeyOf,
  keyOf,
  requestKeyOf,
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
/**
 * The maximum number of secrets of a subscription. Another one replaces the newest. So strangers who keep sending
 * secrets can't displace an earlier one, and multiply the deliveries by this number at most.
 */
const mostSecrets = 3;
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
     * Returns the time that is left of the lease of a subscription with the same secret, in seconds; 0 if there is none.
     */
    async leaseLeft(request: IntentRequest): Promise<number> {
      const known = (await this.live()).find((one) => deliveryKeyOf(one) === deliveryKeyOf(request));
      return known ? Math.ceil((Date.parse(known.expires) - leaseNow()) / 1000) : 0;
    },

    /**
     * Adds a request. Replaces an earlier request with the same key (see `requestKeyOf`). `mark`: identifies a request from the
     * mailbox at Cloudflare (see `keptMark`).
     * @throws RetryLater if there are too many requests or subscriptions; SiteFull if the subscriber's site has too
     * many subscriptions
     */
    request: (request: IntentRequest, mark?: string) =>
      update((draft) => {
        const site = siteOfCallback(request);
        const key = keyOf(request);
        const others = draft.requests.filter((one) => requestKeyOf(one) !== requestKeyOf(request));
        const countOfSite = (list: readonly Pick<Subscription, 'callback'>[]) =>
          list.filter((one) => siteOfCallback(one) === site).length;
        const subscriptions = [...new Map(draft.subscriptions.map((one) => [keyOf(one), one])).values()];
        const isNew = request.mode === 'subscribe' && subscriptions.every((one) => keyOf(one) !== key);
        // Requests count toward the limit of subscriptions, because each request may become a subscription.
        const places = [...subscriptions, ...others];
        if (others.length >= most.requests || (isNew && places.length >= most.subscriptions))
          throw new RetryLater('This hub has too many subscriptions. Try again later.', fullPauseMs, 503);
        if (isNew && countOfSite(subscriptions) >= most.ofSite) throw new SiteFull(siteWords, fullPauseMs);
        if (countOfSite(others) >= most.requestsOfSite || (isNew && countOfSite(places) >= most.ofSite))
          throw new RetryLater(siteWords, fullPauseMs);
        draft.requests = [...others, request];
        if (mark !== undefined) draft.kept = [...(draft.kept ?? []), mark].slice(-mostKept);
      }),

    /**
     * Completes a verified request: adds or renews its subscription, or removes the subscription with all its secrets.
     * If the subscriber may lack the current content, the subscription gets the hash of the content that the subscriber
     * has (`has`). If a newer request has replaced this one, does nothing and returns false.
     */
    settle: (request: IntentRequest, subscription?: Subscription) =>
      update((draft) => {
        const rest = draft.requests.filter((one) => !isSame(one, request));
        if (rest.length === draft.requests.length) return false;
        draft.requests = rest;
        const isOther = (one: Subscription) => keyOf(one) !== keyOf(request);
        if (subscription === undefined) {
          if (request.mode === 'unsubscribe') draft.subscriptions = draft.subscriptions.filter(isOther);
          return true;
        }
        const known = draft.subscriptions.filter((one) => !isOther(one));
        const at = known.findIndex((one) => deliveryKeyOf(one) === deliveryKeyOf(subscription));
        const lacking = known.find((one) => one.has !== subscription.has);
        const added = { ...subscription, has: (known[at] ?? lacking ?? subscription).has };
        // A renewed secret keeps its place among the others.
        const place = at >= 0 ? at : Math.min(known.length, mostSecrets - 1);
        known[place] = added;
        draft.subscriptions = [...draft.subscriptions.filter(isOther), ...known];
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
          deliveryKeyOf(one) === deliveryKeyOf(subscription) && one.expires === subscription.expires;
        draft.subscriptions = draft.subscriptions.flatMap((one) =>
          !isMeant(one) ? one : change === null ? [] : { ...one, ...change },
        );
      }),
  };
}

export type SubscriptionStore = ReturnType<typeof createSubscriptions>;

const isSame = (a: IntentRequest, b: IntentRequest) =>
  requestKeyOf(a) === requestKeyOf(b) && a.leaseSeconds === b.leaseSeconds;
