import os from 'node:os';

/**
 * Lets the server's own thread go first where the processor is busy. Called in a thread that works on content of
 * strangers. Only on Linux: there, the call counts for the thread (setpriority(2), NOTES); elsewhere, for all threads.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
}
