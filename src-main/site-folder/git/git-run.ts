import { type ChildProcess, spawn } from 'node:child_process';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../storage/storage-error.ts';
import { missingFolder } from './git-place.ts';
import { GitTrouble } from './git-trouble.ts';
import type { Log } from '../../platform/log.ts';
import { windowsProgram } from '../../platform/run-program.ts';

/** The time limits for git, in ms. */
interface GitDeadlines {
  /** The time limit for the whole call. */
  readonly whole: number;
  /** How long a call that uses the network may produce no output. */
  readonly quiet: number;
  /** How long to wait while another git program holds a lock. */
  readonly lock: number;
}

export interface GitProgram {
  readonly folder: string;
  readonly log: Log;
  /** The path of the git program; `git` from the PATH by default. */
  readonly program?: string | undefined;
  readonly deadlines?: Partial<GitDeadlines> | undefined;
  /** Aborts all running calls. */
  readonly signal?: AbortSignal | undefined;
}

interface RunOptions {
  /** The input to write to stdin. If absent, stdin is closed. */
  readonly input?: string | Buffer | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder whose repository git uses; the owner's folder by default. */
  readonly folder?: string;
  /** The folder to run git in; `folder` by default. */
  readonly cwd?: string;
  /** Whether the call uses the network. Such a call is aborted if it produces no output for too long. */
  readonly network?: boolean;
  /**
   * Matches the stderr of an expected failure. If git fails with such an error, the call returns the exit code instead
   * of throwing.
   */
  readonly accept?: RegExp;
}

interface Ran {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs git without a shell, and returns its output.
 * @throws GitTrouble if git fails unexpectedly, takes too long or isn't installed
 */
export type RunGit = (args: readonly string[], options?: RunOptions) => Promise<Ran>;

/** The time limits that apply by default. */
export const usual: GitDeadlines = { whole: 300_000, quiet: 60_000, lock: 8000 };
/** How long git has, in ms, to remove its lock files after SIGTERM. Less than Porchlight itself has for its end. */
const farewell = 1500;
/** How long to wait for output after git has ended, in ms. A hook's background process may keep the pipes open. */
const lastBytes = 1000;
const keptErrors = 64 * 1024;
/**
 * Checks that git is installed, and that its version is 2.38 or newer. Older ones are untested.
 * @throws GitTrouble `no_git`, `old_git`
 */
export async function requireGit({ program = 'git', deadlines, signal }: GitProgram): Promise<void> {
  // The top folder of the disk is in no repository.
  const where = { cwd: path.parse(process.cwd()).root, deadlines: { ...usual, ...deadlines }, signal };
  const { stdout } = await execute(program, ['--version'], where);
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout.toString('utf8')) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 38)) return;
  throw new GitTrouble(
    'old_git',
    'This computer’s git is too old. Install git 2.38 or newer, or let Porchlight write files only.',
  );
}

type Execution = Omit<RunOptions, 'folder' | 'accept'> & {
  cwd: string;
  deadlines: GitDeadlines;
  signal: AbortSignal | undefined;
};

/**
 * Runs a program with the environment for git, and returns its output, also if it fails.
 * @throws GitTrouble if it takes too long or isn't installed
 */
export async function execute(program: string, args: readonly string[], options: Execution): Promise<Ran> {
  const { cwd, input, deadlines, network = false, signal } = options;
  // Without this check, a missing folder would look like a missing program.
  await stat(cwd).catch((cause: unknown) => {
    throw missingFolder(cwd, cause);
  });
  const file = await programFile(program, process.env);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...gitEnvironment(process.env), ...options.env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // Run git in its own session, so that ssh has no terminal for prompts, and so that git can be ended together with
      // its child processes.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const out: Buffer[] = [];
    let stderr = '';
    let failure: GitTrouble | undefined;
    const end = (trouble: GitTrouble) => {
      if (failure !== undefined) return;
      failure = trouble;
      endGroup(child, 'SIGTERM');
      timers.push(setTimeout(() => endGroup(child, 'SIGKILL'), farewell));
    };
    const tooLong = () => end(new GitTrouble('hangs', hangsWords(network)));
    const timers = [setTimeout(tooLong, deadlines.whole)];
    const quiet = network ? setTimeout(tooLong, deadlines.quiet) : undefined;
    const stop = () => end(stopped());
    signal?.addEventListener('abort', stop, { once: true });

    child.stdout?.on('data', (bytes: Buffer) => {
      quiet?.refresh();
      out.push(bytes);
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      quiet?.refresh();
      stderr = (stderr + bytes.toString()).slice(-keptErrors);
    });
    // Git may end without reading all of its input. The exit code then gives the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);

    const settle = (code: number) => {
      for (const timer of [...timers, quiet]) clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
      if (failure === undefined) {
        resolve({ code, stdout: Buffer.concat(out), stderr });
        return;
      }
      // Programs that git started may still be running.
      endGroup(child, 'SIGKILL');
      reject(failure);
    };
    child.on('error', (cause) => {
      failure ??= isMissing(cause)
        ? noGit(cause)
        : new GitTrouble('broken', 'Git couldn’t be started.', { cause });
      settle(-1);
    });
    child.on('exit', (code) => timers.push(setTimeout(() => settle(code ?? -2), lastBytes)));
    child.on('close', (code) => settle(code ?? -2));
  });
}

/** Ends git together with the programs that git started, such as ssh and hooks. */
function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform !== 'win32') process.kill(-child.pid, signal);
    else {
      const taskkill = windowsProgram('System32\\taskkill.exe');
      spawn(taskkill, ['/pid', String(child.pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    }
  } catch {
    // All processes in git's process group have already ended.
  }
}

const isMissing = (error: unknown) => ['ENOENT', 'EACCES', 'ENOTDIR'].includes(errorCode(error) ?? '');
const noGit = (cause: unknown) =>
  new GitTrouble(
    'no_git',
    'Git isn’t installed on this computer. Install it, or let Porchlight write files only.',
    {
      cause,
    },
  );
/** Returns the error for a call that Porchlight's end interrupts. */
export const stopped = () =>
  new GitTrouble('stopped', 'Porchlight is closing. It continues when it starts again.');
const hangsWords = (network: boolean) =>
  network
    ? 'The git server stopped answering. Check your network. Porchlight tries again.'
    : 'Git took too long and was stopped. Check the disk. Porchlight tries again.';

/**
 * Returns the file of a program. On Windows, this is its full path, because Windows would first look for the program in
 * the folder in which it is to run, which is the owner's folder. On other systems, returns the name as it is.
 */
export async function programFile(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  platform = process.platform,
): Promise<string> {
  if (platform !== 'win32' || path.isAbsolute(name)) return name;
  const folders = (environment['PATH'] ?? environment['Path'] ?? '')
    .split(';')
    .filter((one) => path.isAbsolute(one));
  for (const folder of folders) {
    const file = path.join(folder, `${name}.exe`);
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  // A path at which there is nothing, so that the program counts as missing.
  return path.resolve(folders[0] ?? path.sep, `${name}.exe`);
}

/**
 * Returns the environment variables for git. They include the owner's variables, for credential helpers and the ssh
 * agent. Variables that select another repository are removed, and all prompts are disabled.
 */
export function gitEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || isLeftOut(name) ? [] : [[name, value]],
  );
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    // Commands that only read must not take locks that the owner's git may need.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // With an empty value, git runs no program to ask for a password, not even a program from git's configuration.
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    SSH_ASKPASS_REQUIRE: 'never',
    GCM_INTERACTIVE: 'never',
    GIT_EDITOR: 'false',
  };
}

/**
 * Returns whether to remove a variable from git's environment. The program that started Porchlight may have set such
 * variables, which would change how git works. GIT_CONFIG_NOSYSTEM stays: who sets it doesn't want the configuration of
 * the computer, which isn't the owner's own.
 */
const isLeftOut = (name: string) =>
  /^(?:GIT_(?!CONFIG_NOSYSTEM$)|LC_|LANG$|LANGUAGE$|PAGER$|EDITOR$|VISUAL$)/i.test(name);

/**
 * Returns the variables that keep ssh from prompting. Doesn't override the owner's own ssh command (core.sshCommand),
 * because that command can't prompt without a terminal or an askpass program either.
 */
export function sshVariables(ownCommand: string | undefined): Record<string, string> {
  if (ownCommand !== undefined) return {};
  return { GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=30' };
}

/** The git settings that apply in a folder, keyed by name. Names are in lower case, except for subsections. */
export type GitConfig = ReadonlyMap<string, string>;

/** Reads the git settings. If a name has several values, the last value is used. */
export async function readConfig(git: RunGit): Promise<GitConfig> {
  const { stdout } = await git(['config', '--list', '-z']);
  const lines = stdout.toString('utf8').split('\0').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const end = line.indexOf('\n');
      return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}
