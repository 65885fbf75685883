import type { Settings, SettingsPatch } from '../../contract/settings.ts';

/** The functions that control this server's tunnel (see tunnel.ts). */
export interface OwnTunnel {
  /**
   * Stores the tunnel's token; an empty string deletes the token. Restarts a named tunnel that is running or has
   * failed.
   */
  setToken(token: string): Promise<unknown>;
  /** Starts, restarts or stops the tunnel if its settings have changed. */
  follow(): Promise<void>;
}

interface TunnelUseDeps {
  readonly tunnel: OwnTunnel;
  readonly settings: { get(): Settings; update(patch: SettingsPatch): Promise<unknown> };
}

/**
 * Returns two functions: one makes this server use the tunnel that the setup created, and the other makes this server
 * stop using that tunnel. Both are idempotent.
 */
export function createTunnelUse({ tunnel, settings }: TunnelUseDeps) {
  return {
    async useTunnel(hostname: string, token: string): Promise<void> {
      // Save the host name first. If Porchlight is then killed, `leaveTunnel` finds the host name and deletes the
      // token.
      await settings.update({ tunnel: { mode: 'named', hostname } });
      await tunnel.setToken(token);
      await tunnel.follow();
    },

    /** Stops using the tunnel. Keeps a different tunnel that the owner has set up in the meantime. */
    async leaveTunnel(hostname: string): Promise<void> {
      if (settings.get().tunnel.hostname !== hostname) return;
      if (settings.get().tunnel.mode === 'named') await settings.update({ tunnel: { mode: 'off' } });
      await tunnel.follow();
      await tunnel.setToken('');
      // Clear the host name last. If Porchlight is killed first, another call of `leaveTunnel` repeats the steps above.
      await settings.update({ tunnel: { hostname: '' } });
    },
  };
}
