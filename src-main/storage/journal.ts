import { readFile } from 'node:fs/promises';
import { verified } from './held-folders.ts';
import { errorCode, readFailure } from './storage-error.ts';
import { reportingUnreadable } from './unreadable-files.ts';

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
    return await verified(file, () => readFile(file, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw readFailure(file, error);
  }
}
