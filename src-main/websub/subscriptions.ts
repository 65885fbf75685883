import { RetryLater } from '../http/errors.ts';
import type { Transaction } from '../storage/records/group-commit.ts';
import type { Cell } from '../storage/records/record-table.ts';
import type { Records } from '../storage/records/records.ts';
import { requestInRow, subscriptionIn, type SubscriptionRow } from './subscription-tables.ts';
import {
  keyOf,
  requestKeyOf,
  siteOfCallback,
  type IntentRequest,
  type Subscription,
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

/** The maximum number of expired subscriptions to remove in one transaction. */
const rowsAtOnce = 500;

interface StoreOptions {
  readonly records: Pick<Records, 'rows' | 'write' | 'settled'>;
  /** Returns the trusted time in ms. This time ignores implausible jumps of the computer's clock. */
  readonly leaseNow: () => number;
}

/** Selects a subscription with the same callback, topic and secret. */
const isSame = 'callback = ? AND topic = ? AND secret IS ?';
/** Selects the requests with the same key (see `requestKeyOf`). */
const isSameRequest = "mode = ? AND callback = ? AND topic = ? AND (mode = 'unsubscribe' OR secret IS ?)";

const deliveryCells = ({ callback, topic, secret }: Pick<Subscription, 'callback' | 'topic' | 'secret'>) =>
  [callback, topic, secret ?? null] as const;
const requestCells = (request: IntentRequest) => [request.mode, ...deliveryCells(request)] as const;

/**
 * Stores subscriptions, and the requests for them. Each change is on disk once its promise resolves, and also removes
 * expired subscriptions. The methods throw the same errors as the methods of `Records`.
 */
export function createSubscriptions({ records, leaseNow }: StoreOptions) {
  const moment = () => new Date(leaseNow()).toISOString();

  const update = <R>(change: (transaction: Transaction) => R): Promise<R> =>
    records.write((transaction) => {
      transaction.run(
        `DELETE FROM websub_subscriptions WHERE seq IN (
          SELECT seq FROM websub_subscriptions WHERE expires <= ? LIMIT ${rowsAtOnce})`,
        moment(),
      );
      return change(transaction);
    });

  const remove = ({ run }: Transaction, request: IntentRequest): number =>
    run(
      `DELETE FROM websub_requests WHERE ${isSameRequest} AND lease_seconds = ?`,
      ...[...requestCells(request), request.leaseSeconds],
    );

  return {
    /** Returns the topics that have subscribers. */
    topics: (): string[] =>
      records.rows(
        ({ topic }) => String(topic),
        'SELECT DISTINCT topic FROM websub_subscriptions WHERE expires > ?',
        moment(),
      ),
    /** Returns the subscriptions to a topic. */
    live: (topic: string): Subscription[] =>
      records.rows(
        (row) => subscriptionIn(row as SubscriptionRow),
        'SELECT * FROM websub_subscriptions WHERE topic = ? AND expires > ? ORDER BY seq',
        ...[topic, moment()],
      ),
    requests: (): IntentRequest[] =>
      records.rows(
        (row) => requestInRow(row as Parameters<typeof requestInRow>[0]),
        'SELECT * FROM websub_requests ORDER BY seq',
      ),

    /**
     * Returns whether a request with this mark (see `keptMark`) is among the newest requests from the mailbox at
     * Cloudflare, and on disk.
     */
    async isKept(mark: string): Promise<boolean> {
      const found = records.rows(() => true, 'SELECT 1 FROM websub_kept WHERE mark = ?', mark);
      if (found.length > 0) await records.settled();
      return found.length > 0;
    },

    /**
     * Returns the time that is left of the lease of a subscription with the same secret, in seconds; 0 if there is none.
     */
    leaseLeft(request: IntentRequest): number {
      const [expires] = records.rows(
        (row) => Date.parse(String(row['expires'])),
        `SELECT expires FROM websub_subscriptions WHERE ${isSame} AND expires > ?`,
        ...[...deliveryCells(request), moment()],
      );
      return expires === undefined ? 0 : Math.ceil((expires - leaseNow()) / 1000);
    },

    /**
     * Adds a request. Replaces an earlier request with the same key (see `requestKeyOf`). `mark`: identifies a request from the
     * mailbox at Cloudflare (see `keptMark`).
     * @throws RetryLater if there are too many requests or subscriptions; SiteFull if the subscriber's site has too
     * many subscriptions
     */
    request: (request: IntentRequest, mark?: string) =>
      update(({ rows, run }) => {
        mustFit(request, { rows }, moment());
        run(`DELETE FROM websub_requests WHERE ${isSameRequest}`, ...requestCells(request));
        run(
          'INSERT INTO websub_requests (mode, callback, topic, secret, lease_seconds) VALUES (?, ?, ?, ?, ?)',
          ...[...requestCells(request), request.leaseSeconds],
        );
        if (mark === undefined) return;
        run('INSERT OR REPLACE INTO websub_kept (mark) VALUES (?)', mark);
        run('DELETE FROM websub_kept WHERE seq <= (SELECT max(seq) FROM websub_kept) - ?', mostKept);
      }),

    /**
     * Completes a verified request: adds or renews its subscription, or removes the subscription with all its secrets.
     * If the subscriber may lack the current content, the subscription gets the hash of the content that the subscriber
     * has (`has`). If a newer request has replaced this one, does nothing and returns false.
     */
    settle: (request: IntentRequest, subscription?: Subscription) =>
      update((transaction) => {
        const { rows, run } = transaction;
        if (remove(transaction, request) === 0) return false;
        const { callback, topic } = request;
        if (subscription === undefined) {
          if (request.mode === 'unsubscribe')
            run('DELETE FROM websub_subscriptions WHERE callback = ? AND topic = ?', callback, topic);
          return true;
        }
        const known = rows(
          'SELECT * FROM websub_subscriptions WHERE callback = ? AND topic = ? AND expires > ? ORDER BY seq',
          ...[callback, topic, moment()],
        ) as SubscriptionRow[];
        const { secret = null, expires, failures, due } = subscription;
        const same = known.find((one) => one.secret === secret);
        const { has } = same ?? known.find((one) => one.has !== subscription.has) ?? subscription;
        const cells: Cell[] = [expires, has, failures, due];
        if (same) {
          run(
            'UPDATE websub_subscriptions SET expires = ?, has = ?, failures = ?, due = ? WHERE seq = ?',
            ...[...cells, same.seq],
          );
          return true;
        }
        const replaced = known[mostSecrets - 1];
        if (replaced) run('DELETE FROM websub_subscriptions WHERE seq = ?', replaced.seq);
        run(
          'INSERT INTO websub_subscriptions (callback, topic, secret, expires, has, failures, due) VALUES (?, ?, ?, ?, ?, ?, ?)',
          ...[callback, topic, secret, ...cells],
        );
        return true;
      }),

    /** Removes a request that wasn't confirmed. Changes no subscription. */
    drop: (request: IntentRequest) => update((transaction) => remove(transaction, request)),

    /**
     * Records the result of a delivery. Does nothing if the subscription has meanwhile been renewed or removed.
     */
    delivered: (
      subscription: Subscription,
      { has, failures, due }: Pick<Subscription, 'has' | 'failures' | 'due'>,
    ) =>
      update(({ run }) =>
        run(
          `UPDATE websub_subscriptions SET has = ?, failures = ?, due = ? WHERE ${isSame} AND expires = ?`,
          ...[has, failures, due, ...deliveryCells(subscription), subscription.expires],
        ),
      ),

    /** Removes a subscription. Does nothing if it has meanwhile been renewed. */
    end: (subscription: Subscription) =>
      update(({ run }) =>
        run(
          `DELETE FROM websub_subscriptions WHERE ${isSame} AND expires = ?`,
          ...[...deliveryCells(subscription), subscription.expires],
        ),
      ),
  };
}

/**
 * Checks that there is room for a request. `moment`: the trusted time, as text.
 * @throws RetryLater, SiteFull
 */
function mustFit(request: IntentRequest, { rows }: Pick<Transaction, 'rows'>, moment: string): void {
  const site = siteOfCallback(request);
  const countOfSite = (list: readonly Pick<Subscription, 'callback'>[]) =>
    list.filter((one) => siteOfCallback(one) === site).length;
  const others = (rows('SELECT * FROM websub_requests') as Parameters<typeof requestInRow>[0][])
    .map(requestInRow)
    .filter((one) => requestKeyOf(one) !== requestKeyOf(request));
  const pairs = rows(
    'SELECT DISTINCT callback, topic FROM websub_subscriptions WHERE expires > ?',
    moment,
  ) as Pick<SubscriptionRow, 'callback' | 'topic'>[];
  const key = keyOf(request);
  const isNew = request.mode === 'subscribe' && pairs.every((one) => keyOf(one) !== key);
  // Requests count toward the limit of subscriptions, because each request may become a subscription.
  const places = [...pairs, ...others];
  if (others.length >= most.requests || (isNew && places.length >= most.subscriptions))
    throw new RetryLater('This hub has too many subscriptions. Try again later.', fullPauseMs, 503);
  if (isNew && countOfSite(pairs) >= most.ofSite) throw new SiteFull(siteWords, fullPauseMs);
  if (countOfSite(others) >= most.requestsOfSite || (isNew && countOfSite(places) >= most.ofSite))
    throw new RetryLater(siteWords, fullPauseMs);
}

export type SubscriptionStore = ReturnType<typeof createSubscriptions>;
