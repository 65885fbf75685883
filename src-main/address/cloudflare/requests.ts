import { Type, type Static, type TSchema } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { jsonIn } from '../../storage/json-value.ts';
import { firstProblem, isValid } from '../../storage/schema-check.ts';
import { hostIsLoopback } from '../../platform/address.ts';
import { CloudflareError, refusedBy, type CloudflarePermission, type CloudflareRefusal } from './answers.ts';
import { FetchError, type FetchedResponse, type GuardedFetch } from '../../platform/guarded-fetch.ts';
import { retryAfter } from '../../platform/fetched-response.ts';
import { nextAttempt } from '../../platform/retry-schedule.ts';

export interface CloudflareAccess {
  readonly fetch: GuardedFetch;
  /** The base address of the API, without a trailing slash. */
  readonly base: string;
  readonly token: string;
  readonly signal: AbortSignal;
  /** Waits `ms` milliseconds between two attempts, or until the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface CloudflareRequest<S extends TSchema> {
  /** The HTTP method; GET by default. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the base address (see `apiPath`). */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: FormData;
  /** The schema of the response's `result`. */
  readonly result: S;
  /** The requested action, such as "create the tunnel". */
  readonly doing: string;
  /** The permission that the token needs for the request; null if any valid token is enough. */
  readonly permission: CloudflarePermission | null;
}

const usualBase = 'https://api.cloudflare.com/client/v4';
// The size limit is high, because lists of Workers and zones contain many details of each Worker and zone.
const callLimits = { maxBytes: 8 * 1024 * 1024, timeoutMs: 30_000, maxRedirects: 0 };
/**
 * The longest time that Porchlight waits when the API asks it to pause, in ms. If the API asks for a longer pause, the
 * call fails, and the owner can retry later. The API allows each user 1,200 requests in five minutes.
 */
const longestPauseMs = 30_000;

const Problems = Type.Array(Type.Object({ code: Type.Integer(), message: Type.String() }));
const Envelope = Type.Object({
  success: Type.Boolean(),
  errors: Type.Optional(Type.Union([Problems, Type.Null()])),
  result: Type.Optional(Type.Unknown()),
  result_info: Type.Optional(
    Type.Union([Type.Object({ total_pages: Type.Optional(Type.Integer()) }), Type.Null()]),
  ),
});
type Envelope = Static<typeof Envelope>;

/**
 * Returns the base address of Cloudflare's API. In development and tests, PORCHLIGHT_CLOUDFLARE_API can set another
 * address.
 * @throws PorchlightError `invalid_option` if the token would be sent unencrypted to another computer
 */
export function cloudflareApiBase(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['PORCHLIGHT_CLOUDFLARE_API'] ?? '';
  if (given === '') return usualBase;
  const url = URL.canParse(given) ? new URL(given) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && hostIsLoopback(url.hostname));
  if (!isSafe)
    throw new PorchlightError(
      'invalid_option',
      'PORCHLIGHT_CLOUDFLARE_API must begin with https://, or lead to this computer.',
    );
  return given.replace(/\/+$/, '');
}

/** Builds the path of an API call. Encodes each value as a single path segment. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((path, part, at) => `${path}${encodeURIComponent(values[at - 1] ?? '')}${part}`);
}

/** Sends a request and returns the `result` from the response. @throws CloudflareError */
export async function requestCloudflare<S extends TSchema>(
  access: CloudflareAccess,
  request: CloudflareRequest<S>,
): Promise<Static<S>> {
  return checkedResult(request, (await envelopeOf(access, request)).result);
}

/** Reads all pages of a list. `path` must not contain paging parameters. @throws CloudflareError */
export async function listCloudflare<S extends TSchema>(
  access: CloudflareAccess,
  request: CloudflareRequest<S>,
): Promise<Static<S>[]> {
  const List = Type.Array(request.result);
  const found: Static<S>[] = [];
  const separator = request.path.includes('?') ? '&' : '?';
  for (let page = 1; page <= mostPages; page += 1) {
    const path = `${request.path}${separator}page=${page}&per_page=50`;
    const { result, result_info: info } = await envelopeOf(access, { ...request, path });
    found.push(...checkedResult({ ...request, result: List }, result));
    if (page >= (info?.total_pages ?? 1)) break;
  }
  return found;
}
const mostPages = 40;

function checkedResult<S extends TSchema>(
  { result, doing }: CloudflareRequest<S>,
  value: unknown,
): Static<S> {
  if (isValid(result, value)) return value;
  throw notUnderstood(doing, firstProblem(result, value));
}

function notUnderstood(doing: string, why: string): CloudflareError {
  return new CloudflareError(
    'cloudflare_failed',
    `Porchlight asked Cloudflare to ${doing}, and couldn’t understand the answer. Try again. If it happens again, update Porchlight.`,
    { cause: new Error(why) },
  );
}

/**
 * Sends a request and retries it after some failures. Any request is retried after a 429 response. Idempotent requests
 * are also retried after a network error or a server error.
 */
async function envelopeOf<S extends TSchema>(
  access: CloudflareAccess,
  request: CloudflareRequest<S>,
): Promise<Envelope> {
  const mayRepeat = request.method !== 'POST';
  for (let failures = 1; ; failures += 1) {
    const answer = await sent(access, request);
    access.signal.throwIfAborted();
    const now = Date.now();
    if (answer instanceof FetchError) {
      const next = mayRepeat ? nextAttempt('cloudflare', { failures, now }) : undefined;
      if (next === undefined) throw unreachable(answer);
      await access.pause(next - now, access.signal);
    } else {
      const isBusy = answer.status === 429;
      if (!isBusy && answer.status < 500) return envelopeIn(access, request, answer);
      const asked = retryAfter(answer, now);
      const next = isBusy || mayRepeat ? nextAttempt('cloudflare', { failures, now, asked }) : undefined;
      if (next === undefined || (asked ?? now) - now > longestPauseMs)
        throw refusedBy(refusalIn(answer), { ...request, token: access.token });
      await access.pause(next - now, access.signal);
    }
    access.signal.throwIfAborted();
  }
}

async function sent<S extends TSchema>(
  { fetch, base, token, signal }: CloudflareAccess,
  { method = 'GET', path, json, form }: CloudflareRequest<S>,
): Promise<FetchedResponse | FetchError> {
  // Let the Response class encode the form as multipart data.
  const written = form && new Response(form);
  const text = json === undefined ? undefined : JSON.stringify(json);
  const body = written ? new Uint8Array(await written.arrayBuffer()) : text;
  const type = written?.headers.get('content-type') ?? 'application/json';
  try {
    return await fetch(`${base}${path}`, {
      isUnnamed: true,
      ...callLimits,
      method,
      signal,
      accept: 'application/json',
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body }),
    });
  } catch (error) {
    if (error instanceof FetchError) return error;
    throw error;
  }
}

function envelopeIn<S extends TSchema>(
  { token }: CloudflareAccess,
  request: CloudflareRequest<S>,
  answer: FetchedResponse,
): Envelope {
  const value = jsonIn(answer.text());
  const isGood = answer.status >= 200 && answer.status < 300;
  if (isGood && isValid(Envelope, value) && value.success) return value;
  if (isGood && !isValid(Envelope, value)) throw notUnderstood(request.doing, firstProblem(Envelope, value));
  throw refusedBy(refusalIn(answer), { ...request, token });
}

function refusalIn(answer: FetchedResponse): CloudflareRefusal {
  const value = jsonIn(answer.text());
  return { status: answer.status, errors: (isValid(Envelope, value) ? value.errors : null) ?? [] };
}

function unreachable(error: FetchError): CloudflareError {
  return new CloudflareError(
    'cloudflare_failed',
    `Porchlight couldn’t reach Cloudflare’s API. ${error.detail} Check your network, and try again.`,
    { cause: error },
  );
}
