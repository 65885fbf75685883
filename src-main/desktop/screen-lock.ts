import type { PowerMonitor } from 'electron';

/** What is used of Electron's power monitor. */
type LockMonitor = Pick<PowerMonitor, 'on' | 'off' | 'getSystemIdleState'>;

/** Whether the screen is locked, and when it is not any more. */
export interface ScreenLock {
  readonly isLocked: () => boolean;
  /** Resolves when the screen is unlocked, or `signal` aborts. At once where it is not locked. */
  readonly unlocked: (signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** Linux has no event for it: it is looked this often while something waits. In ms. */
const lookMs = 2_000;

/** Watches the screen's lock by its events (macOS, Windows) and by what the system says when it is asked (Linux). */
export function watchScreenLock(monitor: LockMonitor): ScreenLock {
  let told = false;
  const lock = () => void (told = true);
  const unlock = () => void (told = false);
  monitor.on('lock-screen', lock);
  monitor.on('unlock-screen', unlock);
  // A number of seconds that nobody is away: only whether it is locked is asked for.
  const isLocked = () => told || monitor.getSystemIdleState(86_400) === 'locked';
  return {
    isLocked,
    async unlocked(signal) {
      while (isLocked() && !signal.aborted) await nextLook(monitor, signal);
    },
    close: () => {
      monitor.off('lock-screen', lock);
      monitor.off('unlock-screen', unlock);
    },
  };
}

function nextLook(monitor: LockMonitor, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      monitor.off('unlock-screen', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, lookMs);
    monitor.on('unlock-screen', done);
    signal.addEventListener('abort', done);
  });
}
