import type { Handlers } from '../../src-main/contract/contract.ts';
import type { Settings } from '../../src-main/contract/settings.ts';
import type { TunnelStatus } from '../../src-main/contract/reach.ts';

/** What the way to the world needs of a house. */
export interface ReachHouse {
  settings: Settings;
  tunnel: TunnelStatus;
  tunnelTokenKept: boolean;
}

type ReachHandlers = Pick<
  Handlers,
  Extract<keyof Handlers, `tunnel.${string}`> | 'secrets.hasTunnelToken' | 'secrets.setTunnelToken'
>;

/** A tunnel that nobody started. */
export const tunnelOff: TunnelStatus = {
  mode: 'off',
  state: 'off',
  words: 'Off',
  url: null,
  connections: 0,
  reason: null,
  progress: null,
};

const named = { ...tunnelOff, mode: 'named', url: 'https://porch.marlow.example' } as const;

/** A named tunnel as it may be. */
export const someTunnels = {
  connected: {
    ...named,
    state: 'connected',
    words: 'Connected at https://porch.marlow.example',
    connections: 4,
  },
  downloading: {
    ...named,
    state: 'downloading',
    words: 'Downloading cloudflared, the program that makes the tunnel.',
    progress: { received: 12_400_000, total: 40_122_749 },
  },
  failed: {
    ...named,
    state: 'failed',
    words: 'Cloudflare no longer knows this tunnel. Copy a new token from the Cloudflare dashboard.',
    reason: 'bad_token',
  },
} satisfies Record<string, TunnelStatus>;

/** The part of a service for `house` that has to do with how it is reached. */
export function reachHandlers(house: ReachHouse): ReachHandlers {
  return {
    'tunnel.status': () => Promise.resolve(house.tunnel),
    'tunnel.start': () => {
      const { mode } = house.settings.tunnel;
      house.tunnel = { ...tunnelOff, mode, state: 'starting', words: 'Starting' };
      return Promise.resolve(house.tunnel);
    },
    'tunnel.stop': () => {
      house.tunnel = tunnelOff;
      return Promise.resolve(house.tunnel);
    },
    'secrets.hasTunnelToken': () => Promise.resolve({ stored: house.tunnelTokenKept }),
    'secrets.setTunnelToken': ({ token }) => {
      house.tunnelTokenKept = token !== '';
      return Promise.resolve({ stored: house.tunnelTokenKept });
    },
  };
}
