import type { IndexDatabase, IndexPart } from '../../storage/index/index-database.ts';

/**
 * The index tables for files in the owner's folder that may be posts. Porchlight adopts a file (treats it as a post) if
 * it can read the file as a post and didn't publish the file itself. `stamp`: the version of the file when it was read.
 * `url`: the URL of the file's post; null if the file isn't adopted. `problem`: why the file isn't adopted; null for an
 * adopted post, and for a file that Porchlight published. `adopted_rules`: the rules that were in effect when the files
 * were read.
 */
export const adoptedTables: IndexPart = {
  name: 'adopted',
  tables: `
    CREATE TABLE adopted_files (file TEXT PRIMARY KEY, stamp TEXT NOT NULL, url TEXT, problem TEXT)
      STRICT, WITHOUT ROWID;
    CREATE INDEX adopted_by_url ON adopted_files (url);
    CREATE TABLE adopted_rules (text TEXT NOT NULL) STRICT;`,
};

/** One row of the index: a file, and the result of reading it as a post. */
export interface AdoptedRow {
  readonly file: string;
  readonly stamp: string;
  readonly url: string | null;
  readonly problem: string | null;
}

/** The number of posts that Porchlight adopted, and the reasons why other files aren't adopted. */
export interface AdoptionSummary {
  readonly posts: number;
  /** The problems, most frequent first. `example`: a file that has the problem. */
  readonly problems: { readonly words: string; readonly files: number; readonly example: string }[];
}

/** Creates the index of adopted posts (posts in the owner's folder that Porchlight didn't publish) in a database. */
export function adoptedIndex(index: IndexDatabase) {
  return {
    stampOf: (file: string) =>
      index.rows(({ stamp }) => String(stamp), 'SELECT stamp FROM adopted_files WHERE file = ?', file)[0],

    /** Returns up to `count` files that come after `file` in the index, sorted by path. */
    filesAfter: (file: string, count: number) =>
      index.rows(
        (row) => String(row['file']),
        'SELECT file FROM adopted_files WHERE file > ? ORDER BY file LIMIT ?',
        ...[file, count],
      ),

    /** Replaces the rows of the given files, and deletes the rows of files that no longer exist. */
    update(rows: readonly AdoptedRow[], gone: readonly string[]): void {
      index.together(() => {
        for (const { file, stamp, url, problem } of rows)
          index.run('INSERT OR REPLACE INTO adopted_files VALUES (?, ?, ?, ?)', file, stamp, url, problem);
        for (const file of gone) index.run('DELETE FROM adopted_files WHERE file = ?', file);
      });
    },

    /** Deletes all rows if they were made with different adoption rules. `text`: the current rules. */
    useRules(text: string): void {
      const [known] = index.rows((row) => String(row['text']), 'SELECT text FROM adopted_rules');
      if (known === text) return;
      index.together(() => {
        index.run('DELETE FROM adopted_files');
        index.run('DELETE FROM adopted_rules');
        index.run('INSERT INTO adopted_rules VALUES (?)', text);
      });
    },

    /** Returns the file whose post has this URL; undefined if no file or more than one file matches. */
    fileAt(url: string): string | undefined {
      const sql = 'SELECT file FROM adopted_files WHERE url = ? LIMIT 2';
      const files = index.rows(({ file }) => String(file), sql, url);
      return files.length === 1 ? files[0] : undefined;
    },

    summary(): AdoptionSummary {
      const [posts = 0] = index.rows(
        ({ n }) => Number(n),
        'SELECT count(*) AS n FROM adopted_files WHERE url IS NOT NULL',
      );
      const problems = index.rows(
        ({ problem, n, example }) => ({ words: String(problem), files: Number(n), example: String(example) }),
        `SELECT problem, count(*) AS n, min(file) AS example FROM adopted_files WHERE problem IS NOT NULL
         GROUP BY problem ORDER BY n DESC, problem`,
      );
      return { posts, problems };
    },
  };
}
