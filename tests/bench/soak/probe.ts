import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics } from 'node:v8';

// Loaded into the server before it starts: asked by a message, it tells what only the process itself knows.

/** What a process knows of itself. */
export interface Inside {
  /** After a garbage collection, in bytes; without compiled code, of which there is more the longer a server works. */
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
  const code = getHeapCodeStatistics();
  const compiled = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const inside: Inside = { heap: process.memoryUsage().heapUsed - compiled, late, latest };
  process.send?.(inside);
  delay.reset(); // the collection was ours
});
// Nobody is kept running by a question that may still come.
process.channel?.unref();
