import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { electronBinary } from './electron-app.ts';

const root = path.join(import.meta.dirname, '../..');
export const cliProgram = path.join(root, 'out/main/cli.js');

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface CliOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The script to run; the built one where it is not given. */
  readonly program?: string;
}

/** Runs the built `porchlight` command to its end, with pipes instead of a terminal. */
export const runCli = (args: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
  runProgram(process.execPath, [options.program ?? cliProgram, ...args], options);

/**
 * Runs a command with the desktop program itself, without a session bus. Where the app isn't packaged, the tests'
 * Electron does not wait for it to load, so a display is there, and a profile of its own.
 */
export function runAppCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  // Chromium refuses to sandbox what root runs.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const env = { XDG_CONFIG_HOME: path.join(tmpdir(), 'porchlight-app-command'), ...options.env };
  return runProgram(electronBinary, [...sandbox, root, ...args], { ...options, env }, [
    'DBUS_SESSION_BUS_ADDRESS',
  ]);
}

async function runProgram(
  program: string,
  args: readonly string[],
  { input = '', env = {}, cwd }: CliOptions,
  without: readonly string[] = [],
): Promise<CliRun> {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PORCHLIGHT_') && !without.includes(name),
  );
  const child = spawn(program, args, {
    env: { ...Object.fromEntries(kept), ...env },
    ...(cwd !== undefined && { cwd }),
  });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'exit') : undefined,
  ]);
  return { code: child.exitCode, stdout, stderr };
}
