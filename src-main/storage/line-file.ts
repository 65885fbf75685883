import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PorchlightError } from '../contract/error.ts';
import { nodeOperations } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';
import { changing } from './write-pause.ts';

/** The state of a line file on disk. */
export interface LineFileState {
  /**
   * The size of the complete lines, in bytes. Anything after them was left by a killed process or a failed write, and
   * is ignored.
   */
  readonly size: number;
  /** Identifies the file itself: a file that replaces it has another inode. */
  readonly inode: string;
  /** The time of the last change, in nanoseconds. */
  readonly changed: string;
}

export const noLines: LineFileState = { size: 0, inode: '', changed: '' };

/** Omits O_APPEND: with it, Windows would refuse to truncate the remains of a failed write. */
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

/**
 * Adds lines (each with its line break) after the first `size` bytes. Resolves once they are on disk. Only one call at
 * a time may change a file.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `storage_busy`, `storage_gone`, or `storage_changed`
 * (503) if the file is shorter than `size` or has complete lines after it; then the new lines are not in the file.
 */
export async function appendLines(file: string, size: number, lines: string): Promise<LineFileState> {
  try {
    return await changing(() =>
      verified(file, async () => {
        const handle = await openOrMake(file);
        try {
          return await appendTo(handle, file, size, lines);
        } finally {
          await handle.close();
        }
      }),
    );
  } catch (error) {
    throw writeFailure(file, error);
  }
}

async function openOrMake(file: string): Promise<FileHandle> {
  try {
    return await open(file, toWrite, 0o600);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await nodeOperations.makeFolder(dirname(file));
    return open(file, toWrite, 0o600);
  }
}

async function appendTo(
  handle: FileHandle,
  file: string,
  size: number,
  lines: string,
): Promise<LineFileState> {
  await cutOff(handle, file, size);
  try {
    const bytes = Buffer.from(lines);
    // A single write may be partial.
    for (let done = 0; done < bytes.length;)
      done += (await handle.write(bytes, done, bytes.length - done, size + done)).bytesWritten;
    await handle.datasync();
    if (size === 0) await nodeOperations.syncFolder(dirname(file));
  } catch (error) {
    // The write failed, so its lines must not be found by readers before the next call.
    await handle.truncate(size).catch(() => undefined);
    throw error;
  }
  return stateFrom(await handle.stat({ bigint: true }));
}

/** Truncates the file to `size` bytes. Refuses to remove anything but an incomplete line. */
async function cutOff(handle: FileHandle, file: string, size: number): Promise<void> {
  const more = (await handle.stat()).size - size;
  if (more === 0) return;
  const rest = Buffer.alloc(Math.min(Math.max(more, 0), longestLine));
  await handle.read(rest, 0, rest.length, size);
  // The caller doesn't know of any complete lines after `size`, so they must not be lost. A gap before `size` would
  // spoil the file.
  if (more < 0 || more > longestLine || rest.includes(lineBreak)) throw changedElsewhere(file);
  await handle.truncate(size);
}

/** A limit in bytes that no line of ours reaches. */
const longestLine = 1024 * 1024;

const changedElsewhere = (file: string) =>
  new PorchlightError('storage_changed', `"${file}" was changed by another program. Try again.`, 503);

/** A line of a file, without its line break. */
export interface Line {
  readonly text: string;
  /** Where the next line begins, in bytes. */
  readonly end: number;
}

/**
 * Reads the whole lines of a file in batches, starting at the offset `from`, where a line must begin. Yields nothing if
 * there is no file.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function* readLines(file: string, from = 0): AsyncGenerator<Line[]> {
  const read = <T>(work: () => Promise<T>) =>
    reportingUnreadable(file, () =>
      verified(file, work).catch((error: unknown) => {
        throw readFailure(file, error);
      }),
    );
  const handle = await read(() => openToRead(file));
  if (handle === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let dropped = 0; // bytes of the current line, which is too long to be one of ours
    let end = from; // the end of the last complete line so far
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await read(() => handle.read(chunk, 0, chunkBytes, end + rest.length + dropped));
      if (bytesRead === 0) return;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines: Line[] = [];
      let start = 0;
      for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, start)) {
        // Its beginning shows what it was about, and is no whole value.
        const textEnd = dropped > 0 ? shownOfLong : at;
        end += at + 1 - start + dropped;
        dropped = 0;
        lines.push({ text: bytes.toString('utf8', start, textEnd), end });
        start = at + 1;
      }
      rest = bytes.subarray(start, start + longestLine);
      dropped += Math.max(0, bytes.length - start - longestLine);
      if (lines.length > 0) yield lines;
    }
  } finally {
    await handle.close();
  }
}

const chunkBytes = 64 * 1024;
const shownOfLong = 1000;
const lineBreak = 10;

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Removes the lines that `keeps` rejects, and resolves once the file is on disk. `keeps` gets the number of each line,
 * starting at 0. Only one call at a time may change a file.
 * @throws PorchlightError as readLines and appendLines do; then the file is unchanged.
 */
export async function pickLines(file: string, keeps: (number: number) => boolean): Promise<LineFileState> {
  const temporary = `${file}.tmp`;
  try {
    const handle = await verified(file, () => open(temporary, 'w', 0o600));
    try {
      let number = 0;
      for await (const lines of readLines(file)) {
        const picked = lines.filter(() => keeps(number++)).map(({ text }) => `${text}\n`);
        await handle.writeFile(picked.join(''));
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await nodeOperations.rename(temporary, file);
    await nodeOperations.syncFolder(dirname(file));
  } catch (error) {
    await nodeOperations.remove(temporary).catch(() => undefined);
    throw writeFailure(file, error);
  }
  return lineFileState(file);
}

const stateFrom = ({
  size,
  ino,
  mtimeNs,
}: {
  size: bigint;
  ino: bigint;
  mtimeNs: bigint;
}): LineFileState => ({
  size: Number(size),
  inode: String(ino),
  changed: String(mtimeNs),
});
