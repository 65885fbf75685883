import { RetryLater } from '../../http/errors.ts';
import { retryAfter } from '../../platform/fetched-response.ts';
import { type FetchedResponse, FetchError, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { isRecord, own } from '../../storage/json-value.ts';
import { relsInHeader } from '../../untrusted/pages/fetched-page.ts';
import { cleanLine } from '../mention-limits.ts';
import type { PageReading } from '../receiving/read-source.ts';
import { parsedJson } from '../receiving/source/source-page.ts';

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

interface DeliverOptions {
  readonly fetch: GuardedFetch;
  readonly reading: PageReading;
  readonly source: string;
  readonly target: string;
  readonly signal: AbortSignal;
  /** Returns the time in ms since the epoch. */
  readonly now: () => number;
}

const deliveryLimits = { accept: 'application/json, */*;q=0.8', maxRedirects: 0, timeoutMs: 30_000 };
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
    return outcomeOf(await post(options, endpoint), now());
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
    const answer = await fetch(address, { ...deliveryLimits, method: 'POST', headers, body, signal });
    const location = answer.headers.get('location');
    if (location === null || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
    if (!URL.canParse(location, address)) throw new FetchError('fetch_bad_url');
    address = new URL(location, address).href;
    // A 303 means that the request was accepted, and that its Location shows the result (RFC 9110, 15.4.4).
    if (answer.status === 303) return fetch(address, { accept: deliveryLimits.accept, signal });
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

function outcomeOf(answer: FetchedResponse, now: number): DeliveryOutcome {
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

const discoveryLimits = {
  accept: 'text/html, application/xhtml+xml;q=0.9, */*;q=0.5',
  maxRedirects: 10,
  maxBytes: 1024 * 1024,
  timeoutMs: 10_000,
};

const longestEndpoint = 4096;

interface Discovery {
  /** The page's response; only its headers if the page is too large. */
  readonly answer: FetchedResponse;
  /** The endpoint's absolute URL; undefined if the page doesn't accept webmentions. */
  readonly endpoint: string | undefined;
}

/**
 * Discovers a page's webmention endpoint (Webmention 3.1.2) from its Link header, or else from its first matching
 * `link` or `a`. Caches nothing, because each update must discover the endpoint again (3.1.4).
 * @throws FetchError, and the errors of PageReading
 */
async function discover(
  { fetch, reading }: { readonly fetch: GuardedFetch; readonly reading: Pick<PageReading, 'endpoint'> },
  target: string,
  signal: AbortSignal,
): Promise<Discovery> {
  try {
    const answer = await fetch(target, { ...discoveryLimits, signal });
    const endpoint = await endpointOf(answer, reading);
    return { answer, endpoint: (endpoint?.length ?? 0) > longestEndpoint ? undefined : endpoint };
  } catch (error) {
    if (!(error instanceof FetchError) || error.code !== 'fetch_too_large') throw error;
    // A video or a very long page may still state the endpoint in its headers, so request only the headers.
    const answer = await fetch(target, { ...discoveryLimits, method: 'HEAD', signal });
    const endpoint = endpointInHeader(answer);
    if (endpoint === undefined) throw error;
    return { answer, endpoint };
  }
}

async function endpointOf(
  answer: FetchedResponse,
  reading: Pick<PageReading, 'endpoint'>,
): Promise<string | undefined> {
  const inHeader = endpointInHeader(answer);
  if (inHeader !== undefined) return inHeader;
  // The page of an error may belong to the server, not to the target.
  if (!isSuccess(answer.status)) return undefined;
  const contentType = answer.headers.get('content-type');
  if (contentType !== null && !/^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType))
    return undefined;
  return reading.endpoint({ url: answer.url, contentType, body: answer.body });
}

function endpointInHeader({ url, headers }: FetchedResponse): string | undefined {
  return relsInHeader(headers.get('link'), url)['webmention']?.[0];
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/**
 * Returns whether an HTTP status reports a failure that may be temporary, such as a timeout, a rate limit or a server
 * error.
 */
function mayPass(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

const longestReason = 200;
const reasons = ['error_description', 'summary', 'message', 'error'];

/**
 * Returns the reason stated in a receiver's response, on one line. Returns an empty string if the response contains no
 * readable text.
 */
function reasonIn(answer: FetchedResponse): string {
  const type = answer.headers.get('content-type') ?? '';
  if (/^text\/plain\b/i.test(type)) return cleanLine(answer.text(), longestReason);
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return '';
  const parsed = parsedJson(answer.text());
  const reason = isRecord(parsed) ? reasons.map((name) => own(parsed, name)).find(isText) : undefined;
  return cleanLine(reason ?? '', longestReason);
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
