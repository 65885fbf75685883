import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readJournal } from '../storage/journal.ts';
import { folded, isFileLine } from './index-line.ts';
import { filesIn, incomingOf, journalOf, monthsIn, namesIn } from './media-folder.ts';
import { pathOf } from './media-name.ts';

export interface MediaCheck {
  /** The number of files that exist. */
  files: number;
  /** The problems found, in words for the owner. */
  problems: string[];
}

/** Compares the indexes in a media folder with its files. Changes nothing. */
export async function checkMedia(dir: string): Promise<MediaCheck> {
  const check: MediaCheck = { files: 0, problems: [] };
  for (const name of await namesIn(incomingOf(dir)))
    check.problems.push(`The upload ${name} was cut off; it is removed when the files are opened next.`);
  for (const month of await monthsIn(dir)) await checkMonth(dir, month, check);
  return check;
}

async function checkMonth(dir: string, month: string, check: MediaCheck): Promise<void> {
  const folder = join(dir, month);
  const journal = await readJournal(journalOf(folder));
  const { lines, whole } = folded(journal.lines, month);
  if (!journal.whole || !whole) check.problems.push(`The index of ${month} has lines that cannot be read.`);

  const present = await filesIn(folder);
  for (const file of new Set([...lines.keys(), ...present])) {
    const path = pathOf({ month, file });
    const line = lines.get(file);
    if (!present.has(file)) {
      if (line !== undefined && isFileLine(line)) check.problems.push(`The file ${path} is missing.`);
      continue;
    }
    if (line === undefined) check.problems.push(`The index of ${month} does not know the file ${path}.`);
    else if (!isFileLine(line)) check.problems.push(`The file ${path} was deleted but is still there.`);
    else await checkSize(join(folder, file), path, line.bytes, check);
  }
}

async function checkSize(file: string, path: string, bytes: number, check: MediaCheck): Promise<void> {
  const { size } = await stat(file);
  check.files += 1;
  if (size !== bytes) check.problems.push(`The file ${path} has ${size} bytes instead of ${bytes}.`);
}
