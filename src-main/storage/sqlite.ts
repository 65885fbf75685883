import type * as NodeSqlite from 'node:sqlite';

/**
 * SQLite, with the interface of `node:sqlite`: Node's own where it is complete, otherwise the package that copies it.
 * Nothing else in Porchlight imports either, and nothing else tells them apart.
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

/** Classifies an error of SQLite. Returns undefined for other errors, such as a mistake in a query. */
export function sqliteFailure(error: unknown): SqliteFailure | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number')
    return undefined;
  // The higher bits say more about the same failure.
  return failures.get(error.errcode & 0xff);
}

/**
 * Returns Node's own SQLite; undefined if this Node has none, or one without the option `timeout` and the property
 * `isTransaction` (before 22.16 and 24.0, which also added `aggregate`).
 */
function builtIn(): typeof NodeSqlite | undefined {
  // Not an import, because bundlers and older versions of Node would try to find the module.
  const sqlite = process.getBuiltinModule('node:sqlite') as typeof NodeSqlite | undefined;
  return sqlite && 'aggregate' in sqlite.DatabaseSync.prototype ? sqlite : undefined;
}

/** Imports the package. Its types say less in a few places, such as the iterators of statements. */
async function fromPackage(): Promise<typeof NodeSqlite> {
  return (await import('@photostructure/sqlite')) as unknown as typeof NodeSqlite;
}
