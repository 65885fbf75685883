import { type Static, Type } from 'typebox';
import { closed, orNull } from '../../contract/shapes.ts';
import { readRow, recordTable } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';

/**
 * The files in the owner's folder that may be posts. Porchlight adopts a file (treats it as a post) if it can read the
 * file as a post and didn't publish the file itself. `stamp`: the version of the file when it was read. `url`: the URL of
 * the file's post; null if the file isn't adopted. `problem`: why the file isn't adopted; null for an adopted post, and
 * for a file that Porchlight published. `adopted_rules`: the rules that were in effect when the files were read.
 */
export const adoptedTable = recordTable({
  name: 'adopted_files',
  row: closed({
    file: Type.String({ maxLength: 4096 }),
    stamp: Type.String({ maxLength: 200 }),
    url: orNull(Type.String({ maxLength: 4096 })),
    problem: orNull(Type.String({ maxLength: 4096 })),
  }),
  // The folder is a folder of this computer, and is read again.
  belongsHere: true,
  create: `
    CREATE TABLE IF NOT EXISTS adopted_files (
      seq INTEGER PRIMARY KEY, file TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, url TEXT, problem TEXT) STRICT;
    CREATE INDEX IF NOT EXISTS adopted_by_url ON adopted_files (url);
    CREATE TABLE IF NOT EXISTS adopted_rules (text TEXT NOT NULL) STRICT;`,
  format: 1,
});

/** One row: a file, and the result of reading it as a post. */
export type AdoptedRow = Static<typeof adoptedTable.row>;

/** The number of posts that Porchlight adopted, and the reasons why other files aren't adopted. */
export interface AdoptionSummary {
  readonly posts: number;
  /** The problems, most frequent first. `example`: a file that has the problem. */
  readonly problems: { readonly words: string; readonly files: number; readonly example: string }[];
}

/** Creates the queries and changes of the files that may be posts. */
export function adoptedIndex(records: Pick<Records, 'rows' | 'write'>) {
  return {
    row: (file: string): AdoptedRow | undefined =>
      records.rows(
        (row) => readRow(adoptedTable, row),
        'SELECT file, stamp, url, problem FROM adopted_files WHERE file = ?',
        file,
      )[0],

    /** Returns up to `count` files that come after `file`, sorted by path. */
    filesAfter: (file: string, count: number) =>
      records.rows(
        (row) => String(row['file']),
        'SELECT file FROM adopted_files WHERE file > ? ORDER BY file LIMIT ?',
        file,
        count,
      ),

    /** Replaces the rows of the given files, and deletes the rows of files that no longer exist. */
    async update(rows: readonly AdoptedRow[], gone: readonly string[]): Promise<void> {
      if (rows.length + gone.length === 0) return;
      const put = `INSERT INTO adopted_files (file, stamp, url, problem) VALUES (?, ?, ?, ?)
        ON CONFLICT (file) DO UPDATE SET stamp = excluded.stamp, url = excluded.url, problem = excluded.problem`;
      await records.write(({ run }) => {
        for (const { file, stamp, url, problem } of rows) run(put, file, stamp, url, problem);
        for (const file of gone) run('DELETE FROM adopted_files WHERE file = ?', file);
      });
    },

    /** Deletes all rows if they were made with different adoption rules. `text`: the current rules. */
    async useRules(text: string): Promise<void> {
      const [known] = records.rows((row) => String(row['text']), 'SELECT text FROM adopted_rules');
      if (known === text) return;
      await records.write(({ run }) => {
        run('DELETE FROM adopted_files');
        run('DELETE FROM adopted_rules');
        run('INSERT INTO adopted_rules VALUES (?)', text);
      });
    },

    /** Returns the file whose post has this URL; undefined if no file or more than one file matches. */
    fileAt(url: string): string | undefined {
      const sql = 'SELECT file FROM adopted_files WHERE url = ? LIMIT 2';
      const files = records.rows(({ file }) => String(file), sql, url);
      return files.length === 1 ? files[0] : undefined;
    },

    summary(): AdoptionSummary {
      const [posts = 0] = records.rows(
        ({ n }) => Number(n),
        'SELECT count(*) AS n FROM adopted_files WHERE url IS NOT NULL',
      );
      const problems = records.rows(
        ({ problem, n, example }) => ({ words: String(problem), files: Number(n), example: String(example) }),
        `SELECT problem, count(*) AS n, min(file) AS example FROM adopted_files WHERE problem IS NOT NULL
         GROUP BY problem ORDER BY n DESC, problem`,
      );
      return { posts, problems };
    },
  };
}
