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

/** The program under development, which is started again and again. */
export interface Program {
  /** Ends the running process, if there is one, and starts the next one. */
  restart(): void;
  /** Resolves when the newest process is ready; undefined if it ended, or if it does not announce itself. */
  ready(): Promise<Ready | undefined>;
  end(): Promise<void>;
}

/** In ms. Porchlight itself takes five seconds at most. */
const stopWithinMs = 8_000;

/** `announces`: the program prints a line when it is ready. `onQuit` is called when the program ends by itself with 0. */
export function createProgram(
  { command, args, env }: Launch,
  { announces, onQuit }: { announces: boolean; onQuit: () => void },
): Program {
  let running: ChildProcess | undefined;
  let ready: Promise<Ready | undefined> = Promise.resolve(undefined);
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

  function start(): Promise<Ready | undefined> {
    if (isEnding) return Promise.resolve(undefined);
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
      if (code === 0) onQuit();
      else
        say(
          `Porchlight ended (${signal ?? `exit code ${code}`}). It is started again after the next change.`,
        );
    });
    return readyLine(child);
  }

  return {
    restart: () => void (ready = stop().then(start)),
    ready: () => ready,
    end: () => {
      isEnding = true;
      return stop();
    },
  };
}

async function readyLine({ stdout }: ChildProcess): Promise<Ready | undefined> {
  if (!stdout) return undefined;
  for await (const line of createInterface({ input: stdout })) {
    const ready = JSON.parse(line) as Partial<Ready>;
    const { consoleUrl, ownerKey } = ready;
    if (consoleUrl !== undefined && ownerKey !== undefined) return { ...ready, consoleUrl, ownerKey };
  }
  return undefined;
}
