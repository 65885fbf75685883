import { appendFile, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { nodeOperations } from './file-operations.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';

/** A file of JSON lines that only grows, until it is rewritten. It is not fsynced: only for what can be derived anew. */
export interface Journal {
  /** Lines in the file. */
  readonly length: number;
  /** Adds a line; resolves once the system has it, so that a kill cannot take it back. Those that wait share a write. */
  append(line: unknown): Promise<void>;
  /** Replaces all lines by what `lines` answers when its turn comes. */
  rewrite(lines: () => unknown[]): Promise<void>;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly lines: unknown[];
  /** False where a line could not be read, and was passed over. */
  readonly whole: boolean;
}

/** Reads a journal, there or not. */
export async function openJournal(file: string): Promise<OpenedJournal> {
  const { lines, whole } = await readJournal(file);
  const turn = oneAtATime();
  let { length } = lines;
  /** The lines that wait for the next write, and that write. */
  let waiting: { texts: string[]; written: Promise<void> } | undefined;

  function write(texts: readonly string[]): Promise<void> {
    return turn(async () => {
      waiting = undefined;
      length += texts.length;
      await inFolder(file, () => appendFile(file, texts.join(''), { mode: 0o600 }));
    });
  }

  const journal: Journal = {
    get length() {
      return length;
    },
    append(line) {
      const text = textOf(line);
      if (waiting === undefined) {
        const texts: string[] = [];
        waiting = { texts, written: write(texts) };
      }
      waiting.texts.push(text);
      return waiting.written;
    },
    rewrite(current) {
      // What is appended after this must not come before it.
      waiting = undefined;
      return turn(async () => {
        const all = current();
        await inFolder(file, () => nodeOperations.write(`${file}.tmp`, all.map(textOf).join('')));
        await nodeOperations.rename(`${file}.tmp`, file);
        ({ length } = all);
      });
    },
  };
  return { journal, lines, whole };
}

/**
 * The lines of a journal; none where there is no file. `whole`: false where one could not be read, and was passed over.
 * `unread`: how many of those were not the last, so that no kill can have cut them off.
 */
export async function readJournal(
  file: string,
): Promise<{ lines: unknown[]; whole: boolean; unread: number }> {
  const texts = (await reportingUnreadable(file, () => textIn(file))).split('\n');
  // What follows the last line break was cut off by a kill, or is empty.
  const isCut = texts.pop() !== '';
  const lines: unknown[] = [];
  let unread = 0;
  for (const text of texts) {
    // A line break alone ends what a write that failed may have left.
    if (text === '') continue;
    try {
      lines.push(JSON.parse(text));
    } catch {
      unread += 1;
    }
  }
  return { lines, whole: !isCut && unread === 0, unread };
}

/** A value as a line of a journal, with its line break. */
export const textOf = (line: unknown) => `${JSON.stringify(line)}\n`;

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}

/** Writes; makes the folder where it is missing. */
async function inFolder(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write().catch(async (error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await nodeOperations.makeFolder(dirname(file));
      await write();
    });
  } catch (error) {
    throw writeFailure(file, error);
  }
}
