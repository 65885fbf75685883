import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { FetchError } from './fetch-error.ts';

/** The encodings that we accept. All runtimes that we support can decode them; zstd would need a newer Node. */
export const acceptedEncodings = 'gzip, deflate, br';

// Compressing incompressible data makes it a little longer, because of headers and block marks.
const compressionOverhead = 64 * 1024;

type Chunks = AsyncIterable<Buffer>;

/**
 * Reads a response body to its end and decodes its Content-Encoding, never holding more than `maxBytes` of the result.
 * Counts both the received and the decoded bytes. So it stops at a decompression bomb, and at an endless body that
 * decompresses to nothing.
 * @throws FetchError fetch_too_large, or fetch_failed for an encoding that we did not accept.
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
 * Passes a response body on as it arrives, up to `maxBytes`.
 * @throws FetchError fetch_too_large, or fetch_failed for a body with a Content-Encoding, because none was accepted.
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
 * Decodes a body. Chooses the decoder at the first byte: an empty body needs none, and "deflate" can mean two formats.
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
  // A failure to feed the decoder is also reported by the decoder below, and handled there.
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
      // RFC 9110 section 8.4.1.2: "deflate" is zlib's format, but some servers send the raw stream. The low half of the
      // first byte tells which.
      return (firstByte & 0x0f) === 0x08 ? createInflate() : createInflateRaw();
    default:
      throw new FetchError('fetch_failed', new Error(`Content-Encoding: ${encoding}`));
  }
}
