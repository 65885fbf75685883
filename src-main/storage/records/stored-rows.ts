import type { Static, TObject } from 'typebox';
import { readRecords, withClosedRecords } from './closed-records.ts';
import { cellsOf, columnsOf, insertInto, isSoundRow, type RecordTable, type Row } from './record-table.ts';

/**
 * Returns the sound rows of a small table in a folder, also while a process uses the folder. Returns no rows if there is
 * no such table, or if the database is damaged.
 * @throws PorchlightError `storage_newer`
 */
export async function rowsIn<S extends TObject>(dir: string, table: RecordTable<S>): Promise<Static<S>[]> {
  const found = await readRecords(dir, table, (database) =>
    database.prepare(`SELECT ${columnsOf(table).join(', ')} FROM ${table.name}`).all(),
  );
  if (found === undefined || found === 'damaged') return [];
  return found.filter((row) => isSoundRow(table, row));
}

/**
 * Replaces the rows of small tables in the folder `to` by those in the folder `from`. No process may be using `to`. The
 * rows are on disk when the promise resolves.
 * @throws PorchlightError `storage_newer`; the errors of SQLite
 */
export async function replaceRows(from: string, to: string, tables: readonly RecordTable[]): Promise<void> {
  for (const table of tables) {
    const rows = await rowsIn(from, table);
    await withClosedRecords(to, [table], (database) => {
      database.exec(`DELETE FROM ${table.name}`);
      const insert = database.prepare(insertInto(table));
      for (const row of rows) insert.run(...cellsOf(table, row as Row));
    });
  }
}
