import type { Readable } from 'node:stream';
import type { Client, Dispatcher } from 'undici';
import { addressIsPublic } from './address.ts';
import {
  acceptedEncodings,
  asFetchError,
  fetchedResponse,
  type FetchedResponse,
  FetchError,
  passBody,
  readResponseBody,
  responseHeaders,
} from './fetched-response.ts';
import {
  type AddressRules,
  type Connector,
  createNameLookup,
  createOwnNetworks,
  guardedConnector,
  loadUndici,
} from './guarded-connector.ts';
import {
  firstRequest,
  nextRequest,
  parseTarget,
  sentHeaders,
  type BodyTaker,
  type FetchOptions,
  type FetchRequest,
} from './fetch-request.ts';

export type { FetchOptions } from './fetch-request.ts';
export type { FetchedResponse } from './fetched-response.ts';
export { FetchError } from './fetched-response.ts';

/**
 * Fetches a URL (see createGuardedFetch). All parts of the server use this function. Rejects only with a FetchError.
 */
export type GuardedFetch = (url: string, options?: FetchOptions) => Promise<FetchedResponse>;

export interface GuardedFetchSettings
  extends
    Pick<AddressRules, 'allowPrivate'>,
    Partial<Pick<AddressRules, 'lookup' | 'isPublic' | 'ownNetworks' | 'isOwnOrigin'>> {
  readonly userAgent: string;
  /**
   * Returns the owner's public address, which the User-Agent names so that an annoyed site owner can ask; undefined if
   * there is none.
   */
  readonly named?: () => string | undefined;
}

/** The networks to which this computer's network interfaces belong. */
const interfaceNetworks = createOwnNetworks({ learnt: () => [] });

const defaults = { maxRedirects: 5, maxBytes: 1024 * 1024, timeoutMs: 10_000 };
const maxHeaderBytes = 16 * 1024;
const roomToRead = 1024 * 1024;

/** Returns the User-Agent header. It contains "Webmention", as the specification suggests (Webmention 4). */
export function userAgentOf(version: string): string {
  return `Porchlight/${version} (IndieWeb server; Webmention)`;
}

/** Adds an address to a User-Agent header. */
const withAddress = (userAgent: string, address: string | undefined): string =>
  address === undefined ? userAgent : userAgent.replace(/\)$/, `; +${address})`);

/**
 * Creates the function that makes every outbound request (docs/security.md). Because strangers choose URLs, the
 * function allows only http and https, and only public addresses. It checks addresses after DNS and at every redirect,
 * and connects only to the checked addresses. It limits redirects, time, headers and decompressed bytes. It neither
 * sends nor stores cookies, sends no referrer, and uses no proxy. Each request has its own connection, so none relies
 * on the address check of another request, except with `isFollowed` (see createKeptConnections). `close` aborts running
 * requests and refuses later ones.
 */
export function createGuardedFetch(
  settings: GuardedFetchSettings,
): GuardedFetch & { close(): Promise<void> } {
  const { allowPrivate, userAgent, isPublic = addressIsPublic, isOwnOrigin = () => false } = settings;
  // Names from the hosts file are resolved only with `allowPrivate`, because most of them have private addresses.
  const { lookup = createNameLookup({ withLocalNames: allowPrivate }) } = settings;
  const { ownNetworks = interfaceNetworks } = settings;
  const rules: AddressRules = { allowPrivate, lookup, isPublic, ownNetworks, isOwnOrigin };
  const closing = new AbortController();
  const kept = createKeptConnections();
  const underWay = new Set<Promise<unknown>>();

  const guardedFetch: GuardedFetch = async (url, options = {}) => {
    const limit = timeLimit(options.timeoutMs ?? defaults.timeoutMs, [closing.signal, options.signal]);
    const answer = followRedirects(url, options, {
      rules: { ...rules, family: options.family },
      userAgent: options.isUnnamed ? userAgent : withAddress(userAgent, settings.named?.()),
      signal: limit.signal,
      kept,
    });
    underWay.add(answer);
    try {
      return await answer;
    } catch (error) {
      // If the signal has aborted, any other error is a consequence of the abort.
      throw asFetchError(limit.signal.aborted ? limit.signal.reason : error);
    } finally {
      underWay.delete(answer);
      limit.clear();
    }
  };
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.allSettled(underWay);
    kept.close();
  };
  return Object.assign(guardedFetch, { close });
}

interface Surroundings {
  readonly rules: AddressRules;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  readonly kept: KeptConnections;
}

async function followRedirects(
  url: string,
  options: FetchOptions,
  surroundings: Surroundings,
): Promise<FetchedResponse> {
  const maxRedirects = options.maxRedirects ?? defaults.maxRedirects;
  const seen = new Set<string>();
  let request = firstRequest(parseTarget(url), options);
  for (;;) {
    if (seen.has(request.url.href) || seen.size > maxRedirects)
      throw new FetchError('fetch_too_many_redirects');
    seen.add(request.url.href);
    const wishes = {
      follow: maxRedirects > 0,
      maxBytes: options.maxBytes ?? defaults.maxBytes,
      into: options.into,
      isFollowed: options.isFollowed,
    };
    const answer = await oneHop(request, wishes, surroundings);
    if (answer.location === null)
      return fetchedResponse({ ...answer, url: request.url.href, hops: seen.size });
    request = nextRequest(request, answer.status, answer.location);
  }
}

interface Wishes {
  readonly follow: boolean;
  readonly maxBytes: number;
  readonly into: BodyTaker | undefined;
  readonly isFollowed: (() => boolean) | undefined;
}

/** A connection to one origin, whose address was checked when it was opened. */
interface Connection {
  readonly client: Client;
  /** When the address was checked, in ms of `performance.now()`. */
  readonly checkedAt: number;
  /** Whether a response to the last request has begun to arrive. */
  isAnswering: boolean;
}

type KeptConnections = ReturnType<typeof createKeptConnections>;

/** How long a connection may be kept after its address was checked, and without a request, in ms. */
const keptMs = 5000;
const idleMs = 1000;
const mostKept = 64;

/**
 * Keeps connections for requests that follow at once, one for each origin. A kept connection serves one request at a
 * time, and belongs to exactly one origin and IP version. It is closed after a second without a request, or five
 * seconds after its address was checked.
 */
function createKeptConnections() {
  const kept = new Map<string, { readonly connection: Connection; readonly timer: NodeJS.Timeout }>();
  let isClosed = false;

  /** Takes the connection with a key, which then belongs to the caller. */
  function take(key: string): Connection | undefined {
    const one = kept.get(key);
    if (one === undefined) return undefined;
    kept.delete(key);
    clearTimeout(one.timer);
    if (performance.now() - one.connection.checkedAt < keptMs) return one.connection;
    void one.connection.client.destroy();
    return undefined;
  }

  return {
    take,
    /** Keeps a connection whose response has arrived completely. */
    keep(key: string, connection: Connection): void {
      if (isClosed || kept.has(key) || kept.size >= mostKept) {
        void connection.client.destroy();
        return;
      }
      const timer = setTimeout(() => void take(key)?.client.destroy(), idleMs).unref();
      kept.set(key, { connection, timer });
    },
    close(): void {
      isClosed = true;
      for (const key of [...kept.keys()]) void take(key)?.client.destroy();
    },
  };
}

/** Only a request that may be sent twice can use a connection that the other server may have closed. */
const mayBeKept = ({ method }: FetchRequest, { isFollowed, into }: Wishes): boolean =>
  method === 'GET' && isFollowed !== undefined && into === undefined;

const keptAs = ({ url }: FetchRequest, { family }: AddressRules): string => `${family ?? ''} ${url.origin}`;

async function oneHop(request: FetchRequest, wishes: Wishes, surroundings: Surroundings) {
  const { rules, kept, signal } = surroundings;
  const isKeepable = mayBeKept(request, wishes);
  const before = isKeepable ? kept.take(keptAs(request, rules)) : undefined;
  if (before !== undefined) {
    try {
      return await askOver(before, request, wishes, surroundings);
    } catch (error) {
      // The other server may have closed the connection meanwhile, so that no response could arrive.
      if (signal.aborted || before.isAnswering) throw error;
    }
  }
  const { Client } = await loadUndici();
  signal.throwIfAborted();
  const client = new Client(request.url.origin, {
    connect: once(guardedConnector(request.url, rules, signal)),
    pipelining: isKeepable ? 1 : 0, // With 0, a connection serves only the request whose addresses were checked.
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: 0, // The time limit of the whole fetch covers headers and body.
    bodyTimeout: 0,
  });
  const connection = { client, checkedAt: performance.now(), isAnswering: false };
  return askOver(connection, request, wishes, surroundings);
}

/** Returns a connector that connects only once, because a later connection would need another check of its address. */
function once(connect: Connector): Connector {
  let isUsed = false;
  return (target, callback) => {
    const wasUsed = isUsed;
    isUsed = true;
    if (wasUsed) callback(new Error('The connection was closed.'), null);
    else connect(target, callback);
  };
}

/** Sends a request over a connection. Keeps the connection if another request follows; otherwise, closes it. */
async function askOver(
  connection: Connection,
  request: FetchRequest,
  wishes: Wishes,
  { rules, userAgent, signal, kept }: Surroundings,
) {
  const { client } = connection;
  const stop = (): void => void client.destroy(asFetchError(signal.reason));
  signal.addEventListener('abort', stop, { once: true });
  let isKept = false;
  connection.isAnswering = false;
  try {
    const response = await client.request({
      method: request.method,
      path: request.url.pathname + request.url.search,
      headers: sentHeaders(request, {
        'user-agent': userAgent,
        'accept-encoding': wishes.into ? 'identity' : acceptedEncodings,
      }),
      body: request.body ?? null,
      // A large buffer keeps undici from pausing a body that is read slowly. If the server hangs up during a pause,
      // undici 7 throws an error that cannot be caught. The body's size is limited by `maxBytes` instead.
      highWaterMark: 2 * (wishes.maxBytes + roomToRead),
    });
    connection.isAnswering = true;
    const answer = await readAnswer(request, response, wishes);
    isKept =
      !signal.aborted &&
      answer.location === null &&
      mayBeKept(request, wishes) &&
      wishes.isFollowed?.() === true;
    if (isKept) kept.keep(keptAs(request, rules), connection);
    return answer;
  } finally {
    signal.removeEventListener('abort', stop);
    if (!isKept) await client.destroy();
  }
}

/**
 * Reads a response. `location` in the result: the target of a redirect to follow; null if this is the final response.
 */
async function readAnswer(
  request: FetchRequest,
  response: Dispatcher.ResponseData,
  { follow, maxBytes, into }: Wishes,
) {
  const headers = responseHeaders(response.headers);
  const status = response.statusCode;
  const location = follow && [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null;
  const answer = { status, headers, location };
  if (location !== null || request.method === 'HEAD') {
    discard(response.body);
    return { ...answer, body: new Uint8Array() };
  }
  const encoding = headers.get('content-encoding') ?? '';
  if (into) {
    await passBody(response.body, encoding, maxBytes, (chunks) => into(chunks, { status, headers }));
    return { ...answer, body: new Uint8Array() };
  }
  return { ...answer, body: await readResponseBody(response.body, encoding, maxBytes) };
}

function discard(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

/**
 * Returns a signal that aborts after `timeoutMs`, or when one of the `others` aborts. A single time limit covers DNS,
 * connecting, and the headers and bodies of all redirects.
 */
function timeLimit(
  timeoutMs: number,
  others: readonly (AbortSignal | undefined)[],
): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new FetchError('fetch_timeout')), timeoutMs);
  const stop = (): void => controller.abort(new FetchError('fetch_failed', new Error('Cancelled.')));
  for (const other of others) {
    if (other?.aborted === true) stop();
    other?.addEventListener('abort', stop, { once: true });
  }
  const clear = (): void => {
    clearTimeout(timer);
    for (const other of others) other?.removeEventListener('abort', stop);
  };
  return { signal: controller.signal, clear };
}
