import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

export const cliProgram = path.join(import.meta.dirname, '../../out/main/cli.js');

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `porchlight` command to its end, with pipes instead of a terminal. */
export async function runCli(
  args: readonly string[],
  { input = '', env = {}, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<CliRun> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PORCHLIGHT_'));
  const child = spawn(process.execPath, [cliProgram, ...args], {
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
