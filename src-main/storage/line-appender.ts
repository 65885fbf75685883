import { constants, statSync, type BigIntStats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { changing } from './write-pause.ts';

/** The state of a file of lines on disk. */
export interface LineFileState {
  /**
   * The size of the complete lines, in bytes. Any text after those lines was left by a killed process or a failed
   * write, and is ignored.
   */
  readonly size: number;
  /** The inode of the file. A file that replaces this file has another inode. */
  readonly inode: string;
  /** The time of the last change, in nanoseconds. */
  readonly changed: string;
}

const noLines: LineFileState = { size: 0, inode: '', changed: '' };

/** The flags don't include O_APPEND, because Windows would then refuse to truncate the remains of a failed write. */
const toWrite = constants.O_RDWR | constants.O_CREAT;

/** Returns a file's state, on the assumption that all of its lines are complete; `noLines` if there is no file. */
export async function lineFileState(file: string): Promise<LineFileState> {
  try {
    return await verified(file, async () => stateFrom(await stat(file, { bigint: true })));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return noLines;
    throw readFailure(file, error);
  }
}

/** How long a file stays open without a write, in ms. */
const idleMs = 10_000;

/**
 * Returns functions that add lines to the end of one file. All code that adds lines uses these functions: the journals
 * in journal.ts, and `appendLines`.
 */
export function lineAppender(file: string) {
  let handle: FileHandle | undefined;
  /** The device and inode of the open file. */
  let opened = '';
  let isClean = true;
  /**
   * The byte offset at which the lines of the newest call end, even if writing them failed; 0 if no call has written to
   * this file.
   */
  let remainsEnd = 0;
  /** The byte offset at which the lines of the newest successful call end. */
  let newestEnd = 0;
  let idle: NodeJS.Timeout | undefined;

  /** Closes the file. The next call of `append` opens it again. A file also closes after 10 s without a write. */
  async function close(): Promise<void> {
    clearTimeout(idle);
    const closing = handle;
    handle = undefined;
    await closing?.close();
  }

  /**
   * Opens the file, or checks that the open file is still the file at the path. Also returns the file's size
   * (`length`), in bytes.
   */
  async function current(): Promise<{ to: FileHandle; length: number }> {
    if (handle) {
      const there = statsAt(file);
      if (there === undefined || identityIn(there) !== opened) throw changedElsewhere(file);
      return { to: handle, length: Number(there.size) };
    }
    const to = await openOrMake(file);
    handle = to;
    const stats = await to.stat({ bigint: true });
    if (identityIn(stats) !== opened) remainsEnd = 0;
    opened = identityIn(stats);
    return { to, length: Number(stats.size) };
  }

  /**
   * Truncates the file to `size` bytes. Removes only an incomplete line or the lines of a failed call. Throws if there
   * is anything else after `size`.
   */
  async function cutOff(to: FileHandle, length: number, size: number): Promise<void> {
    if (length === size) return;
    // A write at `size` would leave a gap in the file.
    if (length < size) throw changedElsewhere(file);
    if (length > remainsEnd) {
      const rest = Buffer.alloc(Math.min(length - size, longestLine));
      await to.read(rest, 0, rest.length, size);
      // Complete lines after `size` may be from another program. They must not be lost.
      if (length - size > longestLine || rest.includes(lineBreak)) throw changedElsewhere(file);
    }
    await to.truncate(size);
  }

  async function append(size: number, lines: string): Promise<LineFileState> {
    isClean = false;
    const { to, length } = await current();
    await cutOff(to, length, size);
    const bytes = Buffer.from(lines);
    remainsEnd = size + bytes.length;
    try {
      // A single call may write only some of the bytes.
      for (let done = 0; done < bytes.length;)
        done += (await to.write(bytes, done, bytes.length - done, size + done)).bytesWritten;
      await to.datasync();
      if (size === 0) await nodeOperations.syncFolder(dirname(file));
      const stats = statsAt(file);
      if (stats === undefined || identityIn(stats) !== opened) throw changedElsewhere(file);
      return stateFrom(stats);
    } catch (error) {
      // Remove the lines of the failed write at once, so that nobody reads them.
      await to.truncate(size).then(
        () => (isClean = true),
        () => undefined,
      );
      throw error;
    }
  }

  return {
    /** False if a failed call may have left part of its lines in the file. The next call removes them. */
    get isClean() {
      return isClean;
    },
    /**
     * Adds lines (each with its line break) after the first `size` bytes. Resolves once they are on disk. Leaves the
     * file open. Make one call at a time.
     * @throws PorchlightError as appendLines does
     */
    async append(size: number, lines: string): Promise<LineFileState> {
      clearTimeout(idle);
      try {
        const state = await changing(() => verified(file, () => append(size, lines)));
        newestEnd = state.size;
        remainsEnd = 0;
        isClean = true;
        idle = setTimeout(() => void close().catch(() => undefined), idleMs).unref();
        return state;
      } catch (error) {
        await close().catch(() => undefined); // the next call opens the file again
        throw writeFailure(file, error);
      }
    },
    /**
     * Removes the lines that the newest call of `append` added after the first `size` bytes, because the rest of the
     * change failed. If that fails too, the next call of `append` removes them.
     * @throws PorchlightError as appendLines does
     */
    async takeBack(size: number): Promise<void> {
      remainsEnd = newestEnd;
      isClean = false;
      try {
        await changing(() =>
          verified(file, async () => {
            const { to, length } = await current();
            await cutOff(to, length, size);
            await to.datasync();
          }),
        );
        isClean = true;
      } catch (error) {
        await close().catch(() => undefined);
        throw writeFailure(file, error);
      }
    },
    close,
  };
}

/**
 * Adds lines as `lineAppender` does, and closes the file. Only one call at a time may change a file.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`, or `storage_changed`
 * (503) if the file is shorter than `size`, has complete lines after that offset, or was replaced during the call. In
 * these cases, the new lines are not in the file.
 */
export async function appendLines(file: string, size: number, lines: string): Promise<LineFileState> {
  const appender = lineAppender(file);
  try {
    return await appender.append(size, lines);
  } finally {
    await appender.close();
  }
}

const identityIn = ({ dev, ino }: BigIntStats) => `${dev} ${ino}`;

/**
 * Returns the file's metadata; undefined if there is no file. Synchronous, because an asynchronous call uses a thread
 * and takes longer.
 */
const statsAt = (file: string) => statSync(file, { bigint: true, throwIfNoEntry: false });

async function openOrMake(file: string): Promise<FileHandle> {
  try {
    return await open(file, toWrite, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await nodeOperations.makeFolder(dirname(file));
    return open(file, toWrite, 0o600);
  }
}

/** The maximum length of a line, in bytes. Every line that Porchlight writes is shorter. */
export const longestLine = 1024 * 1024;

const changedElsewhere = (file: string) =>
  new PorchlightError('storage_changed', `"${file}" was changed by another program. Try again.`, 503);

export const lineBreak = 10;

const stateFrom = ({ size, ino, mtimeNs }: BigIntStats): LineFileState => ({
  size: Number(size),
  inode: String(ino),
  changed: String(mtimeNs),
});
