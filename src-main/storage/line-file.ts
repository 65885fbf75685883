import { open, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { nodeOperations } from './file-operations.ts';
import { verified } from './held-folders.ts';
import { lineBreak, lineFileState, longestLine, type LineFileState } from './line-appender.ts';
import { errorCode, readFailure, writeFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';

export { appendLines, lineFileState, type LineFileState } from './line-appender.ts';

/** A line of a file, without its line break. */
export interface Line {
  readonly text: string;
  /** The offset at which the next line begins, in bytes. */
  readonly end: number;
}

/**
 * Runs `work`, which reads `file`. If the file can't be read, reports the file to the watchers in unreadable-files.ts.
 */
const reading = <T>(file: string, work: () => Promise<T>): Promise<T> =>
  reportingUnreadable(file, () =>
    verified(file, work).catch((error: unknown) => {
      throw readFailure(file, error);
    }),
  );

/**
 * Reads the complete lines of a file in batches, starting at the offset `from`, where a line must begin. Yields nothing
 * if there is no file.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function* readLines(file: string, from = 0): AsyncGenerator<Line[]> {
  const handle = await reading(file, () => openToRead(file));
  if (handle === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let dropped = 0; // the skipped bytes of the current line, if it is too long
    let end = from; // the offset at which the last complete line ends
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await reading(file, () =>
        handle.read(chunk, 0, chunkBytes, end + rest.length + dropped),
      );
      if (bytesRead === 0) return;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines: Line[] = [];
      let start = 0;
      for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, start)) {
        // Keep only the beginning of a line that is too long. A truncated line isn't valid JSON, so it counts as
        // unreadable.
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

/** A line as readLinesBack yields it, without its line break. */
export interface EarlierLine extends Line {
  /** The offset at which the line begins, in bytes. */
  readonly start: number;
}

/**
 * Reads the complete lines of a file in batches, the last line first. Starts with the line that ends at the offset
 * `end` (by default, the end of the file). Yields nothing if there is no file. If a line is longer than any that
 * Porchlight writes, `text` is only its beginning.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function* readLinesBack(file: string, end?: number): AsyncGenerator<EarlierLine[]> {
  const handle = await reading(file, () => openToRead(file));
  if (handle === undefined) return;
  try {
    const { size } = await reading(file, () => handle.stat());
    let place = Math.min(end ?? size, size);
    /** The offset at which the current line ends; undefined until the first line break is found. */
    let lineEnd: number | undefined;
    let rest = Buffer.alloc(0); // the bytes of the current line that were already read
    while (place > 0) {
      const length = Math.min(chunkBytes, place);
      place -= length;
      const chunk = Buffer.alloc(length);
      await reading(file, () => handle.read(chunk, 0, length, place));
      const lines: EarlierLine[] = [];
      let textEnd = length;
      for (
        let at = chunk.lastIndexOf(lineBreak);
        at >= 0;
        at = chunk.subarray(0, at).lastIndexOf(lineBreak)
      ) {
        add(at + 1);
        lineEnd = place + at + 1;
        textEnd = at;
      }
      if (place === 0) add(0);
      else if (lineEnd !== undefined) {
        rest = Buffer.concat([chunk.subarray(0, textEnd), rest]);
        if (rest.length > longestLine) rest = rest.subarray(0, shownOfLong);
      }
      if (lines.length > 0) yield lines;

      function add(from: number): void {
        const text = Buffer.concat([chunk.subarray(from, textEnd), rest]).toString();
        if (lineEnd !== undefined) lines.push({ text, start: place + from, end: lineEnd });
        rest = Buffer.alloc(0);
      }
    }
  } finally {
    await handle.close();
  }
}

/** Returns the offset of the end of a file's last complete line, in bytes; 0 if there is no file. */
export async function lastLineEnd(file: string): Promise<number> {
  for await (const [last] of readLinesBack(file)) if (last) return last.end;
  return 0;
}

const chunkBytes = 64 * 1024;
const shownOfLong = 1000;

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file. `write` writes the new content to a temporary file and syncs it. Resolves once the new file is on
 * disk. Creates the folder. Only one call at a time may change a file, and on Windows, the file must not be open.
 * @throws PorchlightError as appendLines does; in that case, the old file is usually unchanged.
 */
export async function replaceLines(
  file: string,
  write: (temporary: string) => Promise<void>,
): Promise<LineFileState> {
  const temporary = `${file}.tmp`;
  try {
    await nodeOperations.makeFolder(dirname(file));
    await write(temporary);
    await nodeOperations.rename(temporary, file);
    await nodeOperations.syncFolder(dirname(file));
  } catch (error) {
    // Free the space, in case the disk is full.
    await nodeOperations.remove(temporary).catch(() => undefined);
    throw writeFailure(file, error);
  }
  return lineFileState(file);
}

/**
 * Removes the lines that `keeps` rejects, and resolves once the file is on disk. `keeps` gets the number of each line,
 * starting at 0.
 * @throws PorchlightError as readLines and replaceLines do
 */
export const pickLines = (file: string, keeps: (number: number) => boolean): Promise<LineFileState> =>
  replaceLines(file, async (temporary) => {
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
  });
