import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monthsIn, namesIn } from '../storage/file-facts.ts';
import { readRecords } from '../storage/records/closed-records.ts';
import type { Records } from '../storage/records/records.ts';
import { incomingOf, mediaFilesIn, mediaPath } from './media-name.ts';
import { mediaTable, presence } from './media-rows.ts';

export interface MediaCheck {
  /** The number of existing files that have a record. */
  files: number;
  /** The problems found, as messages for the owner. */
  problems: string[];
}

interface RecordedFile {
  readonly gone: unknown;
  readonly bytes: unknown;
}

/** Checks that the records of a data folder match its media files. A damaged database is not reported here. */
export async function checkMedia(dataDir: string): Promise<MediaCheck> {
  const dir = join(dataDir, 'media');
  const check: MediaCheck = { files: 0, problems: [] };
  for (const name of await namesIn(incomingOf(dir)))
    check.problems.push(`The upload ${name} was cut off; it is removed when the files are opened next.`);
  const recorded = await readRecords(dataDir, mediaTable, (database) =>
    database
      .prepare('SELECT DISTINCT month FROM media')
      .all()
      .map(({ month }) => String(month)),
  );
  if (recorded === 'damaged') return check;
  const months = [...new Set([...(await monthsIn(dir)), ...(recorded ?? [])])].sort();
  for (const month of months) await checkMonth(dataDir, month, check);
  return check;
}

/** Returns the number of recorded files if the folder with all of them is gone or empty; otherwise 0. */
export async function lostFiles(dataDir: string, { rows }: Pick<Records, 'rows'>): Promise<number> {
  if ((await namesIn(join(dataDir, 'media'))).length > 0) return 0;
  const [count = 0] = rows(({ n }) => Number(n), 'SELECT count(*) AS n FROM media WHERE gone = 0');
  return count;
}

async function checkMonth(dataDir: string, month: string, check: MediaCheck): Promise<void> {
  const found = await readRecords(
    dataDir,
    mediaTable,
    (database) =>
      new Map<string, RecordedFile>(
        database
          .prepare('SELECT path, gone, bytes FROM media WHERE month = ?')
          .all(month)
          .map(({ path, gone, bytes }) => [String(path), { gone, bytes }]),
      ),
  );
  const recorded = found === undefined || found === 'damaged' ? new Map<string, RecordedFile>() : found;
  const folder = join(dataDir, 'media', month);
  const present = new Map(
    [...(await mediaFilesIn(folder))].map((file) => [mediaPath({ month, file }), file]),
  );
  for (const path of new Set([...recorded.keys(), ...present.keys()])) {
    const [file, record] = [present.get(path), recorded.get(path)];
    if (file === undefined) {
      if (record?.gone === presence.there) check.problems.push(`The file ${path} is missing.`);
    } else if (record === undefined || record.gone === presence.missing)
      check.problems.push(`The file ${path} has no record.`);
    else if (record.gone === presence.deleted)
      check.problems.push(`The file ${path} was deleted but is still there.`);
    else await checkSize(join(folder, file), path, Number(record.bytes), check);
  }
}

async function checkSize(file: string, path: string, bytes: number, check: MediaCheck): Promise<void> {
  const { size } = await stat(file);
  check.files += 1;
  if (size !== bytes) check.problems.push(`The file ${path} has ${size} bytes instead of ${bytes}.`);
}
