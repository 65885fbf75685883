import perfHooks from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';

/** Measures the processor time of a thread, from the start of the measurement. */
export interface ProcessorTime {
  /** Resolves with the time in ms. It counts neither other threads nor other programs. */
  used(): Promise<number>;
  /** Ends the measurement. Must be called once. */
  stop(): void;
}

/** Starts to measure how much processor time a thread uses. */
export function measureThread(thread: Worker): ProcessorTime {
  return 'cpuUsage' in thread ? exactTime(thread) : estimatedTime();
}

function exactTime(thread: Worker): ProcessorTime {
  const begun = performance.now();
  const before = thread.cpuUsage();
  before.catch(() => undefined); // Prevents an unhandled rejection. A thread that has ended is noticed elsewhere.
  return {
    used: () =>
      before.then((then) => thread.cpuUsage(then)).then(milliseconds, () => performance.now() - begun),
    stop: () => undefined,
  };
}

/** How long measured threads have worked in total, in ms of real time: two threads count twice. */
const work = { ms: 0, threads: 0, at: 0 };

function workUntilNow(): number {
  const now = performance.now();
  work.ms += work.threads * (now - work.at);
  work.at = now;
  return work.ms;
}

/**
 * Node before 24.6 doesn't tell the time of a thread. There, the real time is divided by the slowness of this process: how
 * long all measured threads worked, in relation to the processor time that the process used outside the calling thread.
 */
function estimatedTime(): ProcessorTime {
  const begun = performance.now();
  const workBefore = workUntilNow();
  const cpu = process.cpuUsage();
  const loop = perfHooks.performance.eventLoopUtilization();
  work.threads += 1;
  return {
    used() {
      const elapsed = performance.now() - begun;
      // A main thread that waits for a processor counts as active too, so the result is rather too small.
      const here = perfHooks.performance.eventLoopUtilization(loop).active;
      const share = (milliseconds(process.cpuUsage(cpu)) - here) / (workUntilNow() - workBefore);
      return Promise.resolve(elapsed * Math.min(1, Math.max(0, share)));
    },
    stop() {
      workUntilNow();
      work.threads -= 1;
    },
  };
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
