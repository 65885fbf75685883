import type { PowerMonitor } from 'electron';

/** The functions of Electron's power monitor that this file uses. */
type LockMonitor = Pick<PowerMonitor, 'on' | 'off' | 'getSystemIdleState'>;

/**
 * The interval (in ms) at which the screen lock is checked while a dialog waits. Linux needs these checks, because it
 * does not report unlocking.
 */
const lookMs = 2_000;

/** Watches the screen lock by listening to the system's events (macOS, Windows) and by polling the system (Linux). */
export function watchScreenLock(monitor: LockMonitor) {
  let told = false;
  const lock = () => void (told = true);
  const unlock = () => void (told = false);
  monitor.on('lock-screen', lock);
  monitor.on('unlock-screen', unlock);
  // The idle threshold is a whole day, because only the locked state matters here.
  const isLocked = () => told || monitor.getSystemIdleState(86_400) === 'locked';
  return {
    isLocked,
    /** Resolves when the screen is unlocked or `signal` aborts. Resolves immediately if the screen is not locked. */
    unlocked: async (signal: AbortSignal): Promise<void> => {
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
