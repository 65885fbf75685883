import { readFile } from 'node:fs/promises';
import { errorCode } from './storage-error.ts';

/** Identifies a process, and distinguishes it from a later one with the same process id. */
export interface ProcessIdentity {
  pid: number;
  /** Boot id and start time; null on systems that don't report them (only Linux does). */
  started: string | null;
}

/** Returns the identity of this process. */
export function thisProcess(): Promise<ProcessIdentity> {
  return processNow(process.pid);
}

/** Returns the identity of the process that currently has an id. */
export async function processNow(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/**
 * Returns whether a process is still running. If another process has been given the same id since, only Linux can tell
 * the two apart; other systems count the other process as the same one.
 */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  if (started !== null) {
    const now = await startOf(pid);
    if (now !== null) return now === started;
  }
  return answersSignals(pid);
}

/** Returns the start time on Linux (proc(5), /proc/pid/stat): fields 3 (state) and 22 (start, in ticks since boot). */
async function startOf(pid: number): Promise<string | null> {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // Field 2 is the program's name in parentheses. The name may contain spaces and parentheses itself.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[18];
    if (state === undefined || start === undefined) return null;
    // A killed process stays listed until its parent collects it, but it no longer runs.
    return 'ZX'.includes(state) ? 'ended' : `${boot.trim()}/${start}`;
  } catch {
    return null;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}
