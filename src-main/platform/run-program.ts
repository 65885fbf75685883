import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** The result of one run of a program. */
export interface Exit {
  /** The error if the program could not be started. */
  readonly error?: Error;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits for some milliseconds. Resolves early when the signal aborts, and never rejects. */
export type Pause = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** How long a program may take to exit after SIGTERM, in ms. */
const patience = 3_000;
/** How long to wait for the last lines of output after a program has ended, in ms. */
const lastLinesMs = 500;

/**
 * Runs a program until it ends or until `signal` aborts. On abort, sends SIGTERM, then SIGKILL after 3 s. Kills the
 * program when this process exits. Passes each line of its output to `onLine`.
 */
export function runProgram(options: {
  readonly binary: string;
  readonly args: readonly string[];
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly pause: Pause;
  readonly onLine: (line: string) => void;
}) {
  const { binary, args, env, signal, pause, onLine } = options;
  const child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  const over = new AbortController();
  const kill = () => void child.kill('SIGKILL');
  const end = () => {
    child.kill('SIGTERM');
    void pause(patience, over.signal).then(() => over.signal.aborted || kill());
  };
  process.once('exit', kill);
  signal.addEventListener('abort', end, { once: true });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);

  const ended = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve({ error, code: null, signal: null }));
    child.once('close', (code, by) => resolve({ code, signal: by }));
    // If `binary` is a script that started the real program, that process may keep the pipes open.
    child.once('exit', (code, by) => {
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        resolve({ code, signal: by });
      }, lastLinesMs).unref();
    });
  }).finally(() => {
    over.abort();
    process.off('exit', kill);
    signal.removeEventListener('abort', end);
  });
  const started = new Promise<void>((resolve) => {
    child.once('spawn', resolve);
    child.once('error', () => resolve());
  });
  return { pid: child.pid, started, ended };
}

const usualRoot = 'C:\\Windows';
/** Matches a folder of a local disk. A share of the network could have another program in the same place. */
const localFolder = /^[a-z]:\\[^/:*?"<>|]*$/i;

/**
 * Returns the full path of a program of Windows. Windows also looks for a bare name in the current folder, where somebody
 * else may have put another program. `place`: the program's path in the folder of Windows. `root`: that folder, as the
 * environment names it.
 */
export function windowsProgram(place: string, root = process.env['SystemRoot']): string {
  const isUsable = root !== undefined && localFolder.test(root) && !root.split('\\').includes('..');
  return path.win32.join(isUsable ? root : usualRoot, place);
}
