import os from 'node:os';

/**
 * Lowers the priority of the current thread, so that the server's main thread is preferred on a busy processor. Called
 * in threads that process content from strangers. Works only on Linux. On other systems, this function does nothing,
 * because the call would lower the priority of the whole process (setpriority(2), NOTES).
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL);
}
