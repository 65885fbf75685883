import { FetchError, type ResponseHeaders } from './fetched-response.ts';

export interface FetchOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** The Accept header; any type by default. */
  readonly accept?: string;
  /**
   * Headers for the first origin only. A redirect to another origin keeps only the headers for the body's type and the
   * requested range.
   */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The maximum number of redirects to follow; 5 by default. With 0, a redirect is returned as the response. */
  readonly maxRedirects?: number;
  /** The maximum size of the decompressed body, in bytes; 1 MiB by default. */
  readonly maxBytes?: number;
  /** The time limit of the whole fetch, including redirects, in ms; 10 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /**
   * Called after the whole response has arrived. If it returns true, the connection is kept for a few seconds, for the
   * next GET request that also has this option and has exactly this origin. By default, each request has its own
   * connection.
   */
  readonly isFollowed?: () => boolean;
  /**
   * Whether the User-Agent may not name the owner's public address. For services that do their work for Porchlight, and
   * not for the owner among other sites.
   */
  readonly isUnnamed?: boolean;
  /** The IP version to connect over; both versions are allowed by default. */
  readonly family?: 4 | 6;
  /**
   * Receives the uncompressed body of the final response as it arrives, for bodies that are too large for memory. The
   * returned response then has an empty body. If this function throws an error, that error becomes the cause of the
   * FetchError.
   */
  readonly into?: BodyTaker;
}

export type BodyTaker = (
  chunks: AsyncIterable<Buffer>,
  answer: { readonly status: number; readonly headers: ResponseHeaders },
) => Promise<void>;

/** One request of a fetch: the first request, or a request that follows a redirect. */
export interface FetchRequest extends Required<Pick<FetchOptions, 'method' | 'headers' | 'accept'>> {
  readonly url: URL;
  readonly body: string | Uint8Array | null;
}

/**
 * Parses a URL that may come from a stranger.
 * @throws FetchError fetch_bad_url if the URL is not http or https, or contains a user name or password.
 */
export function parseTarget(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new FetchError('fetch_bad_url');
  const url = new URL(address, base);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new FetchError('fetch_bad_url');
  // Remove the host's trailing dot, because TLS server names and certificates have none.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

export function firstRequest(url: URL, options: FetchOptions): FetchRequest {
  const { method = 'GET', headers = {}, accept = '*/*', body = null } = options;
  return { method, url, headers, accept, body };
}

/**
 * Returns the request that follows a redirect, by the same rules as browsers (Fetch standard, HTTP-redirect fetch). A
 * POST that gets a 301, 302 or 303 becomes a GET without a body. A request to another origin has only the headers for
 * the body's type and the requested range, because the caller's other headers may contain a token.
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

// The names of headers that are never sent, even if a caller sets them.
const neverSent = ['cookie', 'referer', 'host'];

/** Returns the complete headers to send with a request. */
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
