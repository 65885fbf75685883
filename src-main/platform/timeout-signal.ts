/**
 * Returns a signal that aborts after `ms`. Use it instead of `AbortSignal.timeout` as a part of `AbortSignal.any`:
 * Node 20, which Electron contains, garbage-collects such a timeout before it ends.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return controller.signal;
}
