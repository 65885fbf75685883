import type { LineFileState } from '../line-file.ts';
import type { IndexDatabase } from './index-database.ts';

/** How much of a line file the index was built from, in bytes and lines. */
export interface IndexedFile extends LineFileState {
  readonly lines: number;
}

/** The line files that a part of the index was built from, by name. */
export interface IndexedFiles {
  names(): string[];
  get(name: string): IndexedFile | undefined;
  set(name: string, indexed: IndexedFile): void;
  /** Removes the entry of a file that no longer exists. */
  remove(name: string): void;
}

/** Returns the statement that creates the table for `indexedFiles`. */
export const indexedFilesTable = (table: string) => `
    CREATE TABLE ${table} (
      file TEXT PRIMARY KEY, size INTEGER NOT NULL, inode TEXT NOT NULL, changed TEXT NOT NULL,
      lines INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** Opens the list of line files that is stored in `table`. */
export function indexedFiles(index: IndexDatabase, table: string): IndexedFiles {
  return {
    names: () => index.rows(({ file }) => String(file), `SELECT file FROM ${table} ORDER BY file`),
    get: (name) =>
      index.rows(
        ({ size, inode, changed, lines }) => ({
          ...{ size: Number(size), inode: String(inode), changed: String(changed), lines: Number(lines) },
        }),
        `SELECT * FROM ${table} WHERE file = ?`,
        name,
      )[0],
    set(name, { size, inode, changed, lines }) {
      const sql = `INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?)`;
      index.run(sql, name, size, inode, changed, lines);
    },
    remove: (name) => void index.run(`DELETE FROM ${table} WHERE file = ?`, name),
  };
}
