import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** The number of sites whose pages are verified. Each is an address of its own on loopback. */
export const sites = 24;

/** Returns the address of page N of the other sites; `port`: of the server of all of them. */
export const sourceOf = (port: number, n: number) => `http://127.0.0.${1 + (n % sites)}:${port}/${n}`;

/**
 * A request that the load generator sends. It fills placeholders, so that each request is different: `{n}` with the
 * number of the request, `{net}` with the end of an IPv4 address, `{site}` with the end of a site's address.
 */
export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

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
export function filled({ method, path, headers = {}, body = '' }: LoadRequest, n: number) {
  const net = `${(n >> 14) & 127}.${(n >> 7) & 127}.${1 + (n & 127)}`;
  const fill = (text: string) =>
    text
      .replaceAll('{n}', String(n))
      .replaceAll('{net}', net)
      .replaceAll('{site}', String(1 + (n % sites)));
  const filledHeaders = Object.entries(headers).map(([name, value]) => [name, fill(value)] as const);
  return { method, path: fill(path), headers: Object.fromEntries(filledHeaders), body: fill(body) };
}
