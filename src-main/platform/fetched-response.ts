import { TextDecoder } from 'node:util';

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
