import { powerMonitor } from 'electron';
import { watchNetwork } from './network.ts';

/** Calls `wake` when the computer wakes from sleep or joins another network. Returns a function that stops watching. */
export function watchAwake(wake: () => void): () => void {
  powerMonitor.on('resume', wake);
  const endNetwork = watchNetwork(wake);
  return () => {
    powerMonitor.off('resume', wake);
    endNetwork();
  };
}
