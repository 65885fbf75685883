import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second (proc_pid_stat(5)). */
const tickMs = 10;

/** Returns the processor time of all threads of a process so far, user and system, in ms. NaN without /proc. */
export function cpuMsOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** Returns the resident memory of a process in MB (10^6 bytes). NaN without /proc. */
export function megabytesOf(pid: number): number {
  return (numberIn(fileOf(pid, 'status'), 'VmRSS') * 1024) / 1e6;
}

/** Returns how often the threads of a process have woken up so far. NaN without /proc. */
export function wakeupsOf(pid: number): number {
  const tasks = namesIn(`/proc/${pid}/task`);
  const counts = tasks.map((task) => numberIn(fileOf(pid, `task/${task}/status`), 'voluntary_ctxt_switches'));
  return tasks.length === 0 ? Number.NaN : counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the KB that a process has sent to the disk so far. NaN without /proc. */
export const kilobytesWrittenBy = (pid: number): number => numberIn(fileOf(pid, 'io'), 'write_bytes') / 1000;

/** Returns the fields of proc_pid_stat(5) after the program's name, which is in parentheses and may contain spaces. */
function statOf(pid: number): string[] {
  const text = fileOf(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const numberIn = (text: string, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1]);

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}
