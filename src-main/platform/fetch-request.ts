import { FetchError } from './fetch-error.ts';
import type { ResponseHeaders } from './fetched-response.ts';

export interface FetchOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** The Accept header; anything by default. */
  readonly accept?: string;
  /**
   * Headers for the first origin only. On a redirect to another origin, only the body's type and the requested range
   * are kept.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 5 by default. With 0, no redirect is followed, and the redirect itself is the response. */
  readonly maxRedirects?: number;
  /** The limit for the decompressed body, in bytes; 1 MiB by default. */
  readonly maxBytes?: number;
  /** The limit for the whole fetch, with all redirects, in ms; 10 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** The IP version to connect over; either by default. */
  readonly family?: 4 | 6;
  /**
   * Takes the uncompressed body of the last response as it arrives, for bodies that are too large for memory. The
   * returned response then has an empty body. An error that it throws becomes the cause of the FetchError.
   */
  readonly into?: BodyTaker;
}

export type BodyTaker = (
  chunks: AsyncIterable<Buffer>,
  answer: { readonly status: number; readonly headers: ResponseHeaders },
) => Promise<void>;

/** One request of a fetch: the first, or one that follows a redirect. */
export interface FetchRequest extends Required<Pick<FetchOptions, 'method' | 'headers' | 'accept'>> {
  readonly url: URL;
  readonly body: string | null;
}

/**
 * Parses a URL that a stranger may have chosen.
 * @throws FetchError fetch_bad_url unless it is an http or https URL without a user name or password.
 */
export function parseTarget(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new FetchError('fetch_bad_url');
  const url = new URL(address, base);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new FetchError('fetch_bad_url');
  // TLS uses no trailing dot, neither in the server name that the client sends nor in the certificate.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

export function firstRequest(url: URL, options: FetchOptions): FetchRequest {
  const { method = 'GET', headers = {}, accept = '*/*', body = null } = options;
  return { method, url, headers, accept, body };
}

/**
 * Returns the request that follows a redirect, as browsers build it (Fetch standard, HTTP-redirect fetch). A POST that
 * gets a 301, 302 or 303 becomes a GET without a body. Of the caller's headers, only the body's type and the requested
 * range are sent to another origin, because the others may hold a token.
 */
export function nextRequest(previous: FetchRequest, status: number, location: string): FetchRequest {
  const url = parseTarget(location, previous.url);
  if (url.hash === '') url.hash = previous.url.hash;
  const becomesGet = previous.method === 'POST' && status <= 303;
  const kept =
    url.origin === previous.url.origin
      ? previous.headers
      : only(previous.headers, 'content-type', 'range', 'if-range');
  return {
    method: becomesGet ? 'GET' : previous.method,
    url,
    headers: becomesGet ? without(kept, 'content-type') : kept,
    accept: previous.accept,
    body: becomesGet ? null : previous.body,
  };
}

// A cookie, a referrer or a custom Host header is never sent, whichever caller sets it.
const neverSent = ['cookie', 'referer', 'host'];

/** Returns the headers of a request as they are sent. */
export function sentHeaders(
  request: FetchRequest,
  ours: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...without(request.headers, ...neverSent), accept: request.accept, ...ours };
}

function only(headers: Readonly<Record<string, string>>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => names.includes(key.toLowerCase())));
}

function without(headers: Readonly<Record<string, string>>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => !names.includes(key.toLowerCase())));
}
