import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { PowerMonitor } from 'electron';

/** How often to check the network, in ms. */
const checkMs = 15_000;

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Calls `changed` when the computer joins a different network. Doesn't call it when the computer only loses its
 * network.
 */
export function watchNetwork(
  changed: () => void,
  readInterfaces: () => Interfaces = networkInterfaces,
): () => void {
  let known = networkSignature(readInterfaces());
  const timer = setInterval(() => {
    const now = networkSignature(readInterfaces());
    if (now === known) return;
    known = now;
    if (now !== '') changed();
  }, checkMs).unref();
  return () => clearInterval(timer);
}

/**
 * Returns a string that identifies the networks that the computer is connected to; empty if there are none. From an
 * IPv6 address, uses only the network part, because the host part changes regularly for privacy.
 */
export function networkSignature(interfaces: Interfaces): string {
  const places = Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
      .map(({ family, address }) => `${name} ${family === 'IPv6' ? networkPart(address) : address}`),
  );
  return [...new Set(places)].sort().join('\n');
}

// Returns the first 64 bits of an IPv6 address. Accepts addresses in which zeros are abbreviated as `::`.
function networkPart(address: string): string {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** The functions of Electron's power monitor that this file uses. */
type LockMonitor = Pick<PowerMonitor, 'on' | 'off' | 'getSystemIdleState'>;

/**
 * The interval (in ms) at which the screen lock is checked while a dialog waits. Linux needs these checks, because it
 * does not report unlocking.
 */
const lockCheckMs = 2_000;

/** Watches the screen lock by listening to the system's events (macOS, Windows) and by polling the system (Linux). */
export function watchScreenLock(monitor: LockMonitor) {
  let isReported = false;
  const lock = () => void (isReported = true);
  const unlock = () => void (isReported = false);
  monitor.on('lock-screen', lock);
  monitor.on('unlock-screen', unlock);
  // The idle threshold is a whole day, because only the locked state matters here.
  const isLocked = () => isReported || monitor.getSystemIdleState(86_400) === 'locked';
  return {
    /** Resolves when the screen is unlocked or `signal` aborts. Resolves immediately if the screen is not locked. */
    unlocked: async (signal: AbortSignal): Promise<void> => {
      while (isLocked() && !signal.aborted) await nextCheck(monitor, signal);
    },
    close: () => {
      monitor.off('lock-screen', lock);
      monitor.off('unlock-screen', unlock);
    },
  };
}

function nextCheck(monitor: LockMonitor, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      monitor.off('unlock-screen', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, lockCheckMs);
    monitor.on('unlock-screen', done);
    signal.addEventListener('abort', done);
  });
}
