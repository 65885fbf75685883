import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { shownWindows } from './desktop-screen.ts';
import { desktopArguments, desktopEnvironment, electronBinary } from './electron-app.ts';

/** The app as a process that nobody looks into: what it prints, and how it ends. */
export interface DesktopProcess {
  /** The ready line of --json, parsed. Rejects where the app ends without one. */
  readonly ready: Promise<{ event: string; baseUrl: string; port: number; managementToken: string }>;
  readonly exited: Promise<number | null>;
  readonly stderr: () => string;
  readonly signal: (name: NodeJS.Signals) => void;
}

/**
 * Starts the built app as a user does, without anything of the tests in it. A test that fails says what the app said
 * and what is on the screen; nothing outlives its test, so that no dialog of it waits for the next test's press.
 */
export function spawnDesktop(
  dataDir: string,
  args: readonly string[] = ['--secrets', 'file'],
  env: Record<string, string> = {},
): DesktopProcess {
  const child = spawn(electronBinary, desktopArguments(dataDir, args), {
    env: desktopEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const line = once(createInterface(child.stdout), 'line') as Promise<[string]>;
  const ready = Promise.race([
    line.then(([text]) => JSON.parse(text) as Awaited<DesktopProcess['ready']>),
    exited.then((code) => {
      throw new Error(`The app ended (${code}) before it was ready: ${stderr}`);
    }),
  ]);
  // Not every test waits for it.
  ready.catch(() => undefined);
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail')
      console.log(`The app said:\n${stderr}\nOn the screen: ${shownWindows()}`);
    child.kill('SIGKILL');
    await exited;
  });
  return { ready, exited, stderr: () => stderr, signal: (name) => void child.kill(name) };
}
