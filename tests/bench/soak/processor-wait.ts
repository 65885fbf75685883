import { readFileSync } from 'node:fs';

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
