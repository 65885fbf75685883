import { join } from 'node:path';
import { nodeOperations } from '../storage/file-operations.ts';
import { monthsIn } from '../storage/folder-names.ts';
import { readRecords, withClosedRecords } from '../storage/records/closed-records.ts';
import type { Cell } from '../storage/records/record-table.ts';
import { mediaFilesIn } from './media-folder.ts';
import { mediaPath, type MediaPlace } from './media-name.ts';
import { putDeleted } from './media-rows.ts';
import { mediaTable, presence } from './media-table.ts';

const mediaIn = (dataDir: string) => join(dataDir, 'media');

/** Returns the files that were deleted from the data folder `here` but still exist in the data folder `there`. */
export async function filesDeletedHere(here: string, there: string): Promise<MediaPlace[]> {
  const found: MediaPlace[] = [];
  for (const month of await monthsIn(mediaIn(there))) {
    const deleted = await deletedIn(here, month);
    for (const file of deleted.size > 0 ? await mediaFilesIn(join(mediaIn(there), month)) : [])
      if (deleted.has(mediaPath({ month, file }))) found.push({ month, file });
  }
  return found;
}

async function deletedIn(dataDir: string, month: string): Promise<Set<string>> {
  const found = await readRecords(dataDir, mediaTable, (database) =>
    database
      .prepare('SELECT path FROM media WHERE month = ? AND gone = ?')
      .all(month, presence.deleted)
      .map(({ path }) => String(path)),
  );
  return new Set(found === 'damaged' ? [] : found);
}

/**
 * Deletes the files in the data folder `there` that were deleted from the data folder `here`. No server may be using
 * `there`.
 */
export async function keepFilesDeleted(here: string, there: string): Promise<void> {
  const places = await filesDeletedHere(here, there);
  if (places.length === 0) return;
  // Record the deletions first. If this process is killed before it deletes the files, the next start deletes them
  // instead of listing them again.
  await withClosedRecords(there, [mediaTable], (database) => {
    const run = (sql: string, ...cells: readonly Cell[]) =>
      Number(database.prepare(sql).run(...cells).changes);
    for (const place of places) putDeleted({ run }, mediaPath(place));
  });
  for (const { month, file } of places) await nodeOperations.remove(join(mediaIn(there), month, file));
}
