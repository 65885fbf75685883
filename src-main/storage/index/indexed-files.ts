import type { LineFileState } from '../line-file.ts';
import type { IndexDatabase, Row } from './index-database.ts';

/** How much of a journal file is in the index, in bytes and in lines. */
export interface IndexedFile extends LineFileState {
  readonly lines: number;
}

/** Returns the SQL statement that creates the table for `indexedFiles`. */
export const indexedFilesTable = (table: string) => `
    CREATE TABLE ${table} (
      file TEXT PRIMARY KEY, size INTEGER NOT NULL, inode TEXT NOT NULL, changed TEXT NOT NULL,
      lines INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** Opens the list of the files from which a part of the index was built. The list is stored in `table`. */
export function indexedFiles(index: IndexDatabase, table: string) {
  return {
    names: () => index.rows(({ file }) => String(file), `SELECT file FROM ${table} ORDER BY file`),
    get(name: string): IndexedFile | undefined {
      return index.rows(indexedFileIn, `SELECT * FROM ${table} WHERE file = ?`, name)[0];
    },
    set(name: string, { size, inode, changed, lines }: IndexedFile): void {
      const sql = `INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?, ?, ?)`;
      index.run(sql, name, size, inode, changed, lines);
    },
    /** Removes the entry of a file that no longer exists. */
    remove: (name: string) => void index.run(`DELETE FROM ${table} WHERE file = ?`, name),
  };
}

export type IndexedFiles = ReturnType<typeof indexedFiles>;

const indexedFileIn = ({ size, inode, changed, lines }: Row): IndexedFile => ({
  ...{ size: Number(size), inode: String(inode), changed: String(changed), lines: Number(lines) },
});
