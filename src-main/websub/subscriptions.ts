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
 * The most subscriptions and unverified requests. A site may have only a part of them, because all of its hosts may
 * belong to one person.
 */
const most = { subscriptions: 1000, ofSite: 50, requests: 200, requestsOfSite: 20 };
const fullPauseMs = 600_000;

interface StoreOptions extends Pick<DurableFileOptions<unknown>, 'onRecovered'> {
  readonly dataDir: string;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
}

/**
 * Stores subscriptions and the requests for them on disk. All changes are on disk once their promise resolves. Expired
 * subscriptions disappear with the next change.
 * The methods throw PorchlightError as openDocument and Document.update do.
 */
export function createSubscriptions({ dataDir, now, onRecovered }: StoreOptions) {
  let opened: Promise<Document<Subscriptions>> | undefined;
  const open = () =>
    (opened ??= openDocument({
      file: path.join(dataDir, subscriptionsFile),
      onRecovered,
      ...subscriptionsFormat,
    }));
  const isLive = ({ expires }: Subscription) => Date.parse(expires) > now();

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
     * Adds a request, in place of an earlier one for the same subscription.
     * @throws RetryLater if there are too many requests or subscriptions, of one site or of all
     */
    request: (request: IntentRequest) =>
      update((draft) => {
        const site = siteOfCallback(request);
        const key = keyOf(request);
        const others = draft.requests.filter((one) => keyOf(one) !== key);
        const ofSite = (list: readonly Pick<Subscription, 'callback'>[]) =>
          list.filter((one) => siteOfCallback(one) === site).length;
        const isNew = request.mode === 'subscribe' && draft.subscriptions.every((one) => keyOf(one) !== key);
        // Each unverified request may become a subscription.
        const places = [...draft.subscriptions, ...others];
        if (others.length >= most.requests || (isNew && places.length >= most.subscriptions))
          throw new RetryLater('This hub has too many subscriptions. Try again later.', fullPauseMs, 503);
        if (ofSite(others) >= most.requestsOfSite || (isNew && ofSite(places) >= most.ofSite))
          throw new RetryLater('This site has too many subscriptions. Try again later.', fullPauseMs);
        draft.requests = [...others, request];
      }),

    /** Removes a request. Returns false if another request for the same subscription has replaced it. */
    settle: (request: IntentRequest, subscription?: Subscription) =>
      update((draft) => {
        const rest = draft.requests.filter((one) => !isSame(one, request));
        if (rest.length === draft.requests.length) return false;
        draft.requests = rest;
        if (subscription || request.mode === 'unsubscribe')
          draft.subscriptions = draft.subscriptions.filter((one) => keyOf(one) !== keyOf(request));
        if (subscription) draft.subscriptions = [...draft.subscriptions, subscription];
        return true;
      }),

    /** Removes a request whose intent was not confirmed. Subscriptions stay as they are. */
    drop: (request: IntentRequest) =>
      update((draft) => {
        draft.requests = draft.requests.filter((one) => !isSame(one, request));
      }),

    /** Changes a subscription, or removes it if `change` is null. Does nothing if it was renewed or removed meanwhile. */
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
