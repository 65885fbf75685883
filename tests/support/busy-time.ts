import { performance } from 'node:perf_hooks';

/** Runs a task and returns for how long, in ms, this thread was busy meanwhile. */
export async function busyTime(task: () => Promise<unknown>): Promise<number> {
  const before = performance.eventLoopUtilization();
  await task();
  return performance.eventLoopUtilization(before).active;
}
