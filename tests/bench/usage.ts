import { readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second (proc_pid_stat(5)). */
const tickMs = 10;

/** Returns the processor time of all threads of a process so far, user and system, in ms. NaN without /proc. */
export function cpuMsOf(pid: number): number {
  const text = fileOf(pid, 'stat');
  // The name of the program, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Returns the resident memory of a process in MB (10^6 bytes). NaN without /proc. */
export function megabytesOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(fileOf(pid, 'status'))?.[1];
  return kilobytes === undefined ? Number.NaN : (Number(kilobytes) * 1024) / 1e6;
}

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
