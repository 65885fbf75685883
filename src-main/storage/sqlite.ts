import type * as NodeSqlite from 'node:sqlite';

/**
 * The first version of SQLite that can't damage a database if one connection writes while another one makes a
 * checkpoint (https://sqlite.org/wal.html#walresetbug). Node's interface has all that Porchlight uses by then.
 */
const firstSafe = '3.51.3';

/**
 * SQLite, with the interface of `node:sqlite`: Node's own where its version is safe, otherwise the package that copies
 * it. Nothing else in Porchlight imports either, and nothing else tells them apart.
 */
export const { DatabaseSync } = builtIn() ?? (await fromPackage());

/** An open SQLite database. */
export type Database = NodeSqlite.DatabaseSync;

/** A prepared statement of a `Database`. */
export type Statement = NodeSqlite.StatementSync;

/** What an error of SQLite says about the file, the disk or other processes. */
export type SqliteFailure = 'busy' | 'damaged' | 'full' | 'io' | 'readonly';

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const failures = new Map<number, SqliteFailure>([
  [5, 'busy'],
  [8, 'readonly'],
  [10, 'io'],
  [11, 'damaged'],
  [13, 'full'],
  // The file can't be opened.
  [14, 'io'],
  // The file is not a database.
  [26, 'damaged'],
]);

/** The extended result code for the shared memory of a write-ahead log that can't grow. */
const noRoomForSharedMemory = 4874;

/** Classifies an error of SQLite. Returns undefined for other errors, such as a mistake in a query. */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  if (error.errcode === noRoomForSharedMemory) return 'full';
  // The higher bits say more about the same failure.
  return failures.get(error.errcode & 0xff);
}

/** The extended result codes for shared memory that can't be opened, sized, locked or mapped, and for its lock protocol. */
const sharedMemoryCodes = new Set([4618, 4874, 5130, 5386, 15]);
const cantOpen = 14;

/**
 * Returns whether an error of SQLite may say that the disk has no memory that connections can share, such as a network
 * drive. If SQLite can't create the file of that memory, its error is the one for any file that can't be opened.
 */
export const isWithoutSharedMemory = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  (sharedMemoryCodes.has(error.errcode) || (error.errcode & 0xff) === cantOpen);

/** The result code for a virtual table, such as one of full text, whose content is damaged. */
const corruptVirtualTable = 267;

/** Returns whether an error of SQLite says that the content of a virtual table is damaged, and not the file. */
export const isVirtualTableDamaged = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === corruptVirtualTable;

/** Returns Node's own SQLite; undefined if this Node has none, or a version that isn't safe. */
function builtIn(): typeof NodeSqlite | undefined {
  const { sqlite: version } = process.versions;
  if (version !== undefined && isOlder(version, firstSafe)) return undefined;
  // Not an import, because bundlers and older versions of Node would try to find the module.
  return process.getBuiltinModule('node:sqlite');
}

/** Returns whether a version has a smaller number than `other` in the first place where they differ. */
function isOlder(version: string, other: string): boolean {
  const [numbers, others] = [version, other].map((text) => text.split('.').map(Number)) as [
    number[],
    number[],
  ];
  const at = others.findIndex((number, index) => number !== numbers[index]);
  return at !== -1 && (numbers[at] ?? 0) < (others[at] ?? 0);
}

/** Imports the package. Its types say less in a few places, such as the iterators of statements. */
async function fromPackage(): Promise<typeof NodeSqlite> {
  return (await import('@photostructure/sqlite')) as unknown as typeof NodeSqlite;
}
