import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapCodeStatistics } from 'node:v8';
import { blockedBetween, timesOfMainThread } from './processor-wait.ts';

// Loaded into the server before it starts. It answers messages with what only the process itself knows.

/** What a process knows of itself. */
export interface Inside {
  /** In bytes, without compiled code, of which there is more the longer a server works. */
  readonly heap: number;
  /** Milliseconds by which the event loop was late since the last message: the 99th percentile, and at most. */
  readonly late: number;
  readonly latest: number;
}

/** The same with what /proc tells of the main thread. */
export interface ProbedInside extends Inside {
  /**
   * The longest time since the last message, in ms, that the main thread worked without a pause or was blocked. Other
   * than `latest`, this leaves out the time in which other programs had the processor, or the disk for which it slept.
   */
  readonly blocked: number;
}

/** `look` collects garbage before it measures the heap; `glance` does not disturb the server. */
export type ProbeQuestion = 'look' | 'glance';

const everyMs = 20;

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let blocked = 0;
let before = timesOfMainThread();

/** Takes down how long the main thread was not free since the last time. */
function measure(): void {
  const now = timesOfMainThread();
  blocked = Math.max(blocked, blockedBetween(before, now) - everyMs);
  before = now;
}

setInterval(measure, everyMs).unref();

process.on('message', (question: ProbeQuestion) => {
  measure();
  const seen = { late: delay.percentile(99) / 1e6, latest: delay.max / 1e6, blocked };
  if (question === 'look') globalThis.gc?.();
  const code = getHeapCodeStatistics();
  const compiled = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const inside: ProbedInside = { heap: process.memoryUsage().heapUsed - compiled, ...seen };
  process.send?.(inside);
  // The collection was ours.
  delay.reset();
  blocked = 0;
  before = timesOfMainThread();
});
// A message that may still come does not keep the process running.
process.channel?.unref();
