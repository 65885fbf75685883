import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isThere } from '../presence.ts';
import { DatabaseSync, type Database } from '../sqlite.ts';
import { columnsOf, type RecordTable, type Row } from './record-table.ts';
import { createTables, openDatabase, recordsName, refuseNewer } from './records-file.ts';

const rowsAtOnce = 500;

/**
 * Runs `work` on records.sqlite in a folder that no process uses. Creates the database and the tables that are missing.
 * @throws PorchlightError `storage_newer`; the errors of SQLite
 */
export async function withClosedRecords<T>(
  dir: string,
  tables: readonly RecordTable[],
  work: (database: Database) => T | Promise<T>,
): Promise<T> {
  const file = join(dir, recordsName);
  refuseNewer(file);
  const database = openDatabase(file);
  try {
    createTables(database, tables);
    return await work(database);
  } finally {
    database.close();
  }
}

/**
 * Runs `work` on records.sqlite in a folder, which another connection may be using, without changing it. Returns
 * undefined if there is no database, or not yet this table.
 * @throws PorchlightError `storage_newer`; the errors of SQLite
 */
async function withRecordsToRead<T>(
  dir: string,
  { name }: RecordTable,
  work: (database: Database) => T | Promise<T>,
): Promise<T | undefined> {
  const file = join(dir, recordsName);
  if (!(await isThere(file))) return undefined;
  refuseNewer(file);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const known = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name);
    return known === undefined ? undefined : await work(database);
  } finally {
    database.close();
  }
}

/** Returns the number of rows of a table in records.sqlite of a folder. */
export async function countRows(dir: string, table: RecordTable): Promise<number> {
  const count = await withRecordsToRead(dir, table, (database) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table.name}`).get()?.['n']),
  );
  return count ?? 0;
}

/**
 * Calls `each` with every row of a table in records.sqlite of a folder, in the order in which they were added. Other work
 * can run in between.
 */
export async function eachRow(dir: string, table: RecordTable, each: (row: Row) => void): Promise<void> {
  await withRecordsToRead(dir, table, async (database) => {
    const next = database.prepare(
      `SELECT rowid AS place, ${columnsOf(table).join(', ')} FROM ${table.name} WHERE rowid > ?
       ORDER BY rowid LIMIT ${rowsAtOnce}`,
    );
    let after = -1;
    for (;;) {
      const rows = next.all(after) as Row[];
      for (const { place, ...row } of rows) {
        each(row);
        after = Number(place);
      }
      if (rows.length < rowsAtOnce) return;
      await nextTurn();
    }
  });
}
