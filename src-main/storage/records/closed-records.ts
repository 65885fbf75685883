import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { sqliteFailure, type Database } from '../sqlite.ts';
import { isThere } from '../presence.ts';
import type { RecordTable } from './record-table.ts';
import {
  createTables,
  openAlone,
  openDatabase,
  openToRead,
  newerDatabase,
  recordsFormat,
  recordsName,
  refuseNewer,
} from './records-file.ts';

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
