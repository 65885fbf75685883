import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchError } from './fetch-error.ts';

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
  if (encoding === '' || encoding === 'identity') await pipeline(source, collect);
  else {
    const arriving = (chunks: Chunks): Chunks => limited(chunks, maxBytes + compressionOverhead);
    await pipeline(source, arriving, (chunks: Chunks) => decoded(chunks, encoding), collect);
  }
  return Buffer.concat(parts);
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
