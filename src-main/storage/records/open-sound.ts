import { dirname } from 'node:path';
import { nodeOperations } from '../file-operations.ts';
import { isThere } from '../presence.ts';
import { sqliteFailure } from '../sqlite.ts';
import { headerOf, isWhole, openRecordsFile, refuseNewer, type RecordsFile } from './records-file.ts';
import { createRecordsThread } from './records-thread.ts';
import { finishRepair, repairRecords, type RepairOptions } from './repair.ts';
import { snapshotsIn } from './snapshots.ts';

/** The file that says that there was a database in this folder. */
const markOf = (file: string) => `${file}.used`;
const markText =
  'Porchlight has used a database in this folder. If records.sqlite is missing, it was lost.\n';

/** Writes the mark of a folder whose database is on disk. A database that is missing later counts as damaged. */
export async function markUsed(file: string): Promise<void> {
  if (await isThere(markOf(file))) return;
  await nodeOperations.write(markOf(file), markText);
  await nodeOperations.syncFolder(dirname(file));
}

/**
 * Opens the database at its path. Creates it in a folder that had none. If it is damaged, or missing although the folder
 * had one, repairs it first.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export async function openSound(file: string, options: RepairOptions): Promise<RecordsFile> {
  await finishRepair(file);
  refuseNewer(file);
  if (await isUnusable(file)) await repairRecords(file, options);
  try {
    const isSuspect = isShort(file);
    const opened = await openRecordsFile(file, options.tables);
    if (!isSuspect || (opened.isAlone ? isWhole(opened.database) : await isWholeHere(file))) return opened;
    await opened.log.close();
    opened.database.close();
  } catch (error) {
    if (sqliteFailure(error) !== 'damaged') throw error;
  }
  await repairRecords(file, options);
  return openRecordsFile(file, options.tables);
}

/** Returns whether there is no database at the path, although there was one, or something that is no database. */
async function isUnusable(file: string): Promise<boolean> {
  const header = headerOf(file);
  // If the process is killed while it creates the database, the file may be empty.
  if (header === undefined || header.size === 0) return wasUsed(file);
  return header.namedSize === undefined;
}

/** Returns whether there was a database at this path. If it isn't there now, it was lost. */
export async function wasUsed(file: string): Promise<boolean> {
  for (const sign of [markOf(file), ...snapshotsIn(dirname(file))]) if (await isThere(sign)) return true;
  return false;
}

/** Returns whether the file is shorter than its header says. Pages at its end may still be in the write-ahead log. */
function isShort(file: string): boolean {
  const { size, namedSize = 0 } = headerOf(file) ?? { size: 0 };
  return size < namedSize;
}

/** Returns whether SQLite finds the structure of a database whole. A thread looks, and changes nothing. */
export async function isWholeHere(file: string): Promise<boolean> {
  const thread = createRecordsThread(file);
  try {
    return await thread.run({ kind: 'check' });
  } finally {
    await thread.close();
  }
}
