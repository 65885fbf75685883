import type { Handlers } from '../contract/contract.ts';
import { PorchlightError } from '../contract/error.ts';
import type { TunnelMode } from '../contract/settings.ts';
import type { Listener } from '../http/listener.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Tunnel } from '../platform/tunnel.ts';
import { tunnelTokenName } from './secrets.ts';
import type { SettingsStore } from './settings.ts';

export interface TunnelDeps {
  readonly tunnel: Tunnel;
  readonly secrets: Secrets;
  readonly settings: SettingsStore;
  readonly listener: Listener;
  /** What the front door was told; the settings count where it was told nothing. */
  readonly mode: TunnelMode | undefined;
}

export function tunnelHandlers({
  tunnel,
  secrets,
  settings,
  listener,
  mode,
}: TunnelDeps): Pick<Handlers, 'tunnel.status' | 'tunnel.start' | 'tunnel.stop'> {
  return {
    'tunnel.status': () => tunnel.status(),
    'tunnel.start': async () => {
      const wanted = mode ?? settings.get().tunnel.mode;
      if (wanted === 'off')
        throw new PorchlightError('tunnel_off', 'Choose a kind of tunnel in the settings first.');
      const { hostname } = settings.get().tunnel;
      const token = wanted === 'named' ? ((await secrets.get(tunnelTokenName)) ?? undefined) : undefined;
      if (wanted === 'named' && token === undefined)
        throw new PorchlightError('tunnel_token_missing', 'A named tunnel needs its token from Cloudflare.');
      await tunnel.start({ mode: wanted, port: listener.port, token, hostname });
      return tunnel.status();
    },
    'tunnel.stop': async () => {
      await tunnel.stop();
      return tunnel.status();
    },
  };
}
