import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface MemoryReleaseOptions {
  /** How long no thread must have been running, in ms. */
  readonly quietMs: number;
  /** The growth since the last release that makes another one worthwhile, in bytes. */
  readonly growth: number;
  /** Returns the memory that the process occupies, in bytes. */
  readonly resident: () => number;
  readonly collect: () => void;
}

/**
 * Gives memory back to the system once no thread has been running for a while. V8 keeps pages that garbage has left until it collects again, which an idle program does late or never: after a flood
 * of pages and pictures, that is a third of the process. Collecting blocks the program for some 50 ms.
 */
export function createMemoryRelease(options: MemoryReleaseOptions) {
  const { quietMs, growth, resident, collect } = options;
  let running = 0;
  let atRest: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    if (atRest === undefined || resident() < atRest + growth) return;
    collect();
    // What cannot be released counts as the memory at rest from now on, so it causes no further collections.
    atRest = Math.max(atRest, resident());
  }

  return {
    threadStarted(): void {
      running += 1;
      atRest ??= resident();
      clearTimeout(timer);
    },
    threadEnded(): void {
      running -= 1;
      if (running === 0) timer = setTimeout(release, quietMs).unref();
    },
  };
}

/** Collects garbage and empties V8's pool of free pages. Does nothing if this runtime does not allow it. */
export function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((how: object) => void) | undefined;
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** The release of this process's memory. */
export const memoryRelease = createMemoryRelease({
  quietMs: 3_000,
  growth: 64 * 1024 * 1024,
  resident: () => process.memoryUsage.rss(),
  collect: collectAll,
});
