import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { workPrefix } from '../kept-paths.ts';
import { nodeOperations } from '../file-operations.ts';
import { isThere } from '../presence.ts';
import { markUsed, openSound, wasUsed } from './open-sound.ts';
import { buildFromLines, linesFolder } from './record-lines.ts';
import { tablesInLines } from './record-table.ts';
import { recordsName } from './records-file.ts';
import { finishRepair, type RepairOptions } from './repair.ts';
import { writeLines } from './write-lines.ts';

/** The files that this file may leave in the new folder, for a move that is cancelled. */
export const movedRecordsFiles = [recordsName, `${recordsName}.used`];

/**
 * Builds the database of the folder `to` from the rows of the database in the folder `from`, all of them: the folder
 * stays the same one. Repairs a damaged database first. No process may use either folder. Returns the problems, as
 * messages for the owner. If the process is killed in any step, another call leads to the same result.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export async function moveRecords(from: string, to: string, repair: RepairOptions): Promise<string[]> {
  const file = join(from, recordsName);
  await finishRepair(file);
  if (!(await isThere(file)) && !(await wasUsed(file))) return [];
  return inWork(to, async (work) => {
    const { database, log } = await openSound(file, repair);
    try {
      await writeLines(database, tablesInLines(repair.tables, 'move'), join(work, linesFolder));
    } finally {
      await log.close();
      database.close();
    }
    return build(work, to, { lines: join(work, linesFolder), repair });
  });
}

/**
 * Builds the database of the folder `to` from the lines that a move has put there, because the database is gone. Leaves
 * the lines where they are. Returns the problems, as messages for the owner.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export function recordsFromMovedLines(to: string, repair: RepairOptions): Promise<string[]> {
  return inWork(to, (work) => build(work, to, { lines: join(to, linesFolder), repair }));
}

/** Builds the database in the folder `work`, and puts it into the folder `to` in one step. */
async function build(
  work: string,
  to: string,
  { lines, repair: { tables } }: { readonly lines: string; readonly repair: RepairOptions },
): Promise<string[]> {
  const [built, file] = [join(work, recordsName), join(to, recordsName)];
  const { signal } = new AbortController();
  const problems = await buildFromLines(built, { lines, tables, purpose: 'move', signal });
  await nodeOperations.rename(built, file);
  await nodeOperations.syncFolder(to);
  await markUsed(file);
  return problems;
}

/** Runs `work` with an empty folder in the new data folder, which is removed afterwards, or by the next start. */
async function inWork<T>(to: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = join(to, `${workPrefix}records`);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { mode: 0o700 });
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
