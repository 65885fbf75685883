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
   * What it does first. `append`: adds a line to a journal, by group commit; `file`: writes a file, with a group commit
   * of the folder; `loop` and `verify`: writes and syncs files, or fetches and parses pages, as many as `?amount` says.
   */
  readonly work?:
    | { readonly kind: 'append' | 'file'; readonly bytes: number }
    | { readonly kind: 'loop'; readonly bytes: number; readonly lanes: number }
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
