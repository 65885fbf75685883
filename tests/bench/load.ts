import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The number of sites whose pages are verified. Each is an address of its own on loopback. */
export const sites = 24;

/** Returns the address of page N of the other sites; `port`: of the server of all of them. */
export const sourceOf = (port: number, n: number) => `http://127.0.0.${1 + (n % sites)}:${port}/${n}`;

/** From how many networks the visitors of a page come. */
export const networks = 1000;

/** The header with which the tunnel says where a request comes from. The load generator fills the placeholder. */
export const fromTunnel = { 'cf-connecting-ip': '198.{net}' };

/**
 * A request that the load generator sends. It fills placeholders: `{n}` with the number of the request, `{number}` with
 * the same in eight digits, `{net}` with the end of an IPv4 address, `{site}` with the end of a site's address. A request
 * with `{n}` or `{number}` is different each time; one that has only `{net}` comes from a thousand networks in turn.
 */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** Each character is a byte if `isBinary`. */
  readonly body?: string;
  readonly isBinary?: boolean;
}

/** Returns whether each of these requests has to be made when it is sent. */
export const isDifferentEachTime = (request: LoadRequest) => /\{(?:n|number)\}/.test(JSON.stringify(request));

/** What the load generator is asked to send to one server. */
export interface LoadOrder {
  /** The server's address. */
  readonly url: string;
  /** Sent in turn by each connection. */
  readonly requests: readonly LoadRequest[];
  readonly amount: number;
  readonly connections: number;
  /** Each response must have this status, and at least so many bytes, headers included. */
  readonly expected: { readonly status: number; readonly bytes: number };
}

export type LoadAnswer = { readonly seconds: number } | { readonly problem: string };

/** The process that generates the load. */
export interface LoadGenerator {
  /**
   * Sends the requests. Returns the seconds until the last response. One call at a time.
   * @throws Error if a response is not the expected one
   */
  send(order: LoadOrder): Promise<number>;
  stop(): void;
}

/** Starts the process that generates the load. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(path.join(import.meta.dirname, 'load-generator.ts'));
  return {
    async send(order) {
      const answered = once(child, 'message') as Promise<[LoadAnswer]>;
      child.send(order);
      const [answer] = await answered;
      if ('problem' in answer) throw new Error(`${order.requests[0]?.path ?? ''}: ${answer.problem}`);
      return answer.seconds;
    },
    stop: () => void child.kill(),
  };
}

/** Fills the placeholders of request number `n`. */
export function filled({ method, path, headers = {}, body = '', isBinary = false }: LoadRequest, n: number) {
  const net = `${(n >> 14) & 127}.${(n >> 7) & 127}.${1 + (n & 127)}`;
  const fill = (text: string) =>
    text
      .replaceAll('{n}', String(n))
      .replaceAll('{number}', String(n).padStart(8, '0'))
      .replaceAll('{net}', net)
      .replaceAll('{site}', String(1 + (n % sites)));
  const filledHeaders = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const);
  return {
    method,
    path: fill(path),
    headers: Object.fromEntries(filledHeaders),
    body: Buffer.from(fill(body), isBinary ? 'latin1' : 'utf8'),
  };
}
