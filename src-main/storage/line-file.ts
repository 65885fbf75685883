import { open, type FileHandle } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';

/** The maximum length of a line, in bytes. Every line that Porchlight writes is shorter. */
const longestLine = 1024 * 1024;
/** What is kept of a line that is too long, in bytes. */
const shownOfLong = 1000;
const chunkBytes = 64 * 1024;
const lineBreak = 10;

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
 * Reads the complete lines of a file in batches, without their line breaks. Yields nothing if there is no file.
 * @throws PorchlightError `storage_unreadable`, `storage_busy`
 */
export async function* readLines(file: string): AsyncGenerator<string[]> {
  const handle = await reading(file, () => openToRead(file));
  if (handle === undefined) return;
  try {
    let rest = Buffer.alloc(0);
    let dropped = 0; // the skipped bytes of the current line, if it is too long
    let place = 0; // the offset of the next chunk
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await reading(file, () => handle.read(chunk, 0, chunkBytes, place));
      if (bytesRead === 0) return;
      place += bytesRead;
      const bytes = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines: string[] = [];
      let start = 0;
      for (let at = bytes.indexOf(lineBreak); at >= 0; at = bytes.indexOf(lineBreak, start)) {
        // Keep only the beginning of a line that is too long. A truncated line isn't valid JSON, so it counts as
        // unreadable.
        lines.push(bytes.toString('utf8', start, dropped > 0 ? shownOfLong : at));
        dropped = 0;
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

async function openToRead(file: string): Promise<FileHandle | undefined> {
  try {
    return await open(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
