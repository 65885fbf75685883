import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { MethodName, Params, Result } from '../contract/contract.ts';
import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { OpenedWindow } from '../http/owner-socket.ts';
import { launchBrowser } from '../open-in-browser.ts';
import { shortLine } from './text.ts';

/** A connection to the running server. */
export interface Server {
  call<M extends MethodName>(method: M, params: Params<M>): Promise<Result<M>>;
  /** Shows Porchlight's window, or returns a link that opens it in a browser. */
  openWindow(): Promise<OpenedWindow>;
}

/** The arguments and options typed after the command. */
export interface Given {
  /** The arguments that are not options. */
  readonly words: readonly string[];
  flag(name: string): boolean;
  /** Returns all values that were given for an option, in the order in which they were typed. */
  values(name: string): readonly string[];
}

/** An option of a command. `value`: the placeholder for its value in the help; absent if it takes no value. */
export interface Option {
  readonly value?: string;
  /** The completions that a shell offers for the value. */
  readonly completes?: 'file' | readonly string[];
  readonly help: string;
}

/** The output of a command: `json` is the unchanged result of the API method, `text` is for people. */
interface CommandOutput {
  readonly json: unknown;
  readonly text: string;
}

export interface Command {
  /** The placeholder for the command's arguments, which the help shows after the command's name. */
  readonly takes?: string;
  readonly help: string;
  /** The minimum and maximum number of arguments after the command. */
  readonly words: readonly [number, number];
  /** The completions that a shell offers for the arguments after the command. */
  readonly completes?: 'file' | readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  run(server: Server, given: Given, terminal: Terminal): Promise<CommandOutput>;
}

/** The environment in which a command runs: the working folder, the terminal and the browser. */
export interface Terminal {
  /** The working folder, against which relative paths are resolved. */
  readonly cwd: string;
  /** True if a person is at the terminal and can answer questions. */
  readonly asks: boolean;
  /** True if stdout is a terminal. */
  readonly shows: boolean;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Shows a line of progress, which the next call replaces. Does nothing if stderr is not a terminal. */
  progress(line: string): void;
  /** Asks a question on stderr and resolves with the reply. */
  ask(question: string): Promise<string>;
  /** Asks for text without showing it while it is typed. */
  askHidden(question: string): Promise<string>;
  /** Reads all of stdin. */
  read(): Promise<string>;
  /** Opens a file in the browser. */
  browse(file: string): void;
}

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stderr } = process;
  return {
    cwd: process.cwd(),
    asks: stdin.isTTY && stderr.isTTY,
    shows: process.stdout.isTTY,
    note: (line) => void stderr.write(`${line}\n`),
    progress(line) {
      // Shorten the line, because a line that the terminal wraps can't be replaced.
      if (stderr.isTTY) stderr.write(`\r\u001b[K${shortLine(line, (stderr.columns || 80) - 1)}`);
    },
    async ask(question) {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await answerTo(lines, question);
      } finally {
        lines.close();
      }
    },
    async askHidden(question) {
      stderr.write(question);
      // readline echoes typed characters to its output stream, so this stream discards everything.
      const output = new Writable({ write: (_chunk, _encoding, done) => done() });
      const lines = createInterface({ input: stdin, output, terminal: true });
      try {
        return await answerTo(lines, '');
      } finally {
        lines.close();
        stderr.write('\n');
      }
    },
    read: () => text(stdin),
    browse: launchBrowser,
  };
}

/** Asks a question. Unlike readline's own promise, rejects when Ctrl-C or the end of input closes the interface. */
function answerTo(lines: Interface, question: string): Promise<string> {
  const closed = once(lines, 'close').then(() => {
    throw new CliError('cancelled', 'Cancelled. Nothing was changed.');
  });
  return Promise.race([lines.question(question), closed]);
}

/** The exit codes of the `porchlight` command, which `porchlight --help` documents. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  noServer: 3,
  otherVersion: 4,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error that ends the command. Its message is shown to the user. */
export class CliError extends PorchlightError {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;

  constructor(code: ErrorCode, message: string, exitCode: ExitCode = exitCodes.failure) {
    super(code, message);
    this.exitCode = exitCode;
  }
}

/** Returns the error for an invalid command line. */
export const usageError = (message: string) => new CliError('usage', message, exitCodes.usage);

/** The interval between progress checks, in milliseconds. */
const checkEveryMs = 500;

/**
 * Runs a long task, `work`, and shows its progress on one line of the terminal. Clears the line at the end.
 * `readProgress` returns the text of the line, or null if there is nothing to show.
 * @throws the errors of `work`.
 */
export async function withProgress<T>(
  terminal: Terminal,
  readProgress: () => Promise<string | null>,
  work: () => Promise<T>,
): Promise<T> {
  let isUnderWay = true;
  const show = (line: string | null) => {
    if (isUnderWay && line !== null) terminal.progress(line);
  };
  // Errors of `readProgress` are ignored: if the server fails, `work` also fails and reports the error.
  const timer = setInterval(() => void readProgress().then(show, () => undefined), checkEveryMs);
  try {
    return await work();
  } finally {
    isUnderWay = false;
    clearInterval(timer);
    terminal.progress('');
  }
}
