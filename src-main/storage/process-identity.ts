import { readFile } from 'node:fs/promises';
import { errorCode } from './storage-error.ts';

/** A process, told apart from a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Boot and start time; null where the system does not tell (only Linux does). */
  started: string | null;
}

/** Who this process is. */
export function thisProcess(): Promise<ProcessIdentity> {
  return processNow(process.pid);
}

/** Who has that number at this moment. */
export async function processNow(pid: number): Promise<ProcessIdentity> {
  return { pid, started: await startOf(pid) };
}

/**
 * True where that process still runs. A number that another process has by now is seen through on Linux only;
 * elsewhere it counts as the same process.
 */
export async function isRunning({ pid, started }: ProcessIdentity): Promise<boolean> {
  if (started !== null) {
    const now = await startOf(pid);
    if (now !== null) return now === started;
  }
  return answersSignals(pid);
}

/** Linux: proc(5), /proc/pid/stat, fields 3 (state) and 22 (start, in ticks since boot). */
async function startOf(pid: number): Promise<string | null> {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // Field 2 is the program's name in brackets, which may hold blanks and brackets itself.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = fields[18];
    if (state === undefined || start === undefined) return null;
    // A killed process stays listed until its parent asks; it runs no more.
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
    // EPERM: it is there, but belongs to somebody else.
    return errorCode(error) === 'EPERM';
  }
}
