import type { TunnelStatus } from '../contract/tunnel.ts';
import type { FloodGate } from '../platform/flood-gate.ts';

/**
 * Returns a function to call with each new status of the tunnel. It records when the tunnel stops or resumes working.
 * It doesn't record `reconnecting` for a tunnel that has never connected, for example at login before the network is
 * up.
 */
export function createTunnelActivity(gate: FloodGate): (status: TunnelStatus) => void {
  let before: 'fine' | 'reconnecting' | 'failed' = 'fine';
  let wasUp = false;

  function tell(kind: string, words: string, more: (count: number) => string): void {
    gate.pass({ group: kind, kind, words, more });
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
      tell(
        'tunnel.failed',
        `The tunnel stopped working: ${words}`,
        (count) => `The tunnel failed ${times(count)}.`,
      );
    else if (before === 'reconnecting')
      tell(
        'tunnel.lost',
        `The tunnel lost its connection: ${words}`,
        (count) => `The tunnel lost its connection ${times(count)}.`,
      );
    else if (state === 'connected')
      tell(
        'tunnel.connected',
        'The tunnel is working again.',
        (count) => `The tunnel reconnected ${times(count)}.`,
      );
  };
}
