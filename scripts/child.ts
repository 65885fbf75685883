import { spawn } from 'node:child_process';
import type { StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants as access, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { endingSignals, whileRunning } from './ending.ts';

/** The folder of the project. */
export const root = dirname(import.meta.dirname);

/**
 * Runs a program in the project's folder, handing on signals. Resolves to its exit code; 128 + n for a signal. Never
 * resolves once the script ends (see endWithEverything).
 */
export function runChild(
  command: string,
  args: readonly string[],
  options: ChildOptions = {},
): Promise<number> {
  return whileRunning(() => started(command, args, options));
}

interface ChildOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  readonly limit?: AbortSignal;
}

function started(command: string, args: readonly string[], options: ChildOptions): Promise<number> {
  const { env = process.env, stdio = 'inherit', limit } = options;
  const child = spawn(command, args, { cwd: root, env, stdio, ...(limit && { signal: limit }) });
  const handOn = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of endingSignals) process.on(signal, handOn);
  return new Promise<number>((resolve) => {
    child.once('error', (error) => {
      if (!limit?.aborted) say(`${command} could not be started: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  }).finally(() => {
    for (const signal of endingSignals) process.off(signal, handOn);
  });
}

/** The path of a program on the PATH. */
export function findProgram(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram);
}

/** stdout belongs to what is run: remarks go to stderr. */
export function say(words: string): void {
  process.stderr.write(`${words}\n`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, access.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Installs the packages of a folder with a lock file of its own, where they are missing or old. `what`: in words. Only
 * those who need these large packages get them. Returns whether they are there, and says so if they aren't.
 */
export async function installInto(folder: string, what: string): Promise<boolean> {
  const prefix = join(root, folder);
  const stampFile = join(prefix, 'node_modules/.porchlight-stamp');
  const stamp = createHash('sha256')
    .update(readFileSync(join(prefix, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return true;
  say(`Installing ${what} ...`);
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const install = ['ci', '--prefix', prefix, ...quiet];
  const code = findProgram(npm) ? await runChild(npm, install, { stdio: ['ignore', 2, 2] }) : 1;
  if (code === 0) writeFileSync(stampFile, stamp);
  else say(`Could not install ${what}.`);
  return code === 0;
}
