import type { TunnelReason, TunnelStatus } from '../contract/tunnel.ts';
import type { TunnelRequest } from './cloudflared.ts';
import type { Sign } from './cloudflared-signs.ts';

/** The reason why the tunnel doesn't work: a code, and a message for the owner. */
export interface Why {
  readonly reason: TunnelReason | null;
  readonly words: string;
}

export type TunnelState = ReturnType<typeof createTunnelState>;

const off: TunnelStatus = {
  mode: 'off',
  state: 'off',
  words: 'Off',
  url: null,
  connections: 0,
  reason: null,
  progress: null,
};

/**
 * Derives the tunnel's status from cloudflared's events. Calls `onChange` with the new status whenever it has changed.
 */
export function createTunnelState(onChange: (status: TunnelStatus) => void) {
  let current = off;
  let url: string | null = null;
  let wasUp = false;
  const connections = new Set<number>();

  function change(
    state: TunnelStatus['state'],
    words: string,
    more: Partial<Pick<TunnelStatus, 'mode' | 'reason' | 'progress'>> = {},
  ): void {
    const { mode } = current;
    const next = { ...off, mode, state, words, url, connections: connections.size, ...more };
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    onChange(next);
  }

  function forgetRun(): void {
    connections.clear();
    if (current.mode === 'quick') url = null;
  }

  function countChanged(): void {
    if (isUp()) {
      wasUp = true;
      change('connected', connectedWords(current.mode, url));
    } else if (wasUp && current.state === 'connected')
      change('reconnecting', 'The connection to Cloudflare was lost. Reconnecting');
  }

  function isUp(): boolean {
    return connections.size > 0 && (current.mode === 'named' || url !== null);
  }

  return {
    status: () => current,
    begin({ mode, hostname = '' }: TunnelRequest): void {
      connections.clear();
      wasUp = false;
      url = mode === 'named' && hostname !== '' ? `https://${hostname}` : null;
      change('starting', startingWords(mode), { mode });
    },
    /** Records the progress of the download, in bytes. */
    downloading(received: number, total: number | null): void {
      change('downloading', 'Downloading cloudflared, the program that runs the tunnel.', {
        progress: { received, total },
      });
    },
    /** Records that cloudflared is running but hasn't reported anything yet. */
    running(): void {
      if (current.state === 'downloading') change('starting', startingWords(current.mode));
    },
    /** Applies an event from cloudflared's log. */
    take(sign: Sign): void {
      if (sign.kind === 'trouble') {
        if (!isUp()) change('reconnecting', `${sign.words} Trying again.`, { reason: sign.reason });
        return;
      }
      if (sign.kind === 'address') {
        // The owner enters the URL of a named tunnel. The URL of a quick tunnel appears in the log once per run.
        if (current.mode === 'quick') url ??= sign.url;
      } else if (sign.kind === 'connected') connections.add(sign.connection);
      else if (sign.kind === 'disconnected') connections.delete(sign.connection);
      countChanged();
    },
    /** Applies the connection count from the metrics, which overrides the count from the log. */
    count(counted: number): void {
      if (counted === connections.size) return;
      connections.clear();
      // The metrics don't say which connections are open, so the numbers in `connections` are now guesses. If the log
      // then reports a lost connection, `connections` may be wrong until the next call to `count`.
      for (let connection = 0; connection < counted; connection += 1) connections.add(connection);
      countChanged();
    },
    /** Records that cloudflared is being restarted because the tunnel stopped working. */
    anew(): void {
      forgetRun();
      change('reconnecting', 'Connecting again');
    },
    /** Records that cloudflared ended, and that it will be restarted after some seconds. */
    ended({ reason, words }: Why, seconds: number): void {
      forgetRun();
      change('reconnecting', `${words} Trying again in ${seconds} s.`, { reason });
    },
    /** Records a failure that lasts until the owner acts. */
    fail({ reason, words }: Why): void {
      forgetRun();
      change('failed', words, { reason });
    },
    off(): void {
      connections.clear();
      url = null;
      change('off', off.words, { mode: 'off' });
    },
  };
}

function startingWords(mode: TunnelStatus['mode']): string {
  return mode === 'quick' ? 'Asking Cloudflare for a trial address' : 'Starting';
}

function connectedWords(mode: TunnelStatus['mode'], url: string | null): string {
  if (mode === 'quick') return `Connected at ${url ?? ''}. This address changes at every start.`;
  if (url !== null) return `Connected at ${url}`;
  return 'Connected. Enter the tunnel’s host name in the settings, so that Porchlight knows its address.';
}
