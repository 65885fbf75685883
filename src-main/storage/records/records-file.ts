import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { PorchlightError } from '../../contract/error.ts';
import { DatabaseSync, isWithoutSharedMemory, sqliteFailure, type Database } from '../sqlite.ts';
import { createKnown } from './known.ts';
import type { RecordTable } from './record-table.ts';

/** The name of the database in the data folder. */
export const recordsName = 'records.sqlite';
/** The files that SQLite keeps beside a database. */
export const besideDatabase = ['-wal', '-shm'];
/** The format of the database, stored as its user_version. */
export const recordsFormat = 1;
/** The application id in the header of the database: "Porc". */
const applicationId = 0x506f7263;

const headerBytes = 100;
const magic = 'SQLite format 3\0';
const pageSizeAt = 16;
const pagesAt = 28;
const versionAt = 60;
const applicationAt = 68;

/** The open database. */
export interface RecordsFile {
  readonly database: Database;
  /** A handle of the write-ahead log, for syncing it without SQLite; undefined for a database that is only read. */
  readonly log: FileHandle | undefined;
  /** Whether no other connection can be opened, because the disk has no memory that connections can share. */
  readonly isAlone: boolean;
  /** Returns whether the database is still at its path. */
  isAtPath(): boolean;
  /** Returns whether the write-ahead log is still at its path. */
  isLogAtPath(): boolean;
}

/**
 * Opens the database, and creates it if it is missing. Makes the first write, because SQLite syncs the header of a new
 * write-ahead log on the thread that writes.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export async function openRecordsFile(file: string, tables: readonly RecordTable[]): Promise<RecordsFile> {
  refuseNewer(file);
  // Create the file first, readable only by its owner. SQLite gives its other files the same mode.
  closeSync(openSync(file, 'a', 0o600));
  const database = openDatabase(file);
  try {
    createTables(database, tables);
    const log = await open(`${file}-wal`, 'r+');
    const [isAtPath, isLogAtPath] = [staysAt(file), staysAt(`${file}-wal`)];
    const isAlone = isAloneAt(database);
    if (isAlone) alone.set(file, { database, isAtPath });
    return { database, log, isAlone, isAtPath, isLogAtPath };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The open databases of this process to which no other connection can be opened, by path. */
const alone = new Map<string, Pick<RecordsFile, 'database' | 'isAtPath'>>();

/** Returns the open database at a path, if no other connection to it can be opened. */
export function openAlone(file: string): Database | undefined {
  const open = alone.get(file);
  if (open?.database.isOpen === true && open.isAtPath()) return open.database;
  alone.delete(file);
  return undefined;
}

/**
 * Opens a connection to a database that exists. `waitMs`: how long its statements wait for another connection. On a disk
 * without shared memory, such as a network drive, the connection keeps all others out.
 */
export function openDatabase(file: string, { waitMs = 0 } = {}): Database {
  try {
    return connect(file, waitMs, '');
  } catch (error) {
    if (!isWithoutSharedMemory(error)) throw error;
    try {
      return connect(file, waitMs, 'PRAGMA locking_mode = EXCLUSIVE;');
    } catch {
      // Something else is wrong.
      throw error;
    }
  }
}

/**
 * Opens a connection that keeps all others out and so far has written nothing: it needs no memory that connections
 * share.
 */
export function openExclusively(file: string): Database {
  const database = new DatabaseSync(file);
  try {
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 0; SELECT count(*) FROM sqlite_schema`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns whether a connection keeps all others out. */
const isAloneAt = (database: Database): boolean =>
  database.prepare('PRAGMA locking_mode').get()?.['locking_mode'] === 'exclusive';

/**
 * Opens a connection that changes nothing. On a disk without shared memory, it keeps all others out, and may move the
 * write-ahead log into the database when it is closed.
 */
export function openToRead(file: string, waitMs: number): Database {
  const database = new DatabaseSync(file, { readOnly: true, timeout: waitMs });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch (error) {
    database.close();
    if (!isWithoutSharedMemory(error)) throw error;
    return openDatabase(file, { waitMs });
  }
}

function connect(file: string, waitMs: number, first: string): Database {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    // With `synchronous = NORMAL`, SQLite syncs only at checkpoints, which are made by another thread. Both settings come
    // first, because auto_vacuum, which has to be set before the first table is created, writes into any database.
    database.exec(`${first} PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL; PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;
      PRAGMA journal_size_limit = 16777216; SELECT count(*) FROM sqlite_schema`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens a database that no process writes to, without creating any file beside it. */
export const openUnchanged = (file: string): Database =>
  new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });

/** Returns whether SQLite finds the structure of a database whole. Takes time that grows with the data. */
export const isWhole = (database: Database): boolean =>
  database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';

/** Returns whether each table can be read from its start. Takes a few pages of each, however large it is. */
export function hasReadableRoots(database: Database, tables: readonly RecordTable[]): boolean {
  try {
    for (const { name } of tables) database.prepare(`SELECT 1 FROM ${name} NOT INDEXED LIMIT 1`).get();
    return true;
  } catch (error) {
    if (sqliteFailure(error) !== 'damaged') throw error;
    return false;
  }
}

/**
 * Moves the whole write-ahead log into a database, while nobody writes. Then makes the first write, which starts the log
 * anew. Returns whether that was possible.
 */
export function checkpointWhole(database: Database): boolean {
  const isDone = emptyLog(database);
  // Changes nothing, but writes.
  if (isDone) database.exec(`PRAGMA user_version = ${pragma(database, 'user_version')}`);
  return isDone;
}

/** Moves the whole write-ahead log into a database, while nobody writes. Returns whether that was possible. */
export const emptyLog = (database: Database): boolean => pragma(database, 'wal_checkpoint(TRUNCATE)') === 0;

/** The number of free pages that a database keeps for later rows: 1 MB. */
const keptPages = 256;
const pagesAtOnce = 64;

/** Returns whether a database has so many free pages that it is worth to give them back to the disk: 4 MB. */
export const hasManyFreePages = (database: Database): boolean =>
  pragma(database, 'freelist_count') >= 4 * keptPages;

/** Gives some free pages of a database back to the disk. Returns whether few are left, or no fewer than before. */
export function shrinkStep(database: Database): boolean {
  const before = pragma(database, 'freelist_count');
  database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`);
  const left = pragma(database, 'freelist_count');
  return left <= keptPages || left >= before;
}

/** Returns the first number that a pragma answers. */
const pragma = (database: Database, name: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);

/** Creates the tables and columns that are missing, and writes the format. */
export function createTables(database: Database, tables: readonly RecordTable[]): void {
  const added = tables.flatMap((table) => missingColumns(database, table)).join('');
  const all = [createKnown, ...tables.map(({ create }) => create)].join(';\n');
  database.exec(`BEGIN IMMEDIATE; ${added} ${all};
    PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${recordsFormat}; COMMIT`);
}

/** Returns the statements that add the columns which a table of an earlier version lacks. */
function missingColumns(database: Database, { name, addedColumns = {} }: RecordTable): string[] {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(name);
  const known = new Set(columns.map((column) => column['name']));
  if (known.size === 0) return [];
  return Object.entries(addedColumns)
    .filter(([column]) => !known.has(column))
    .map(([column, definition]) => `ALTER TABLE ${name} ADD COLUMN ${column} ${definition};`);
}

/**
 * Makes a first change.
 * @throws an error of SQLite if there is no room for changes
 */
export function tryToChange(database: Database, tables: readonly RecordTable[]): void {
  try {
    createTables(database, tables);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/**
 * Reads the format from the file's header, because opening the file with SQLite would already change it.
 * @throws PorchlightError `storage_newer`
 */
export function refuseNewer(file: string): void {
  const { format = 0 } = headerOf(file) ?? {};
  if (format > recordsFormat) throw newerDatabase(file, format);
}

/** Returns the error for a database of a newer format. */
export function newerDatabase(file: string, format: number): PorchlightError {
  return new PorchlightError(
    'storage_newer',
    `"${file}" was written by a newer Porchlight (format ${format}; this one reads up to ${recordsFormat}). ` +
      'Porchlight left it unchanged. Install the newer Porchlight again. Or move the data folder away, start Porchlight, and restore a backup.',
    500,
  );
}

/** What the file of a database looks like from outside. */
export interface RecordsHeader {
  /** The size of the file, in bytes. */
  readonly size: number;
  /** The format; undefined if the file has no header of Porchlight's database. */
  readonly format?: number;
  /** The size that the header names, in bytes. A write-ahead log beside the file may name another size. */
  readonly namedSize?: number;
}

/** Reads the header of a database that isn't open; undefined if there is no file. */
export function headerOf(file: string): RecordsHeader | undefined {
  if (!existsSync(file)) return undefined;
  const handle = openSync(file, 'r');
  try {
    const { size } = fstatSync(handle);
    const header = Buffer.alloc(headerBytes);
    if (readSync(handle, header) < headerBytes || header.toString('latin1', 0, magic.length) !== magic)
      return { size };
    const pageSize = header.readUInt16BE(pageSizeAt);
    // SQLite writes 1 for the largest size, 65,536.
    const namedSize = header.readUInt32BE(pagesAt) * (pageSize === 1 ? 65_536 : pageSize);
    if (header.readUInt32BE(applicationAt) !== applicationId) return { size, namedSize };
    return { size, namedSize, format: header.readUInt32BE(versionAt) };
  } finally {
    closeSync(handle);
  }
}

/** Returns a function that returns whether the file that is at a path now is still there. */
function staysAt(path: string): () => boolean {
  const placeNow = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const noted = placeNow();
  return () => {
    const now = placeNow();
    return now !== undefined && now.dev === noted?.dev && now.ino === noted.ino;
  };
}
