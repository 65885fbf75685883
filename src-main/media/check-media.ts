import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareWithNew } from '../storage/index/compare-indexes.ts';
import type { IndexDatabase } from '../storage/index/index-database.ts';
import { mediaFilesIn, incomingOf } from './media-folder.ts';
import { mediaIndex, mediaTables, type MediaIndex } from './media-index.ts';
import { isFileLine, readMediaMonth } from './media-lines.ts';
import { mediaPath } from './media-name.ts';
import { monthsIn, namesIn } from '../storage/folder-names.ts';

export interface MediaCheck {
  /** The number of existing files that a journal lists. */
  files: number;
  /** The problems found, as messages for the owner. */
  problems: string[];
}

/**
 * Queries that must return the same rows from two indexes of the same files. The keys name these rows in messages to
 * the owner.
 */
const compared = {
  files: `SELECT path AS place, month, gone, at, name, type, kind, bytes, width, height, uploaded_at, copy_of,
    uploaded_by, measured FROM media ORDER BY place`,
  'names of files': `SELECT m.path AS place, w.words FROM media_words w JOIN media m ON m.id = w.rowid
    ORDER BY place`,
};

/**
 * Checks that the journals in a media folder match the files. Compares the index `kept` with a new index of the
 * journals (see compareWithNew).
 */
export async function checkMedia(dir: string, kept?: IndexDatabase): Promise<MediaCheck> {
  const check: MediaCheck = { files: 0, problems: [] };
  for (const name of await namesIn(incomingOf(dir)))
    check.problems.push(`The upload ${name} was cut off; it is removed when the files are opened next.`);
  await compareWithNew({ tables: mediaTables, compared, kept }, check.problems, async (made) => {
    for (const month of await monthsIn(dir)) await checkMonth(dir, month, check, mediaIndex(made));
  });
  return check;
}

async function checkMonth(dir: string, month: string, check: MediaCheck, rows: MediaIndex): Promise<void> {
  const { lines, damaged } = await readMediaMonth(dir, month);
  if (damaged > 0) check.problems.push(`The journal of ${month} has lines that cannot be read.`);
  for (const line of lines.values()) rows.put(line);

  const folder = join(dir, month);
  const present = new Map(
    [...(await mediaFilesIn(folder))].map((file) => [mediaPath({ month, file }), file]),
  );
  for (const path of new Set([...lines.keys(), ...present.keys()])) {
    const file = present.get(path);
    const line = lines.get(path);
    if (file === undefined) {
      if (line !== undefined && isFileLine(line)) check.problems.push(`The file ${path} is missing.`);
      continue;
    }
    if (line === undefined) check.problems.push(`The journal of ${month} does not list the file ${path}.`);
    else if (!isFileLine(line)) check.problems.push(`The file ${path} was deleted but is still there.`);
    else await checkSize(join(folder, file), path, line.bytes, check);
  }
}

async function checkSize(file: string, path: string, bytes: number, check: MediaCheck): Promise<void> {
  const { size } = await stat(file);
  check.files += 1;
  if (size !== bytes) check.problems.push(`The file ${path} has ${size} bytes instead of ${bytes}.`);
}
