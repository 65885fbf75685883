import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TextDecoder } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type FetchCode, PorchlightError } from '../contract/error.ts';
import { errorCode } from '../storage/storage-error.ts';

/** Response headers. Values of repeated headers are joined with a comma (RFC 9110 section 5.3). */
export interface ResponseHeaders {
  get(name: string): string | null;
}

/** The result of a guarded fetch. The body is complete, decompressed and within its size limit. */
export interface FetchedResponse {
  readonly status: number;
  /** The final URL, after redirects. */
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /**
   * Decodes the body with the charset of its Content-Type. Uses UTF-8 if the header names no charset or an unknown one.
   */
  text(): string;
}

export function fetchedResponse(answer: {
  status: number;
  url: string;
  hops: number;
  headers: ResponseHeaders;
  body: Uint8Array;
}): FetchedResponse {
  const { status, url, hops, headers, body } = answer;
  const text = (): string => decoderOf(headers.get('content-type')).decode(body);
  return { status, url, redirected: hops > 1, headers, body, text };
}

/** Wraps headers from undici. Each character in a header's value stands for one byte. */
export function responseHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): ResponseHeaders {
  return {
    get(name) {
      const key = name.toLowerCase();
      const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
      if (value === undefined) return null;
      return readBytes(Array.isArray(value) ? value.join(', ') : value);
    },
  };
}

/**
 * Decodes a header value as UTF-8 if the value is valid UTF-8. Headers don't declare a charset, but servers that send
 * non-ASCII characters (mostly in a Location header) use UTF-8.
 */
function readBytes(value: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function decoderOf(contentType: string | null): TextDecoder {
  const label = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}

/**
 * The content encodings that Porchlight accepts. All supported runtimes can decode them. zstd would need a newer
 * Node.js.
 */
export const acceptedEncodings = 'gzip, deflate, br';

// The number of bytes by which a compressed body can exceed the decoded body. Compression makes incompressible data
// slightly longer.
const compressionOverhead = 64 * 1024;

type Chunks = AsyncIterable<Buffer>;

/**
 * Reads a whole response body and decodes its Content-Encoding. Keeps at most `maxBytes` of the result in memory.
 * Limits both the received and the decoded bytes, because the body may be a decompression bomb, or may be endless and
 * decompress to nothing.
 * @throws FetchError fetch_too_large, or fetch_failed for an encoding that was not accepted.
 */
export async function readResponseBody(
  source: Readable,
  contentEncoding: string,
  maxBytes: number,
): Promise<Uint8Array> {
  const encoding = contentEncoding.trim().toLowerCase();
  const parts: Buffer[] = [];
  const collect = async (chunks: Chunks): Promise<void> => {
    for await (const chunk of limited(chunks, maxBytes)) parts.push(chunk);
  };
  // A pipeline creates an AbortError with a stack at each end, even after a success.
  if (encoding === '' || encoding === 'identity') await collect(source);
  else {
    const arriving = (chunks: Chunks): Chunks => limited(chunks, maxBytes + compressionOverhead);
    await pipeline(source, arriving, (chunks: Chunks) => decoded(chunks, encoding), collect);
  }
  return joined(parts);
}

/** Joins bytes in memory of their own. A pooled Buffer would pass unrelated bytes on to the threads that read pages. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/**
 * Passes a response body to `into` as it arrives, up to `maxBytes`.
 * @throws FetchError fetch_too_large, or fetch_failed for a body with a Content-Encoding, because the request didn't
 * accept any encoding.
 */
export async function passBody(
  source: Readable,
  contentEncoding: string,
  maxBytes: number,
  into: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  if (!/^(|identity)$/i.test(contentEncoding.trim())) {
    source.on('error', () => undefined).destroy();
    throw new FetchError('fetch_failed', new Error(`Content-Encoding: ${contentEncoding}`));
  }
  await pipeline(source, (chunks: Chunks) => limited(chunks, maxBytes), into);
}

async function* limited(chunks: Chunks, maxBytes: number): Chunks {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > maxBytes) throw new FetchError('fetch_too_large');
    yield chunk;
  }
}

/**
 * Decodes a body. Selects the decoder when the first byte arrives, because an empty body needs no decoder, and because
 * "deflate" can mean two formats.
 */
async function* decoded(chunks: Chunks, encoding: string): Chunks {
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done === true) return;
  const decoder = decoderFor(encoding, first.value[0] ?? 0);
  const all = async function* (): Chunks {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  const feeding = pipeline(all, decoder);
  // Prevent an unhandled rejection. Reading from `decoder` below throws the same error.
  feeding.catch(() => undefined);
  yield* decoder as Chunks;
  await feeding;
}

function decoderFor(encoding: string, firstByte: number): Transform {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      // RFC 9110 section 8.4.1.2: "deflate" means the zlib format, but some servers send a raw deflate stream. The
      // lower half of the first byte distinguishes the formats.
      return (firstByte & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
    default:
      throw new FetchError('fetch_failed', new Error(`Content-Encoding: ${encoding}`));
  }
}

const unreachable = 'The other server could not be reached.';

/**
 * Three error codes share one message, because different messages would let strangers scan ports through this server.
 */
const messages: Record<FetchCode, string> = {
  fetch_bad_url: 'Only http and https addresses without a user name or password can be fetched.',
  fetch_refused_address: unreachable,
  fetch_timeout: unreachable,
  fetch_too_large: 'The other server sent more than is accepted.',
  fetch_too_many_redirects: 'The other server redirects too often.',
  fetch_failed: unreachable,
};

/**
 * The error of a guarded fetch that got no response. The message may be shown to strangers, so it reveals nothing that
 * would help to scan the owner's network. `detail` is for the owner only. `cause` is for the log.
 */
export class FetchError extends PorchlightError {
  override readonly name = 'FetchError';
  declare readonly code: FetchCode;
  /** The reason, as a message for the owner. */
  readonly detail: string;

  constructor(code: FetchCode, cause?: unknown) {
    super(code, messages[code], 400, { cause });
    this.detail = detailOf(code, cause);
  }

  /** Whether the other server could not be reached at all, for any reason. */
  get isUnreachable(): boolean {
    return this.message === unreachable;
  }
}

/** Turns any error from undici, DNS, TLS or zlib into a FetchError, the only type of error that callers handle. */
export function asFetchError(error: unknown): FetchError {
  if (error instanceof FetchError) return error;
  return new FetchError(
    errorCode(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'fetch_too_large' : 'fetch_failed',
    error,
  );
}

function detailOf(code: FetchCode, cause: unknown): string {
  if (code === 'fetch_refused_address')
    return 'This address isn’t on the public internet, or belongs to your own network, so Porchlight doesn’t open it.';
  if (code === 'fetch_timeout') return 'The other server took too long to answer.';
  if (code !== 'fetch_failed') return messages[code];
  const reason = errorCode(cause) ?? '';
  if (/^(ENOTFOUND|ENODATA|EAI_)/.test(reason)) return 'Porchlight couldn’t find the other server’s name.';
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(reason)) return 'The other server has no valid certificate.';
  return 'The other server did not answer as expected.';
}

/**
 * Returns the earliest time for the next request, from the response's Retry-After header (RFC 9110, 10.2.3), in ms
 * since the epoch. Returns undefined if the header is missing or invalid. `now` is in ms.
 */
export function retryAfter(answer: Pick<FetchedResponse, 'headers'>, now: number): number | undefined {
  const value = answer.headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return now + Number(value) * 1000;
  const date = value.length <= 40 && /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : date;
}
