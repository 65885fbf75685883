import { monitorEventLoopDelay } from 'node:perf_hooks';

// Loaded into the server before it starts: asked by a message, it tells what only the process itself knows.

/** What a process knows of itself. */
export interface Inside {
  /** After a garbage collection, in bytes. */
  readonly heap: number;
  /** Milliseconds by which the event loop was late since the last look: the 99th percentile, and at most. */
  readonly late: number;
  readonly latest: number;
}

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('message', () => {
  const [late, latest] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  globalThis.gc?.();
  const inside: Inside = { heap: process.memoryUsage().heapUsed, late, latest };
  process.send?.(inside);
  delay.reset(); // the collection was ours
});
// Nobody is kept running by a question that may still come.
process.channel?.unref();
