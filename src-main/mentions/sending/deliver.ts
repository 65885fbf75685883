import { RetryLater } from '../../http/errors.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { retryAfter } from '../../platform/retry-after.ts';
import { isSuccess, mayPass, reasonIn } from './answers.ts';
import type { PageReading } from '../receiving/page-reading.ts';
import { discover } from './discover.ts';

/** The outcome of an attempt to notify one page of a post. `words`: a human-readable message. */
export type DeliveryOutcome =
  | {
      readonly kind: 'sent';
      readonly words: string;
      /** The absolute URL in the Location of a 201. */
      readonly statusPage?: string;
      /** The URL that sent this Location, after redirects. */
      readonly answeredBy?: string;
    }
  | { readonly kind: 'no-endpoint'; readonly words: string }
  | {
      readonly kind: 'failed';
      readonly words: string;
      /** Whether another attempt may succeed. */
      readonly mayPass: boolean;
      /** Whether the receiver rejected the webmention. If so, Porchlight doesn't retry automatically. */
      readonly refused: boolean;
      /** Whether the receiver may have been notified despite the failure, because the request had been sent. */
      readonly mayKnow: boolean;
      /** The earliest time at which the other server accepts the next request, in ms since the epoch. */
      readonly notBefore?: number;
    };

export interface DeliverOptions {
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  readonly source: string;
  readonly target: string;
  readonly signal: AbortSignal;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
}

const limits = { accept: 'application/json, */*;q=0.8', maxRedirects: 0, timeoutMs: 30_000 };
const mostRedirects = 5;

/**
 * Notifies one page (Webmention 3.1): discovers its endpoint, and sends the webmention to the endpoint. A FetchError or
 * RetryLater becomes a failed outcome.
 * @throws all other errors
 */
export async function deliverWebmention(options: DeliverOptions): Promise<DeliveryOutcome> {
  const { target, signal, now } = options;
  let asked = false;
  try {
    const { answer, endpoint } = await discover(options, target, signal);
    // A page that only some people may read can still accept webmentions, and says so in its Link header.
    const isForOthers = [401, 403].includes(answer.status) && endpoint !== undefined;
    if (!isSuccess(answer.status) && !isForOthers) return unread(answer, now());
    if (endpoint === undefined)
      return { kind: 'no-endpoint', words: 'This page does not accept webmentions.' };
    asked = true;
    return told(await post(options, endpoint), now());
  } catch (error) {
    if (error instanceof RetryLater)
      return { kind: 'failed', words: error.message, mayPass: true, refused: false, mayKnow: false };
    if (!(error instanceof FetchError)) throw error;
    const passes = error.code === 'fetch_timeout' || error.code === 'fetch_failed';
    const mayKnow = asked && (passes || error.code === 'fetch_too_large');
    return { kind: 'failed', words: error.detail, mayPass: passes, refused: false, mayKnow };
  }
}

/**
 * Posts source and target (Webmention 3.1.3). Follows redirects with another POST, except after a 303. If `fetch`
 * followed them, it might send a GET, which can return 200 although the receiver was not notified.
 */
async function post({ fetch, source, target, signal }: DeliverOptions, endpoint: string) {
  const body = new URLSearchParams({ source, target }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  let address = endpoint;
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const answer = await fetch(address, { ...limits, method: 'POST', headers, body, signal });
    const location = answer.headers.get('location');
    if (location === null || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
    if (!URL.canParse(location, address)) throw new FetchError('fetch_bad_url');
    address = new URL(location, address).href;
    // A 303 means that the request was accepted, and that its Location shows the result (RFC 9110, 15.4.4).
    if (answer.status === 303) return fetch(address, { accept: limits.accept, signal });
  }
  throw new FetchError('fetch_too_many_redirects');
}

function unread(answer: FetchedResponse, now: number): DeliveryOutcome {
  const words =
    answer.status === 404 || answer.status === 410
      ? `This page was not found (${answer.status}).`
      : `The other server answered with status ${answer.status}.`;
  return { ...failed(answer, words, now), refused: false, mayKnow: false };
}

function told(answer: FetchedResponse, now: number): DeliveryOutcome {
  const { status, headers, url } = answer;
  if (isSuccess(status)) {
    const location = headers.get('location');
    const hasPage = status === 201 && location !== null && URL.canParse(location, url);
    const words = status === 200 ? 'Sent.' : 'Sent. The other site will check it later.';
    return {
      kind: 'sent',
      words,
      ...(hasPage && { statusPage: new URL(location, url).href, answeredBy: url }),
    };
  }
  const reason = reasonIn(answer);
  const why = reason === '' ? '.' : `: “${reason}”`;
  const words = mayPass(status)
    ? `The other server cannot accept it now (${status})${why}`
    : `The other server did not accept it (${status})${why}`;
  return { ...failed(answer, words, now), refused: !mayPass(status), mayKnow: mayPass(status) };
}

function failed(answer: FetchedResponse, words: string, now: number) {
  const notBefore = retryAfter(answer, now);
  return {
    kind: 'failed' as const,
    words,
    mayPass: mayPass(answer.status),
    ...(notBefore !== undefined && { notBefore }),
  };
}
