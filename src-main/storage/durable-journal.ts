import { constants } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { oneAtATime } from './one-at-a-time.ts';
import { nodeOperations } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';
import { changing } from './write-pause.ts';

/** A journal (see journal.ts) that is the only copy of its data: lines are on disk before they are acknowledged. */
export interface DurableJournal {
  /** False if a failed write may have left part of its lines in the file. Only `rewrite` is sure to remove it. */
  readonly isClean: boolean;
  /**
   * Appends lines in one write.
   * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_gone`; then the lines are not in the file.
   */
  append(lines: readonly unknown[]): Promise<void>;
  /**
   * Replaces all lines.
   * @throws PorchlightError as append does; then the old lines are unchanged.
   */
  rewrite(lines: readonly unknown[]): Promise<void>;
}

/** Omits O_APPEND: with it, Windows would refuse to truncate the remains of a failed write. */
const toWrite = constants.O_RDWR | constants.O_CREAT;

/**
 * Creates a writer for the journal in `file`; only `rewrite` creates its folder. `whole`: false if the last line may be
 * cut off.
 */
export function durableJournal(file: string, { whole }: { whole: boolean }): DurableJournal {
  const turn = oneAtATime();
  let isClean = whole;

  async function append(text: string): Promise<void> {
    const wasClean = isClean;
    isClean = false;
    const handle = await open(file, toWrite, 0o600);
    try {
      const { size } = await handle.stat();
      try {
        // After a failed write, a line break separates its remains from the new lines.
        await writeAt(handle, size, wasClean ? text : `\n${text}`);
        await handle.sync();
        if (size === 0) await nodeOperations.syncFolder(dirname(file));
      } catch (error) {
        await handle.truncate(size).then(
          () => (isClean = wasClean),
          () => undefined,
        );
        throw error;
      }
      isClean = wasClean;
    } finally {
      await handle.close();
    }
  }

  async function rewrite(lines: readonly unknown[]): Promise<void> {
    const temporary = `${file}.tmp`;
    await nodeOperations.makeFolder(dirname(file));
    try {
      await nodeOperations.write(temporary, lines.map(textOf).join(''));
      await nodeOperations.rename(temporary, file);
    } catch (error) {
      // Free the space, in case the disk is full.
      await nodeOperations.remove(temporary).catch(() => undefined);
      throw error;
    }
    isClean = true;
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
    get isClean() {
      return isClean;
    },
    append: (lines) => told(() => changing(() => verified(file, () => append(lines.map(textOf).join(''))))),
    rewrite: (lines) => told(() => rewrite(lines)),
  };
}

/** Writes all of `text`, because a single write may be partial. */
async function writeAt(handle: FileHandle, start: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}

/**
 * Reads the lines of a journal; none if there is no file. `whole`: false if a line could not be read and was skipped.
 * `unread`: how many skipped lines ended with a line break, and so were not cut off by a killed process.
 */
export async function readJournal(
  file: string,
): Promise<{ lines: unknown[]; whole: boolean; unread: number }> {
  const texts = (await reportingUnreadable(file, () => textIn(file))).split('\n');
  // The text after the last line break is empty, or it is a line that was cut off when the process was killed.
  const isCut = texts.pop() !== '';
  const lines: unknown[] = [];
  let unread = 0;
  for (const text of texts) {
    // An empty line is only the line break that was written after the remains of a failed write.
    if (text === '') continue;
    try {
      lines.push(JSON.parse(text));
    } catch {
      unread += 1;
    }
  }
  return { lines, whole: !isCut && unread === 0, unread };
}

/** Returns a value as a line of a journal, with its line break. */
const textOf = (line: unknown) => `${JSON.stringify(line)}\n`;

async function textIn(file: string): Promise<string> {
  try {
    return await verified(file, () => readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}
