import { powerMonitor } from 'electron';
import { watchNetwork } from './network.ts';

/** Calls `wake` when the computer wakes from sleep or comes into another network. Returns the function that ends it. */
export function watchAwake(wake: () => void): () => void {
  powerMonitor.on('resume', wake);
  const endNetwork = watchNetwork(wake);
  return () => {
    powerMonitor.off('resume', wake);
    endNetwork();
  };
}
