import type { OwnerEvent } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import { resultOf } from '../../src-main/contract/reply.ts';
import type { Client, Connection } from './client.ts';
import { readEvents } from './event-stream.ts';
import { httpFiles } from './file-transfer.ts';

export interface HttpOptions {
  /** The key from the address that the service printed. It is new at each start. */
  readonly ownerKey: string;
  /** The console's address, with a slash at the end. Default: the folder of the page. */
  readonly base?: string;
  /** Waits before attempt number `attempt` (from 1) to reconnect. */
  readonly pause?: (attempt: number) => Promise<void>;
}

/** The most characters of a request that may outlive its page. Browsers allow 64 KiB, and one character takes up to 3 bytes. */
const mostKeptAlive = 20_000;

/** Returns the client of the page in a browser: calls use fetch, events a stream that reconnects by itself. */
export function httpClient({ ownerKey, base = './', pause = growingPause }: HttpOptions): Client {
  const headers = { Authorization: `Bearer ${ownerKey}` };
  const listeners = new Set<(event: OwnerEvent) => void>();
  const watchers = new Set<(connection: Connection) => void>();
  let listening: AbortController | undefined;

  const report = (connection: Connection) => {
    for (const watcher of [...watchers]) watcher(connection);
  };

  /** Follows one connection to its end, and returns how it ended. */
  async function follow(signal: AbortSignal, onOpen: () => void): Promise<'lost' | 'refused'> {
    const response = await fetch(`${base}api/events`, {
      headers: { ...headers, Accept: 'text/event-stream' },
      signal,
    });
    // Only a new key helps, so the client stops trying.
    if (response.status === 401) return 'refused';
    if (!response.ok || !response.body) return 'lost';
    onOpen();
    for await (const event of readEvents(response.body)) {
      for (const listener of [...listeners]) listener(event);
    }
    return 'lost';
  }

  async function listen(signal: AbortSignal): Promise<void> {
    let failures = 0;
    const ended = () => signal.aborted;
    while (!ended()) {
      const end = await follow(signal, () => {
        failures = 0;
        report('open');
      }).catch(() => 'lost' as const);
      if (ended()) return;
      report(end);
      if (end === 'refused') return;
      failures += 1;
      await pause(failures);
    }
  }

  return {
    home: 'browser',
    files: httpFiles({ ownerKey, base }),
    async call(method, params, { outlivesPage = false } = {}) {
      const body = JSON.stringify(params);
      const response = await fetch(`${base}api/${method}`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
        ...(outlivesPage && body.length < mostKeptAlive && { keepalive: true }),
      }).catch((cause: unknown) => {
        throw new PorchlightError(
          'unreachable',
          'Porchlight isn’t responding. Check that it’s still running.',
          503,
          {
            cause,
          },
        );
      });
      if (response.status === 401) report('refused');
      return resultOf(await response.json().catch(() => undefined));
    },
    subscribe(listener) {
      listeners.add(listener);
      if (!listening) {
        listening = new AbortController();
        void listen(listening.signal);
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        listening?.abort();
        listening = undefined;
      };
    },
    watchConnection(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}

/** Waits half a second, then twice as long each time, at most ten seconds. */
function growingPause(attempt: number): Promise<void> {
  const milliseconds = Math.min(500 * 2 ** (attempt - 1), 10_000);
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
