import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface MemoryReleaseOptions {
  /** How long all worker threads must have been stopped before memory is released, in ms. */
  readonly quietMs: number;
  /** The minimum memory growth since the last release, in bytes, that triggers another release. */
  readonly growth: number;
  /** Returns the memory that the process occupies (its resident set size), in bytes. */
  readonly resident: () => number;
  readonly collect: () => void;
}

/**
 * Returns memory to the operating system after no worker thread has run for a while. V8 frees memory only at its next
 * garbage collection, which comes late or never in an idle program. After many web pages and pictures, garbage takes
 * up a third of the process's memory. A collection blocks the program for about 50 ms.
 */
export function createMemoryRelease(options: MemoryReleaseOptions) {
  const { quietMs, growth, resident, collect } = options;
  let running = 0;
  let atRest: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function release(): void {
    if (atRest === undefined || resident() < atRest + growth) return;
    collect();
    // Memory that could not be released must not trigger further collections.
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

/**
 * Collects garbage and empties V8's pool of free pages. Does nothing if this runtime doesn't allow garbage collection
 * on request.
 */
export function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as ((how: object) => void) | undefined;
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** Releases the unused memory of this process. */
export const memoryRelease = createMemoryRelease({
  quietMs: 3_000,
  growth: 64 * 1024 * 1024,
  resident: () => process.memoryUsage.rss(),
  collect: collectAll,
});
