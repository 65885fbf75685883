import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { nodeOperations } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { textOf } from './journal.ts';
import { writeFailure } from './storage-error.ts';
import { changing } from './write-pause.ts';

/** A journal (see journal.ts) that is no copy of anything: what it acknowledges is on the disk. */
export interface DurableJournal {
  /** False where a failed write may have left something of lines that are not there: only `rewrite` makes sure. */
  readonly isClean: boolean;
  /**
   * Adds lines, in one write. @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_gone`; then they are
   * not in the file.
   */
  append(lines: readonly unknown[]): Promise<void>;
  /** Replaces all lines. @throws PorchlightError as append does; then the lines before are there. */
  rewrite(lines: readonly unknown[]): Promise<void>;
}

/** Not to append: Windows would refuse to cut off what a failed write left. */
const toWrite = constants.O_RDWR | constants.O_CREAT;

/** Writes to the journal in `file`; only `rewrite` makes its folder. `whole`: false where its last line may be cut off. */
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
        // A line break ends what a failed write left, so that it spoils no line but its own.
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
      // On a full disk its room is wanted.
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

/** Writes all of `text`: one write may end early. */
async function writeAt(handle: FileHandle, start: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
}
