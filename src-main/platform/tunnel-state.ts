import type { TunnelStatus } from '../contract/tunnel.ts';
import type { TunnelRequest } from './cloudflared.ts';
import type { Sign } from './cloudflared-signs.ts';

/** The tunnel's status, as it follows from what happens to cloudflared. */
export interface TunnelState {
  status(): TunnelStatus;
  begin(request: TunnelRequest): void;
  /** Takes in what cloudflared said. */
  take(sign: Sign): void;
  /** cloudflared ended, for the reason given, and is started again after so many seconds. */
  ended(reason: string, seconds: number): void;
  /** It stays down until somebody does something. */
  fail(words: string): void;
  off(): void;
}

const off: TunnelStatus = {
  mode: 'off',
  state: 'off',
  words: 'Off',
  url: null,
  connections: 0,
  reason: null,
  progress: null,
};

/** `onChange` hears each status that differs from the one before. */
export function createTunnelState(onChange: (status: TunnelStatus) => void): TunnelState {
  let current = off;
  let url: string | null = null;
  const connections = new Set<number>();

  function tell(state: TunnelStatus['state'], words: string, mode = current.mode): void {
    const next = { ...off, mode, state, words, url, connections: connections.size };
    if (JSON.stringify(next) === JSON.stringify(current)) return;
    current = next;
    onChange(next);
  }

  function forgetRun(): void {
    connections.clear();
    if (current.mode === 'quick') url = null;
  }

  return {
    status: () => current,
    begin({ mode, hostname = '' }) {
      connections.clear();
      url = mode === 'named' && hostname !== '' ? `https://${hostname}` : null;
      tell('starting', mode === 'quick' ? 'Asking Cloudflare for a trial address' : 'Starting', mode);
    },
    take(sign) {
      if (sign.kind === 'address') {
        // The address of a named tunnel is what the owner says it is.
        if (current.mode === 'quick') url = sign.url;
      } else if (sign.kind === 'connected') connections.add(sign.connection);
      else if (sign.kind === 'disconnected') connections.delete(sign.connection);

      if (isUp()) tell('connected', connectedWords(current.mode, url));
      else if (sign.kind === 'trouble') tell('reconnecting', `${sign.words} It is tried again.`);
      else if (current.state === 'connected')
        tell('reconnecting', 'The connection to Cloudflare broke; reconnecting');
    },
    ended(reason, seconds) {
      forgetRun();
      tell('reconnecting', `${reason} Trying again in ${seconds} s.`);
    },
    fail(words) {
      forgetRun();
      tell('failed', words);
    },
    off() {
      connections.clear();
      url = null;
      tell('off', off.words, 'off');
    },
  };

  function isUp(): boolean {
    return connections.size > 0 && (current.mode === 'named' || url !== null);
  }
}

function connectedWords(mode: TunnelStatus['mode'], url: string | null): string {
  if (mode === 'quick') return `Connected at ${url ?? ''}. This address changes at every start.`;
  if (url !== null) return `Connected at ${url}`;
  return 'Connected. Enter the host name of the tunnel in the settings, so that Porchlight knows its address.';
}
