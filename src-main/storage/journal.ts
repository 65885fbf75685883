import { readFile } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';

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
export const textOf = (line: unknown) => `${JSON.stringify(line)}\n`;

async function textIn(file: string): Promise<string> {
  try {
    return await verified(file, () => readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}
