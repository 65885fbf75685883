/** Returns text without NUL characters, because SQLite would cut the text off at the first NUL. */
export const storable = (text: string): string => text.replaceAll('\0', '');

/** Returns text in lower case, as it is stored for searching, because the trigram index is case-sensitive. */
export const searchable = (text: string): string => storable(text).toLowerCase();

/**
 * Returns a query for the rows of an FTS5 table that contain `text` in the column `words`, and the value for the
 * query's placeholder.
 */
export function containing(table: string, text: string): { sql: string; cell: string } {
  const words = searchable(text);
  // A trigram index cannot find text that is shorter than three characters.
  return Array.from(words).length >= 3
    ? { sql: `SELECT rowid FROM ${table} WHERE words MATCH ?`, cell: `"${words.replaceAll('"', '""')}"` }
    : { sql: `SELECT rowid FROM ${table} WHERE instr(words, ?) > 0`, cell: words };
}
