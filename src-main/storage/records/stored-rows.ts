import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Static, TObject } from 'typebox';
import { readRecords, withClosedRecords } from './closed-records.ts';
import { cellsOf, columnsOf, insertInto, isSoundRow, type RecordTable, type Row } from './record-table.ts';

const rowsAtOnce = 500;

/** Returns the number of rows of a table in a folder; 0 if its database is missing or damaged. */
export async function countRows(dir: string, table: RecordTable): Promise<number> {
  const count = await readRecords(dir, table, (database) =>
    Number(database.prepare(`SELECT count(*) AS n FROM ${table.name}`).get()?.['n']),
  );
  return typeof count === 'number' ? count : 0;
}

/**
 * Calls `each` with every sound row of a large table in a folder, and `unsound` for every other row, also while a
 * process uses the folder. Other work can run in between. Calls nothing if there is no such table. Ends early if the
 * database is damaged, and then returns `damaged`.
 * @throws PorchlightError `storage_newer`
 */
export async function eachRow<S extends TObject>(
  dir: string,
  table: RecordTable<S>,
  each: (row: Static<S>) => void,
  unsound: () => void = () => undefined,
): Promise<'damaged' | undefined> {
  const sql = `SELECT rowid AS place, ${columnsOf(table).join(', ')} FROM ${table.name} WHERE rowid > ?
    ORDER BY rowid LIMIT ${rowsAtOnce}`;
  let after: number | undefined = -1;
  while (after !== undefined) {
    const from: number = after;
    const rows = await readRecords(dir, table, (database) => database.prepare(sql).all(from));
    if (rows === undefined || rows === 'damaged') return rows;
    for (const { place: _place, ...row } of rows)
      if (isSoundRow(table, row)) each(row);
      else unsound();
    const last = rows.at(-1);
    after = last && Number(last['place']);
    await nextTurn();
  }
  return undefined;
}

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
