import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Ready } from './headless-process.ts';

/** `npm run dev`, running. */
export interface Development {
  /** Resolves when the program has started for the `count`th time. Rejects if `npm run dev` ends before. */
  started(count: number): Promise<Ready>;
  /** Everything that was printed to stderr so far. */
  log(): string;
  /** Sends what Ctrl-C sends: a signal to all processes of the terminal. Resolves with the exit code. */
  interrupt(): Promise<number | null>;
  /** Returns whether any of its processes is still running. */
  isRunning(): boolean;
  /** Kills what is left. */
  kill(): void;
}

/** Runs `npm run dev` in a folder with the sources. It gets a process group of its own, as in a terminal. */
export function startDevelopment(folder: string, args: readonly string[]): Development {
  const env = Object.entries(process.env).filter(
    ([name]) => !/^(?:PORCHLIGHT_|npm_|VITE|NODE_ENV$)/.test(name),
  );
  const child = spawn('npm', ['run', '--silent', 'dev', '--', '--json', '--no-open', ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: Object.fromEntries(env),
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const starts: Ready[] = [];
  const waiting = new Set<() => void>();
  const notify = () => waiting.forEach((check) => check());
  createInterface({ input: child.stdout }).on('line', (line) => {
    starts.push(JSON.parse(line) as Ready);
    notify();
  });
  let hasEnded = false;
  const exited = once(child, 'exit').then(([code]) => {
    hasEnded = true;
    notify();
    return code as number | null;
  });
  const signalAll = (signal: NodeJS.Signals | 0) => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, signal);
    } catch {
      return false; // Nobody is left.
    }
  };
  return {
    started: (count) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const ready = starts[count - 1];
          if (!ready && !hasEnded) return;
          waiting.delete(check);
          if (ready) resolve(ready);
          else reject(new Error(`npm run dev ended:\n${log}`));
        };
        waiting.add(check);
        check();
      }),
    log: () => log,
    interrupt: () => {
      signalAll('SIGINT');
      return exited;
    },
    isRunning: () => signalAll(0),
    kill: () => void signalAll('SIGKILL'),
  };
}
