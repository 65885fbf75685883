import { FetchError } from './fetch-error.ts';
import type { ResponseHeaders } from './fetched-response.ts';

export interface FetchOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST';
  /** The Accept header; anything by default. */
  readonly accept?: string;
  /** Sent to the first origin only: a redirect to another one leaves them behind. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** 5 by default. 0: none is followed, the redirect itself is the answer. */
  readonly maxRedirects?: number;
  /** Bytes of the decompressed body; 1 MiB by default. */
  readonly maxBytes?: number;
  /** Milliseconds for the whole fetch, all hops together; 10 s by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Connects over this version of IP only; over either by default. */
  readonly family?: 4 | 6;
  /**
   * Takes the body of the last answer as it comes, uncompressed, for what is too large to keep in memory; the answer
   * itself then has none. What it throws is the cause of the FetchError.
   */
  readonly into?: BodyTaker;
}

export type BodyTaker = (
  chunks: AsyncIterable<Buffer>,
  answer: { readonly status: number; readonly headers: ResponseHeaders },
) => Promise<void>;

/** One request of a fetch: the first, or one that a redirect asks for. */
export interface FetchRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly accept: string;
  readonly body: string | null;
}

/**
 * Reads an address that a stranger may have chosen.
 * @throws FetchError fetch_bad_url unless it is http or https, without a user name or password.
 */
export function parseTarget(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) throw new FetchError('fetch_bad_url');
  const url = new URL(address, base);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '') throw new FetchError('fetch_bad_url');
  // TLS knows no trailing dot, neither in the name it asks for nor in the certificate.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
}

export function firstRequest(url: URL, options: FetchOptions): FetchRequest {
  return {
    method: options.method ?? 'GET',
    url,
    headers: options.headers ?? {},
    accept: options.accept ?? '*/*',
    body: options.body ?? null,
  };
}

/**
 * What a redirect asks for, as browsers do it (Fetch standard, HTTP-redirect fetch): a 303, and a 301 or 302 after a
 * POST, become a GET without a body. To another origin the caller's headers do not go along (they may hold a token);
 * the body's own type does, with the body, and so does the part of the file that is asked for.
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

// A cookie, a referrer or a Host of the caller's making has no place here, whoever asks for it.
const neverSent = ['cookie', 'referer', 'host'];

/** The headers of a request as they go out. */
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
