import type { Handlers } from '../../contract/contract.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { SettingsAccess, TunnelMode } from '../../contract/settings.ts';
import type { TunnelStatus } from '../../contract/reach.ts';
import type { Listener } from '../../http/listener.ts';
import type { FloodGate } from '../../platform/flood-gate.ts';
import { type Secrets, tunnelTokenName } from '../../platform/secrets.ts';
import type { Tunnel } from './tunnel.ts';
import { oneAtATime } from '../../storage/pacing.ts';

interface TunnelDeps {
  readonly tunnel: Tunnel;
  readonly secrets: Secrets;
  readonly settings: SettingsAccess;
  readonly listener: Listener;
  /** The tunnel mode from the command line; undefined if the settings decide. */
  readonly mode: TunnelMode | undefined;
}

export type TunnelControl = ReturnType<typeof createTunnelControl>;

/**
 * Creates the controller for the tunnel that the owner has chosen, on the command line or in the settings. The tunnel
 * starts when the server is turned on, and keeps running when the server is turned off.
 */
export function createTunnelControl(deps: TunnelDeps) {
  const { tunnel, secrets, settings, listener } = deps;
  const mode = (): TunnelMode => deps.mode ?? settings.get().tunnel.mode;
  const wish = () => {
    const { tunnel: wished, cloudflared } = settings.get();
    const chosen = mode();
    if (chosen === 'off') return chosen;
    return JSON.stringify([chosen, chosen === 'named' ? wished.hostname : null, cloudflared]);
  };
  let followed = wish();
  let isClosed = false;
  // The tunnel can be started and stopped by a change to the settings, by the on/off switch, and by the window's
  // buttons. So these calls run one at a time.
  const inTurn = oneAtATime();

  /**
   * Returns the tunnel's token, or why it can't be read. Never throws, because a locked keychain must not stop the
   * server.
   */
  async function tokenOrWhy() {
    try {
      return { token: (await secrets.get(tunnelTokenName)) ?? undefined };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { tokenProblem: `Porchlight couldn’t read the tunnel’s token. ${why}` };
    }
  }

  async function startNow(): Promise<void> {
    const chosen = mode();
    followed = wish();
    if (isClosed || chosen === 'off' || listener.state.kind !== 'on') return;
    const { tunnel: wished, cloudflared } = settings.get();
    await tunnel.start({
      mode: chosen,
      port: listener.port,
      ...(chosen === 'named' && (await tokenOrWhy())),
      hostname: wished.hostname,
      ...cloudflared,
    });
  }

  async function followNow(): Promise<void> {
    if (wish() === followed) return;
    if (mode() === 'off' || listener.state.kind !== 'on') {
      followed = wish();
      await tunnel.stop(); // The new tunnel starts when the server is turned on.
    } else await startNow();
  }

  async function resumeNow(): Promise<void> {
    const { state } = tunnel.status();
    if (state === 'off' || state === 'failed') await startNow();
  }

  async function setToken(token: string): Promise<void> {
    await (token === '' ? secrets.delete(tunnelTokenName) : secrets.set(tunnelTokenName, token));
    // Restart the tunnel with the new token, even if the tunnel has failed. Don't start a tunnel that is off.
    if (mode() === 'named' && tunnel.status().state !== 'off') await inTurn(startNow);
  }

  return {
    mode,
    /**
     * Stores the tunnel's token; an empty string deletes the token. Restarts a named tunnel that is running or has
     * failed.
     */
    setToken,
    /**
     * Starts or restarts the tunnel if the owner wants one and the server is on. Doesn't throw if the tunnel fails to
     * start.
     */
    start: () => inTurn(startNow),
    /** Starts the tunnel if it is off or has failed. Called when the server is turned on. */
    resume: () => inTurn(resumeNow),
    /** Starts, restarts or stops the tunnel if its settings have changed. */
    follow: () => inTurn(followNow),
    /** Stops the tunnel. No later call starts it again. */
    close: () => {
      isClosed = true;
      return inTurn(() => tunnel.stop());
    },
    handlers: {
      'tunnel.status': () => tunnel.status(),
      'tunnel.start': async () => {
        if (mode() === 'off')
          throw new PorchlightError('tunnel_off', 'Choose a tunnel in the settings first.');
        if (listener.state.kind !== 'on')
          throw new PorchlightError('server_off', 'The server is off. Turn it on first, then the tunnel.');
        await inTurn(startNow);
        return tunnel.status();
      },
      'tunnel.stop': async () => {
        await inTurn(() => tunnel.stop());
        return tunnel.status();
      },
      'secrets.hasTunnelToken': async () => ({ stored: (await secrets.get(tunnelTokenName)) !== null }),
      'secrets.setTunnelToken': async ({ token }) => {
        await setToken(token);
        return { stored: token !== '' };
      },
    } satisfies Partial<Handlers>,
  };
}

/**
 * Returns a function to call with each new status of the tunnel. It records when the tunnel stops or resumes working.
 * It doesn't record `reconnecting` for a tunnel that has never connected, for example at login before the network is
 * up.
 */
export function createTunnelActivity(gate: FloodGate): (status: TunnelStatus) => void {
  let before: 'fine' | 'reconnecting' | 'failed' = 'fine';
  let wasUp = false;

  function record(kind: string, words: string, more: (count: number) => string): void {
    void gate.pass({ group: kind, kind, words, more });
  }

  return ({ state, words }) => {
    const was = before;
    if (state === 'connected') wasUp = true;
    if (state === 'off') wasUp = false;
    if (state === 'failed' || (state === 'reconnecting' && wasUp)) before = state;
    else if (state === 'connected' || state === 'off') before = 'fine';
    if (was === before) return;
    const times = (count: number) => (count === 1 ? 'once more' : `${count} more times`);
    if (before === 'failed')
      record(
        'tunnel.failed',
        `The tunnel stopped working: ${words}`,
        (count) => `The tunnel failed ${times(count)}.`,
      );
    else if (before === 'reconnecting')
      record(
        'tunnel.lost',
        `The tunnel lost its connection: ${words}`,
        (count) => `The tunnel lost its connection ${times(count)}.`,
      );
    else if (state === 'connected')
      record(
        'tunnel.connected',
        'The tunnel is working again.',
        (count) => `The tunnel reconnected ${times(count)}.`,
      );
  };
}
