import { expect, test } from 'vitest';
import type { TunnelStatus } from '../../../../src-main/contract/reach.ts';
import { createTunnelActivity } from '../../../../src-main/address/tunnel/control.ts';

/** What is written down while the tunnel goes through these states. */
function recordedOf(states: readonly TunnelStatus['state'][]): string[] {
  const kinds: string[] = [];
  const recordTunnel = createTunnelActivity({
    pass: ({ kind }) => Promise.resolve(void kinds.push(kind)),
    close: () => Promise.resolve(),
  });
  for (const state of states)
    recordTunnel({
      mode: 'named',
      state,
      words: '',
      url: null,
      connections: 0,
      reason: null,
      progress: null,
    });
  return kinds;
}

test('a tunnel that waits for the network at a login has lost nothing, and does not work “again”', () => {
  expect(recordedOf(['starting', 'reconnecting', 'connected'])).toEqual([]);
});

test('a failure is reported once, and so is its end', () => {
  const states = ['starting', 'connected', 'reconnecting', 'reconnecting', 'connected'] as const;
  expect(recordedOf(states)).toEqual(['tunnel.lost', 'tunnel.connected']);
});

test('a tunnel that never worked is reported when Porchlight stops trying', () => {
  expect(recordedOf(['starting', 'reconnecting', 'failed', 'off'])).toEqual(['tunnel.failed']);
});
