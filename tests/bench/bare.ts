import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** A route of the baseline. Its response is fixed. */
export interface BareRoute {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /**
   * What it does first. `append`: a line on a journal, by group commit; `file`: a file, and a group commit of the
   * folder; `loop`: files one after the other; `verify`: fetches and parses pages.
   */
  readonly work?:
    | { readonly kind: 'append' | 'file'; readonly bytes: number }
    | { readonly kind: 'loop'; readonly bytes: number; readonly files: number; readonly lanes: number }
    | { readonly kind: 'verify'; readonly sources: readonly string[]; readonly lanes: number }
    | undefined;
}

/** What the baseline is started with. */
export interface BareOrder {
  /** For the files that it writes. */
  readonly folder: string;
  readonly routes: readonly BareRoute[];
}

/** The program that is the baseline. */
export const bareProgram = path.join(import.meta.dirname, 'bare-server.ts');

/** Starts the baseline as a process of its own, which ends with this one. */
export async function startBare(order: BareOrder): Promise<{ url: string; pid: number; stop(): void }> {
  const child = fork(bareProgram);
  const listening = once(child, 'message') as Promise<[string]>;
  child.send(order);
  const [url] = await listening;
  return { url, pid: child.pid ?? 0, stop: () => void child.kill() };
}
