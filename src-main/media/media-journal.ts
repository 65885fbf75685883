import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { errorCode, readFailure, writeFailure } from '../storage/storage-error.ts';

/** A file of JSON lines that only grows, until it is rewritten. What it acknowledges is on the disk. */
export interface MediaJournal {
  /** Adds a line. @throws PorchlightError `storage_full`, `storage_unwritable`; then the line is not there. */
  append(line: unknown): Promise<void>;
  /** Replaces all lines. */
  rewrite(lines: readonly unknown[]): Promise<void>;
}

/** Writes to the journal in `file`, whose folder must be there. `whole`: false where its last line may be cut off. */
export function mediaJournal(file: string, { whole }: { whole: boolean }): MediaJournal {
  const turn = oneAtATime();
  let clean = whole;

  async function append(text: string): Promise<void> {
    const handle = await open(file, 'a', 0o600);
    try {
      const { size } = await handle.stat();
      try {
        // A line break ends what a failed write left, so that it spoils no line but its own.
        await handle.appendFile(clean ? text : `\n${text}`);
        await handle.sync();
        if (size === 0) await nodeOperations.syncFolder(dirname(file));
        clean = true;
      } catch (error) {
        clean = await handle.truncate(size).then(
          () => clean,
          () => false,
        );
        throw error;
      }
    } finally {
      await handle.close();
    }
  }

  async function rewrite(lines: readonly unknown[]): Promise<void> {
    await nodeOperations.write(`${file}.tmp`, lines.map(textOf).join(''));
    await nodeOperations.rename(`${file}.tmp`, file);
    clean = true;
    await nodeOperations.syncFolder(dirname(file));
  }

  const told = (work: () => Promise<void>) =>
    turn(async () => {
      try {
        await work();
      } catch (error) {
        throw writeFailure(file, error);
      }
    });

  return {
    append: (line) => told(() => append(textOf(line))),
    rewrite: (lines) => told(() => rewrite(lines)),
  };
}

/** The lines of a journal; none where there is no file. `whole`: false where one could not be read, and was passed over. */
export async function readMediaJournal(file: string): Promise<{ lines: unknown[]; whole: boolean }> {
  const texts = (await textIn(file)).split('\n');
  // What follows the last line break was cut off by a kill, or is empty.
  let whole = texts.pop() === '';
  const lines: unknown[] = [];
  for (const text of texts) {
    if (text === '') continue;
    try {
      lines.push(JSON.parse(text));
    } catch {
      whole = false;
    }
  }
  return { lines, whole };
}

const textOf = (line: unknown) => `${JSON.stringify(line)}\n`;

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}
