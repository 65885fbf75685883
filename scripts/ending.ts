import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The signals that tell a program to end. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The variable that marks what a script has started. Every program inherits it, also one that leaves its parent, such as
 * a display or a keyring. Scripts that run inside others add their own mark.
 */
const markName = 'STARTED_FOR_PORCHLIGHT';
/** How long, in ms, those have that were told to end by a signal, and then the rest. Porchlight itself takes up to 5 s. */
const [patientMs, restMs] = [8_000, 5_000];
const checkMs = 50;

const running = new Set<Promise<number>>();
let mark: string | undefined;
const ending = new AbortController();
const isEnding = () => ending.signal.aborted;

/**
 * Runs a program with `run`, which resolves to its exit code. Once the script itself ends, starts none, and never resolves, so
 * that the script doesn't continue with the next one.
 */
export async function whileRunning(run: () => Promise<number>): Promise<number> {
  if (isEnding()) return never();
  const ended = run();
  running.add(ended);
  try {
    return await ended;
  } finally {
    running.delete(ended);
    if (isEnding()) await never();
  }
}

const never = () => new Promise<never>(() => undefined);

/**
 * Has this script end with everything that it has started, when a signal tells it to end, or when npm has ended without
 * it. Call it once, before anything is started. `asChild`: its exit code is then that of the program that it runs.
 */
export function endWithEverything({ asChild = false } = {}): void {
  mark = randomUUID();
  process.env[markName] = `${process.env[markName] ?? ''} ${mark}`.trim();
  for (const signal of endingSignals) process.on(signal, () => void endAll(signal, asChild));
  if (process.platform === 'win32' || process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 250).unref();
}

async function endAll(signal: (typeof endingSignals)[number], asChild: boolean): Promise<void> {
  if (isEnding()) return;
  ending.abort();
  // A program that is started with an environment of its own has no mark, but it has a parent now.
  const known = descendants();
  const ended = await Promise.race([Promise.all(running), pause(patientMs, [])]);
  await endStarted(known);
  process.exit((asChild ? ended[0] : undefined) ?? 128 + constants.signals[signal]);
}

/** Ends all programs that this script has started and that still run. `known`: some that have no mark. */
export async function endStarted(known: readonly Started[] = []): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const until = performance.now() + restMs;
    const told = new Set<string>();
    for (let left = stillRunning(known); left.length > 0; left = stillRunning(known)) {
      if (performance.now() > until) break;
      // Some may only just have been started by others.
      for (const { pid, since } of left.filter((one) => !told.has(nameOf(one)))) {
        told.add(nameOf({ pid, since }));
        send(pid, signal);
      }
      await pause(checkMs);
    }
  }
}

const nameOf = ({ pid, since }: Started): string => `${pid} ${since}`;

/** A process. `since`: when it was started, because its number is used again. */
interface Started {
  readonly pid: number;
  readonly since: string;
}

function stillRunning(known: readonly Started[]): Started[] {
  const own = mark;
  const marked = own === undefined ? [] : processes().filter(({ pid }) => environmentOf(pid).includes(own));
  const rest = known.filter(({ pid, since }) => factsOf(pid)?.since === since);
  return [...marked, ...rest];
}

/** Returns the children of this process, their children, and so on. */
function descendants(): Started[] {
  const all = processes();
  const found = all.filter(({ parent }) => parent === process.pid);
  for (const one of found) found.push(...all.filter(({ parent }) => parent === one.pid));
  return found;
}

/** Returns the processes of this computer, without this one; none where the system has no /proc. */
function processes(): (Started & { readonly parent: number })[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number);
  return pids.filter((pid) => pid > 1 && pid !== process.pid).flatMap((pid) => factsOf(pid) ?? []);
}

/** Returns what the system says of a process; undefined if it has ended. */
function factsOf(pid: number) {
  // The name, in parentheses, may contain anything. State, parent and start time follow (proc_pid_stat(5)).
  const [state, parent, ...rest] = (read(`/proc/${pid}/stat`).split(') ').at(-1) ?? '').split(' ');
  if (parent === undefined || state === 'Z') return undefined;
  return { pid, parent: Number(parent), since: rest[17] ?? '' };
}

const environmentOf = (pid: number): string => read(`/proc/${pid}/environ`);

/** Returns what is in a file; nothing where it is gone, or belongs to somebody else. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
