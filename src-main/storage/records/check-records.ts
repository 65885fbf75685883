import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isThere } from '../presence.ts';
import { DatabaseSync, sqliteFailure, type Database } from '../sqlite.ts';
import { wasUsed } from './open-sound.ts';
import { columnsOf, isSoundRow, type RecordTable } from './record-table.ts';
import { recordsName, refuseNewer } from './records-file.ts';
import { createRecordsThread } from './records-thread.ts';

const rowsAtOnce = 500;

/**
 * Checks records.sqlite in a data folder, without changing it: the file itself, and each row. Returns the problems, as
 * messages for the owner.
 * @throws PorchlightError `storage_newer`
 */
export async function recordsProblems(dir: string, tables: readonly RecordTable[]): Promise<string[]> {
  const file = join(dir, recordsName);
  if (!(await isThere(file))) return (await wasUsed(file)) ? [`The database ${recordsName} is missing.`] : [];
  refuseNewer(file);
  const thread = createRecordsThread(file);
  try {
    if (!(await thread.run({ kind: 'check' }))) return [`The database ${recordsName} is damaged.`];
  } catch (error) {
    return [`The database ${recordsName} can’t be read (${String(error)}).`];
  } finally {
    await thread.close();
  }
  const database = new DatabaseSync(file, { readOnly: true });
  const problems: string[] = [];
  try {
    for (const table of tables) {
      const broken = await brokenRows(database, table);
      if (broken > 0) problems.push(`${broken} of the rows of “${table.name}” can’t be read.`);
    }
  } catch (error) {
    if (sqliteFailure(error) === undefined) throw error;
    problems.push(`The database ${recordsName} can’t be read (${String(error)}).`);
  } finally {
    database.close();
  }
  return problems;
}

async function brokenRows(database: Database, table: RecordTable): Promise<number> {
  const known = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table.name);
  if (known === undefined) return 0;
  const columns = columnsOf(table).join(', ');
  const next = database.prepare(
    `SELECT rowid AS place, ${columns} FROM ${table.name} WHERE rowid > ? ORDER BY rowid LIMIT ${rowsAtOnce}`,
  );
  let broken = 0;
  let after = -1;
  for (;;) {
    const rows = next.all(after);
    for (const { place, ...row } of rows) {
      if (!isSoundRow(table, row)) broken += 1;
      after = Number(place);
    }
    if (rows.length < rowsAtOnce) return broken;
    await nextTurn();
  }
}
