/**
 * Returns a signal that aborts after `ms`. Use it instead of `AbortSignal.timeout` in a call of `AbortSignal.any`. Node
 * 20, which Electron contains, may garbage-collect such a signal before the time is up.
 */
export function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms).unref();
  return controller.signal;
}
