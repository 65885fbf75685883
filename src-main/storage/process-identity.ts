import { readFile } from 'node:fs/promises';

/** Identifies a process, and distinguishes it from later processes with the same ID. */
export interface ProcessIdentity {
  pid: number;
  /** The computer's boot id and the process's start time; null on all systems except Linux. */
  started: string | null;
}

/** Returns the identity of the process that currently has the ID `pid`. */
export async function processNow(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/**
 * Returns the boot id and the start time of a process, or `ended` for a process that no longer runs. Returns null if
 * they can't be read, as on all systems except Linux. In /proc/pid/stat (see proc(5)), field 3 is the state, and field
 * 22 the start time in ticks since boot.
 */
async function startOf(pid: number): Promise<string | null> {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // Field 2 is the program's name in parentheses. The name itself may contain spaces and parentheses.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[18];
    if (state === undefined || start === undefined) return null;
    // A killed process stays listed until its parent process collects its exit status, but it no longer runs.
    return 'ZX'.includes(state) ? 'ended' : `${boot.trim()}/${start}`;
  } catch {
    return null;
  }
}
