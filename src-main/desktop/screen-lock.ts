import type { PowerMonitor } from 'electron';

/** The part of Electron's power monitor that is used here. */
type LockMonitor = Pick<PowerMonitor, 'on' | 'off' | 'getSystemIdleState'>;

/** Linux does not report unlocking, so the lock is checked at this interval while a dialog waits for it. In ms. */
const lookMs = 2_000;

/** Watches the screen lock with its events (macOS, Windows) and by asking the system (Linux). */
export function watchScreenLock(monitor: LockMonitor) {
  let told = false;
  const lock = () => void (told = true);
  const unlock = () => void (told = false);
  monitor.on('lock-screen', lock);
  monitor.on('unlock-screen', unlock);
  // The idle threshold is a whole day, so that only the locked state matters.
  const isLocked = () => told || monitor.getSystemIdleState(86_400) === 'locked';
  return {
    isLocked,
    /** Resolves when the screen is unlocked or `signal` aborts; at once if the screen is not locked. */
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
