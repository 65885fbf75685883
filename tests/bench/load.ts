import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A request that the load generator sends. `{n}` becomes its number, `{net}` the end of an IPv4 address. */
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
