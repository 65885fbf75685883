import { expect, test } from 'vitest';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import { createTunnelActivity } from '../../../src-main/address/tunnel.ts';

/** What is written down while the tunnel goes through these states. */
function toldOf(states: readonly TunnelStatus['state'][]): string[] {
  const kinds: string[] = [];
  const tell = createTunnelActivity({
    pass: ({ kind }) => void kinds.push(kind),
    close: () => Promise.resolve(),
  });
  for (const state of states)
    tell({ mode: 'named', state, words: '', url: null, connections: 0, reason: null, progress: null });
  return kinds;
}

test('a tunnel that waits for the network at a login has lost nothing, and does not work “again”', () => {
  expect(toldOf(['starting', 'reconnecting', 'connected'])).toEqual([]);
});

test('what breaks is told once, and that it works again', () => {
  const states = ['starting', 'connected', 'reconnecting', 'reconnecting', 'connected'] as const;
  expect(toldOf(states)).toEqual(['tunnel.lost', 'tunnel.connected']);
});

test('what never worked is told where it is given up', () => {
  expect(toldOf(['starting', 'reconnecting', 'failed', 'off'])).toEqual(['tunnel.failed']);
});
