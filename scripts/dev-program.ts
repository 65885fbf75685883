import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root, say } from './child.ts';
import type { Launch } from './launch.ts';

/** The line that the headless program prints with --json, as far as it is used here. */
export interface Ready {
  readonly consoleUrl: string;
  readonly ownerKey: string;
}

/** In ms. Porchlight itself takes five seconds at most. */
const stopWithinMs = 8_000;

/**
 * Returns the program under development, which is started again and again. `ready` resolves when the newest process is
 * ready; undefined if it ended, or if it doesn't announce itself with a line. `onQuit` is called when it ends with 0.
 */
export function createProgram({ command, args, env }: Launch, announces: boolean, onQuit: () => void) {
  let running: ChildProcess | undefined;
  let ready = Promise.resolve<Ready | undefined>(undefined);
  let isEnding = false;

  async function stop(): Promise<void> {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill();
    const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await exited;
    clearTimeout(timer);
  }

  async function restart(): Promise<Ready | undefined> {
    await stop();
    if (isEnding) return undefined;
    const child = spawn(command, args, {
      cwd: root,
      env,
      stdio: ['ignore', announces ? 'pipe' : 'inherit', 'inherit'],
    });
    running = child;
    child.once('error', (error) => say(`${command} could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      if (running !== child) return;
      running = undefined;
      const reason = signal ?? `exit code ${code}`;
      if (code === 0) onQuit();
      else say(`Porchlight ended (${reason}). It is started again after the next change.`);
    });
    if (!child.stdout) return undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      const { consoleUrl, ownerKey, ...rest } = JSON.parse(line) as Partial<Ready>;
      if (consoleUrl !== undefined && ownerKey !== undefined) return { ...rest, consoleUrl, ownerKey };
    }
    return undefined;
  }

  return {
    ready: () => ready,
    restart: () => (ready = restart()),
    end: () => {
      isEnding = true;
      return stop();
    },
  };
}
