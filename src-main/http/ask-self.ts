import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PorchlightError } from '../contract/error.ts';
import { newSecretText, sameText } from '../platform/secrets.ts';

interface AskSelfOptions {
  /** Returns the public app; undefined while the server is off. */
  readonly app: () => FastifyInstance | undefined;
  /** Returns the public origin. */
  readonly base: () => string;
  /** The maximum size of a response body, in bytes. */
  readonly mostBytes: number;
  /** The time limit of a request, in ms. Default: 30 s. */
  readonly limitMs?: number;
}

export interface SelfAnswer {
  readonly status: number;
  /** The header values by lower-case header name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const ownHeader = 'porchlight-own';
/** The value of the header that marks this server's own requests. Nobody else knows it. */
const ownSecret = newSecretText();

/** Returns whether this server itself sent a request. The limits for visitors don't apply to such a request. */
export function isOwnRequest({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const value = headers[ownHeader];
  return typeof value === 'string' && sameText(value, ownSecret);
}

/**
 * Returns a function that requests a URL from this server as an anonymous visitor would, without a token or cookies. If
 * the response body is larger than `mostBytes`, the function returns the status 413. If the response takes too long, it
 * returns the status 504.
 * @throws PorchlightError `server_off`, or the reason of `signal` if `signal` aborts
 */
export function createAskSelf({ app, base, mostBytes, limitMs = 30_000 }: AskSelfOptions) {
  return async (address: string, signal?: AbortSignal): Promise<SelfAnswer> => {
    const server = app();
    if (server === undefined) throw new PorchlightError('server_off', 'The server is off.', 503);
    let end: () => void = () => undefined;
    const ended = new Promise<SelfAnswer>((resolve, reject) => {
      const timer = setTimeout(() => resolve({ status: 504, headers: {}, body: new Uint8Array() }), limitMs);
      const stop = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', stop, { once: true });
      end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
      };
    });
    try {
      signal?.throwIfAborted();
      return await Promise.race([answerOf(server, address), ended]);
    } finally {
      end();
    }
  };

  async function answerOf(server: FastifyInstance, address: string): Promise<SelfAnswer> {
    const { host } = new URL(base());
    const response = await server.inject({
      method: 'GET',
      url: address,
      headers: { host, [ownHeader]: ownSecret },
      payloadAsStream: true,
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of response.stream() as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > mostBytes) return { status: 413, headers: {}, body: new Uint8Array() };
      parts.push(part);
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(response.headers))
      if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : String(value);
    return { status: response.statusCode, headers, body: Buffer.concat(parts) };
  }
}
