import { RetryLater } from '../../http/errors.ts';
import type { Transaction } from '../../storage/records/group-commit.ts';
import type { Records } from '../../storage/records/records.ts';
import {
  type IntentRequest,
  keyOf,
  requestInRow,
  requestKeyOf,
  siteOfCallback,
  type Subscription,
  subscriptionIn,
  type SubscriptionRow,
  type WaitingRequest,
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
const mostExpiredAtOnce = 500;

/** Selects a subscription with the same callback, topic and secret. */
const isSame = 'callback = ? AND topic = ? AND secret IS ?';
/** Selects the requests with the same key (see `requestKeyOf`). */
const isSameRequest = "mode = ? AND callback = ? AND topic = ? AND (mode = 'unsubscribe' OR secret IS ?)";

const pairCells = ({ callback, topic, secret }: Pick<Subscription, 'callback' | 'topic' | 'secret'>) =>
  [callback, topic, secret ?? null] as const;

/** Makes what belongs to a request, in its transaction. `replaced`: the numbers of the requests that it replaces. */
type AlsoOfRequest = (transaction: Transaction, request: WaitingRequest, replaced: readonly number[]) => void;

/**
 * Stores subscriptions, and the requests for them. Requests and deliveries also remove expired subscriptions. The methods throw the
 * same errors as the methods of `Records`. Those that end in `In` make their change in a transaction.
 */
export class Subscriptions {
  readonly #records: Pick<Records, 'rows' | 'write' | 'settled'>;
  readonly #now: () => number;

  /** `now`: returns the trusted time in ms, so that a wrong clock doesn't end valid subscriptions. */
  constructor(records: Pick<Records, 'rows' | 'write' | 'settled'>, now: () => number) {
    this.#records = records;
    this.#now = now;
  }

  /** Returns the topics that have subscribers. */
  topics(): string[] {
    return this.#records.rows(
      ({ topic }) => String(topic),
      'SELECT DISTINCT topic FROM websub_subscriptions WHERE expires > ?',
      this.#moment(),
    );
  }

  hasSubscribers(): boolean {
    const sql = 'SELECT 1 FROM websub_subscriptions WHERE expires > ? LIMIT 1';
    return this.#records.rows(() => true, sql, this.#moment()).length > 0;
  }

  /** Returns the subscriptions to a topic whose subscribers lack the content with this hash (see `contentHash`). */
  behind(topic: string, hash: string): Subscription[] {
    const sql =
      'SELECT * FROM websub_subscriptions WHERE topic = ? AND expires > ? AND has != ? ORDER BY seq';
    return this.#records.rows(subscriptionIn, sql, topic, this.#moment(), hash);
  }

  /** Returns a subscription that hasn't expired. */
  find(seq: number): Subscription | undefined {
    const sql = 'SELECT * FROM websub_subscriptions WHERE seq = ? AND expires > ?';
    return this.#records.rows(subscriptionIn, sql, seq, this.#moment())[0];
  }

  requests(): WaitingRequest[] {
    return this.#records.rows(requestInRow, 'SELECT * FROM websub_requests ORDER BY seq');
  }

  findRequest(seq: number): WaitingRequest | undefined {
    return this.#records.rows(requestInRow, 'SELECT * FROM websub_requests WHERE seq = ?', seq)[0];
  }

  /**
   * Returns whether a request with this mark (see `keptMark`) is among the newest requests from the mailbox at
   * Cloudflare, and on disk.
   */
  async isKept(mark: string): Promise<boolean> {
    const found = this.#records.rows(() => true, 'SELECT 1 FROM websub_kept WHERE mark = ?', mark);
    if (found.length > 0) await this.#records.settled();
    return found.length > 0;
  }

  /**
   * Returns the time that is left of the lease of a subscription with the same secret, in seconds; 0 if there is none.
   */
  leaseLeft(request: IntentRequest): number {
    const [expires] = this.#records.rows(
      (row) => Date.parse(String(row['expires'])),
      `SELECT expires FROM websub_subscriptions WHERE ${isSame} AND expires > ?`,
      ...pairCells(request),
      this.#moment(),
    );
    return expires === undefined ? 0 : Math.ceil((expires - this.#now()) / 1000);
  }

  /**
   * Adds a request. Replaces an earlier request with the same key (see `requestKeyOf`). `mark`: identifies a request from the
   * mailbox at Cloudflare (see `keptMark`).
   * @throws RetryLater if there are too many requests or subscriptions; SiteFull if the subscriber's site has too
   * many subscriptions
   */
  request(request: IntentRequest, mark: string | undefined, also: AlsoOfRequest): Promise<void> {
    return this.#records.write((transaction) => {
      const { rows, run } = transaction;
      this.#removeExpired(transaction);
      mustFit(request, transaction, this.#moment());
      const cells = [request.mode, ...pairCells(request)];
      const replaced = rows(`SELECT seq FROM websub_requests WHERE ${isSameRequest}`, ...cells);
      run(`DELETE FROM websub_requests WHERE ${isSameRequest}`, ...cells);
      run(
        'INSERT INTO websub_requests (mode, callback, topic, secret, lease_seconds) VALUES (?, ?, ?, ?, ?)',
        ...cells,
        request.leaseSeconds,
      );
      also(
        transaction,
        { ...request, seq: addedSeq(transaction) },
        replaced.map(({ seq }) => Number(seq)),
      );
      if (mark === undefined) return;
      run('INSERT OR REPLACE INTO websub_kept (mark) VALUES (?)', mark);
      run('DELETE FROM websub_kept WHERE seq <= (SELECT max(seq) FROM websub_kept) - ?', mostKept);
    });
  }

  /**
   * Completes a verified request to subscribe: adds or renews its subscription until `expires`. If the subscriber may
   * lack the current content, the subscription gets the hash of the content that the subscriber has. `has`: the hash
   * of the current content. Returns the number of the subscription; undefined if a newer request has replaced this
   * one.
   */
  subscribeIn(
    transaction: Transaction,
    request: WaitingRequest,
    { expires, has }: Pick<Subscription, 'expires' | 'has'>,
  ): number | undefined {
    const { rows, run } = transaction;
    if (!removeRequest(transaction, request)) return undefined;
    const { callback, topic } = request;
    const known = rows(
      'SELECT * FROM websub_subscriptions WHERE callback = ? AND topic = ? AND expires > ? ORDER BY seq',
      callback,
      topic,
      this.#moment(),
    ).map(subscriptionIn);
    const same = known.find((one) => one.secret === request.secret);
    if (same) {
      run('UPDATE websub_subscriptions SET expires = ? WHERE seq = ?', expires, same.seq);
      return same.seq;
    }
    const replaced = known[mostSecrets - 1];
    if (replaced) run('DELETE FROM websub_subscriptions WHERE seq = ?', replaced.seq);
    run(
      'INSERT INTO websub_subscriptions (callback, topic, secret, expires, has) VALUES (?, ?, ?, ?, ?)',
      ...pairCells(request),
      expires,
      known.find((one) => one.has !== has)?.has ?? has,
    );
    return addedSeq(transaction);
  }

  /**
   * Completes a verified request to unsubscribe: removes the subscription with all its secrets. Does nothing if a
   * newer request has replaced this one.
   */
  unsubscribeIn(transaction: Transaction, request: WaitingRequest): void {
    const { callback, topic } = request;
    if (removeRequest(transaction, request))
      transaction.run('DELETE FROM websub_subscriptions WHERE callback = ? AND topic = ?', callback, topic);
  }

  /** Removes a request that wasn't confirmed. Changes no subscription. */
  dropIn(transaction: Transaction, request: WaitingRequest): void {
    removeRequest(transaction, request);
  }

  /** Records the hash of the content that a subscriber has now. Does nothing if the subscription has ended. */
  deliveredIn(transaction: Transaction, { seq }: Subscription, has: string): void {
    this.#removeExpired(transaction);
    transaction.run('UPDATE websub_subscriptions SET has = ? WHERE seq = ?', has, seq);
  }

  endIn({ run }: Transaction, { seq }: Subscription): void {
    run('DELETE FROM websub_subscriptions WHERE seq = ?', seq);
  }

  /** Returns the trusted time as text. */
  #moment(): string {
    return new Date(this.#now()).toISOString();
  }

  #removeExpired({ run }: Transaction): void {
    run(
      `DELETE FROM websub_subscriptions WHERE seq IN (
        SELECT seq FROM websub_subscriptions WHERE expires <= ? LIMIT ${mostExpiredAtOnce})`,
      this.#moment(),
    );
  }
}

/** Returns whether the request was still there. */
function removeRequest({ run }: Transaction, { seq }: WaitingRequest): boolean {
  return run('DELETE FROM websub_requests WHERE seq = ?', seq) > 0;
}

/** Returns the number of the row that was added last. */
function addedSeq({ rows }: Transaction): number {
  return Number(rows('SELECT last_insert_rowid() AS seq')[0]?.['seq']);
}

/**
 * Checks that there is room for a request. `moment`: the trusted time, as text.
 * @throws RetryLater, SiteFull
 */
function mustFit(request: IntentRequest, { rows }: Transaction, moment: string): void {
  const site = siteOfCallback(request);
  const countOfSite = (list: readonly Pick<Subscription, 'callback'>[]) =>
    list.filter((one) => siteOfCallback(one) === site).length;
  const others = rows('SELECT * FROM websub_requests')
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
