import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { launchBrowser } from '../open-in-browser.ts';
import { CliError } from './errors.ts';
import { shortLine } from './text.ts';

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
