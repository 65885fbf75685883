import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Static, type TObject, Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { isThere } from '../file-facts.ts';
import { type Database, sqliteFailure } from '../sqlite.ts';
import { knownIn, knownName, putKnown, readKnown, writeKnown } from './known.ts';
import { isWholeHere, knowsEnough, wasUsed } from './repair.ts';
import {
  cellsOf,
  columnsOf,
  insertInto,
  isSoundRow,
  type RecordTable,
  type Row,
  sealedSecret,
} from './record-table.ts';
import {
  createTables,
  newerDatabase,
  openAlone,
  openDatabase,
  openToRead,
  recordsFormat,
  recordsName,
  refuseNewer,
} from './records-file.ts';
import type { Records } from './records.ts';

/** How long to wait for a process that uses the folder, in ms. */
const patienceMs = 1000;

/**
 * Runs `work` with the database of a folder that no process uses, such as an unpacked backup. Creates the database if it
 * is missing. The changes are on disk when the promise resolves, all of them or none.
 * @throws PorchlightError `storage_newer`; the errors of SQLite
 */
export async function withClosedRecords<T>(
  dir: string,
  tables: readonly RecordTable[],
  work: (database: Database) => T,
): Promise<T> {
  const file = join(dir, recordsName);
  refuseNewer(file);
  await access(dir);
  const database = openDatabase(file);
  try {
    createTables(database, tables);
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    const result = work(database);
    database.exec('COMMIT');
    return result;
  } finally {
    database.close();
  }
}

/**
 * Reads a table of the database of a folder, also while this or another process uses it. Returns undefined if there is
 * no such table, `damaged` if the database can't be read.
 * @throws PorchlightError `storage_newer`
 */
export async function readRecords<T>(
  dir: string,
  { name }: RecordTable,
  work: (database: Database) => T,
): Promise<T | 'damaged' | undefined> {
  const file = join(dir, recordsName);
  if (!(await isThere(file))) return undefined;
  // The header is not read through fs here: closing a file drops the locks of an open database in this process.
  const alone = openAlone(file);
  let database = alone;
  try {
    database ??= openToRead(file, patienceMs);
    const format = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    if (format > recordsFormat) throw newerDatabase(file, format);
    const known = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name);
    return known === undefined ? undefined : work(database);
  } catch (error) {
    if (sqliteFailure(error) !== 'damaged') throw error;
    return 'damaged';
  } finally {
    if (database !== alone) database?.close();
  }
}

const readAtOnce = 500;

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
    ORDER BY rowid LIMIT ${readAtOnce}`;
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

/**
 * Makes the database of the folder `to` count on from that of the folder `from`, whose place it takes, and writes its
 * known.json. No process may be using the folders.
 * @throws the errors of SQLite and of the file system
 */
export async function keepKnown(from: string, to: string): Promise<void> {
  const before = await readKnown(from);
  const known = await withClosedRecords(to, [], (database) =>
    putKnown(database, [before, knownIn(database)]),
  );
  await writeKnown(to, known);
}

/**
 * Checks records.sqlite in a data folder, without changing it: the file itself, and each row. Returns the problems, as
 * messages for the owner.
 * @throws PorchlightError `storage_newer`
 */
export async function recordsProblems(dir: string, tables: readonly RecordTable[]): Promise<string[]> {
  const file = join(dir, recordsName);
  if (!(await isThere(file))) return (await wasUsed(file)) ? [`The database ${recordsName} is missing.`] : [];
  refuseNewer(file);
  const problems: string[] = [];
  try {
    if (!(await isWholeHere(file))) return [`The database ${recordsName} is damaged.`];
    if (!(await knowsEnough(file)))
      problems.push(`The database ${recordsName} is older than ${knownName} says, or its log was lost.`);
    for (const table of tables) {
      let broken = 0;
      const ended = await eachRow(
        dir,
        table,
        () => undefined,
        () => void (broken += 1),
      );
      if (broken > 0) problems.push(`${broken} of the rows of “${table.name}” can’t be read.`);
      if (ended === 'damaged') return [...problems, `The database ${recordsName} is damaged.`];
    }
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    problems.push(`The database ${recordsName} can’t be read (${String(error)}).`);
  }
  return problems;
}

/** The secrets in rows, by table and rowid. A backup has them only in its encrypted part. */
export const RowSecrets = Type.Record(
  Type.String({ pattern: '^[a-z_]{1,60}$' }),
  Type.Record(Type.String({ pattern: '^\\d{1,15}$' }), Type.String({ minLength: 1, maxLength: 8192 })),
);
export type RowSecrets = Static<typeof RowSecrets>;

/** Returns the secrets in all rows. */
export async function secretsInRows(
  records: Pick<Records, 'rows'>,
  tables: readonly RecordTable[],
): Promise<RowSecrets> {
  const all: RowSecrets = {};
  for (const { name, secretColumn } of tables) {
    if (secretColumn === undefined) continue;
    const found: [string, string][] = [];
    for (let after = 0; ;) {
      const some = records.rows(
        ({ place, secret }): [string, string] => [String(place), String(secret)],
        `SELECT rowid AS place, ${secretColumn} AS secret FROM ${name}
          WHERE rowid > ? AND ${secretColumn} IS NOT NULL ORDER BY rowid LIMIT ${readAtOnce}`,
        after,
      );
      found.push(...some);
      const last = some.at(-1);
      if (last === undefined) break;
      after = Number(last[0]);
      await nextTurn();
    }
    all[name] = Object.fromEntries(found);
  }
  return all;
}

/**
 * Puts secrets into the rows of a folder that was unpacked from a backup, and deletes the rows whose secrets are
 * missing or unsound: without its secret, a row would say something else. Returns the number of deleted rows.
 */
export async function restoreRowSecrets(
  dir: string,
  tables: readonly RecordTable[],
  secrets: RowSecrets,
): Promise<number> {
  return withClosedRecords(dir, tables, (database) => {
    let deleted = 0;
    for (const table of tables) {
      const { name, secretColumn } = table;
      if (secretColumn === undefined) continue;
      const isSealed = `${secretColumn} = '${sealedSecret}'`;
      const sealed = database.prepare(
        `SELECT ${columnsOf(table).join(', ')} FROM ${name} WHERE rowid = ? AND ${isSealed}`,
      );
      const put = database.prepare(`UPDATE ${name} SET ${secretColumn} = ? WHERE rowid = ?`);
      for (const [place, secret] of Object.entries(secrets[name] ?? {})) {
        const row = sealed.get(Number(place));
        if (row && isSoundRow(table, { ...row, [secretColumn]: secret })) put.run(secret, Number(place));
      }
      deleted += Number(database.prepare(`DELETE FROM ${name} WHERE ${isSealed}`).run().changes);
    }
    return deleted;
  });
}
