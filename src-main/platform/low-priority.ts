import os from 'node:os';

/**
 * Lowers this thread's priority, so that the server's own thread goes first on a busy processor. Called in threads that
 * process content from strangers. Has an effect only on Linux, where the call applies to the thread (setpriority(2),
 * NOTES); elsewhere it would apply to the whole process.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
}
