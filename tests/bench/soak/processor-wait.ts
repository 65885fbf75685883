import { readFileSync } from 'node:fs';

/** In ms: the kernel counts in hundredths of a second. */
const tickMs = 10;

/** The times of a main thread so far, in ms. */
export interface ThreadTimes {
  readonly at: number;
  /** It ran. */
  readonly ran: number;
  /** It was ready to run, and others had the processor. */
  readonly waited: number;
  /** Programs of this machine waited for the disk. */
  readonly disk: number;
}

/** Returns the times of this process. */
export function timesOfMainThread(): ThreadTimes {
  const { ran, waited } = schedulingOf(process.pid);
  return { at: performance.now(), ran, waited: waited + takenByOtherMachines(), disk: waitedForDisk() };
}

/**
 * Returns the ms in which the main thread was not free between two looks, with its rest between them. Leaves out the
 * time in which it waited for a processor, and as much of its sleep as the disk was waited for.
 */
export function blockedBetween(before: ThreadTimes, now: ThreadTimes): number {
  const ms = now.at - before.at - (now.waited - before.waited);
  const slept = Math.max(0, ms - (now.ran - before.ran));
  // The kernel counts what other virtual machines took for all processors together.
  return Math.max(0, ms - Math.min(slept, now.disk - before.disk));
}

/**
 * Returns the ms in which the main thread of a process was ready to run and waited for a processor, since its start.
 * Returns 0 on systems that do not tell, and for a process that has ended.
 */
export const waitedForProcessor = (pid: number): number => schedulingOf(pid).waited;

/** proc(5), schedstat, the first two fields. */
function schedulingOf(pid: number): { readonly ran: number; readonly waited: number } {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 };
  } catch {
    return { ran: 0, waited: 0 };
  }
}

/**
 * Returns the ms in which this machine's processors were given to other virtual machines, since its start (proc(5),
 * stat, field steal). A thread seems to run in that time. Returns 0 on systems that do not tell.
 */
export function takenByOtherMachines(): number {
  try {
    const [total = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return (Number(total.trim().split(/\s+/)[8]) || 0) * tickMs;
  } catch {
    return 0;
  }
}

/**
 * Returns the ms in which programs of this machine waited for the disk or for memory, since its start (the kernel's
 * pressure stall information). Returns 0 on systems that do not tell.
 */
export const waitedForDisk = (): number => pressureOf('io') + pressureOf('memory');

function pressureOf(name: 'io' | 'memory'): number {
  try {
    const text = readFileSync(`/proc/pressure/${name}`, 'utf8');
    return Number(/^some .*total=(\d+)/m.exec(text)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}
