import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isKeychainBusy } from './secrets.ts';

/** How long a last file access or name lookup may take, in ms. A busy disk takes a second for what it has to write. */
const patienceMs = 2000;
const checkMs = 10;
/** Node's names for work that blocks a thread: file access and name lookups of the operating system. */
const threadWork = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/**
 * Ends the process by calling `exit` with a code. Call this function last, when all data is on disk. If a keychain
 * call, a file access or a name lookup doesn't finish, the process kills itself with SIGKILL instead, and the exit code
 * is lost. Otherwise, Node.js would wait for the thread of that call. It may hang forever, for example on a network
 * drive that has gone away.
 */
export async function leave(code: number, exit: (code: number) => void): Promise<void> {
  const until = performance.now() + patienceMs;
  while (blocking().length > 0 && performance.now() < until) await pause(checkMs);
  const hanging = blocking();
  if (hanging.length === 0) {
    exit(code);
    return;
  }
  process.stderr.write(`Porchlight ends without waiting for what does not finish: ${hanging.join(', ')}.\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** Returns what blocks a thread at the moment. */
function blocking(): string[] {
  const names = process.getActiveResourcesInfo().filter((name) => threadWork.test(name));
  return isKeychainBusy() ? ['the keychain', ...names] : names;
}

interface MemoryReleaseOptions {
  /** How often to check whether memory can be released, in ms. */
  readonly everyMs: number;
  /** The maximum processor time, in ms, that a program can use between two checks and still count as idle. */
  readonly quietMs: number;
  /** The minimum memory growth since the last release, in bytes, that triggers another release. */
  readonly growth: number;
  /** Returns the memory that the process occupies (its resident set size), in bytes. */
  readonly resident: () => number;
  /** Returns the processor time that the process has used so far, in ms. */
  readonly cpuMs: () => number;
  readonly collect: () => void;
  /** The memory that the idle program occupies, in bytes; -Infinity if unknown. */
  readonly atRest: number;
}

const usual: MemoryReleaseOptions = {
  everyMs: 20_000,
  quietMs: 500,
  growth: 10_000_000,
  resident: () => process.memoryUsage.rss(),
  cpuMs() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  collect: collectAll,
  atRest: -Infinity,
};

/**
 * Releases memory to the operating system whenever the program becomes idle, after its start and after work. V8 frees
 * memory only at its next garbage collection, which comes late or never in an idle program. After the program has
 * processed long lists, web pages and pictures, garbage takes up more than half of its memory. A collection blocks the
 * program for about 50 ms.
 */
export function releaseMemoryAtRest(given: Partial<MemoryReleaseOptions> = {}): void {
  const options = { ...usual, ...given };
  const { everyMs, quietMs, growth, resident, cpuMs, collect } = options;
  /**
   * The memory that the process occupied after the last release. Growth is measured from this value, so that memory
   * that cannot be released causes no further collections.
   */
  let { atRest } = options;
  let used = cpuMs();

  setInterval(() => {
    const before = used;
    used = cpuMs();
    if (used - before > quietMs || resident() < atRest + growth) return;
    collect();
    atRest = resident();
    used = cpuMs();
  }, everyMs).unref();
}

/**
 * Collects all garbage twice, so that V8 also releases the pages that the first collection has emptied. V8's
 * last-resort collection would free about as much memory, but requests would then be a third more expensive until
 * Porchlight's next start. Does nothing if this runtime doesn't allow garbage collection on request.
 */
export function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('globalThis.gc') as (() => void) | undefined;
  for (let times = 0; times < 2; times += 1) gc?.();
}
