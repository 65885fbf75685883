import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A route of the baseline. Its response is fixed. */
export interface BareRoute {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * What it does first, durably. `commit`: adds a row to a database, in one commit with what arrives at the same time;
   * `post`: writes a file, with a group commit of the folder, and then commits a row to a database; `receive`: writes the
   * body of the request to a file; `tokens`: verifies one MAC for each token, and commits a row if `bytes` is given;
   * `verify`: fetches and parses as many pages as `?amount` says.
   */
  readonly work?:
    | { readonly kind: 'commit' | 'post'; readonly bytes: number }
    | { readonly kind: 'receive' }
    | { readonly kind: 'tokens'; readonly tokens: number; readonly bytes?: number }
    | { readonly kind: 'verify'; readonly port: number; readonly lanes: number }
    | undefined;
}

/** What the baseline is started with. */
export interface BareOrder {
  /** For the files that it writes. Must exist. */
  readonly folder: string;
  readonly routes: readonly BareRoute[];
}

/** The baseline, running. */
export interface Bare {
  readonly name: 'bare';
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

/** Starts the baseline as a process of its own, which ends with this one. */
export async function startBare(order: BareOrder): Promise<Bare> {
  const child = fork(path.join(import.meta.dirname, 'bare-server.ts'));
  const listening = once(child, 'message') as Promise<[string]>;
  child.send(order);
  const [url] = await listening;
  return { name: 'bare', url, pid: child.pid ?? 0, stop: () => void child.kill() };
}
