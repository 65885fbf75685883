import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { launchBrowser } from '../open-in-browser.ts';
import { CliError } from './errors.ts';
import { shortLine } from './text.ts';

/** What a command needs from its environment: the working folder, and the person at the terminal. */
export interface Terminal {
  /** The working folder, against which relative paths are resolved. */
  readonly cwd: string;
  /** True if a person can answer questions. */
  readonly asks: boolean;
  /** True if stdout is a terminal. */
  readonly shows: boolean;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Shows progress on one line that the next call replaces. Does nothing if stderr is not a terminal. */
  progress(line: string): void;
  /** Asks a question on stderr. */
  ask(question: string): Promise<string>;
  /** Asks for text that is not shown while it is typed. */
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
      // A line that the terminal wraps can't be replaced.
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
      // readline echoes what is typed to its output, so this output discards everything.
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

/** Asks a question. Rejects when Ctrl-C or the end of input closes the interface, unlike readline's own promise. */
function answerTo(lines: Interface, question: string): Promise<string> {
  const closed = once(lines, 'close').then(() => {
    throw new CliError('cancelled', 'Cancelled. Nothing was changed.');
  });
  return Promise.race([lines.question(question), closed]);
}
