import { readFileSync } from 'node:fs';

/** In ms: the kernel counts in hundredths of a second. */
const tickMs = 10;

/**
 * Returns the ms in which the main thread of a process was ready to run and waited for a processor, since its start
 * (proc(5), schedstat, second field). Returns 0 on systems that do not tell, and for a process that has ended.
 */
export function waitedForProcessor(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0;
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
