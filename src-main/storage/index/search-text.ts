/** Text without NUL, at which SQLite would end it. */
export const storable = (text: string): string => text.replaceAll('\0', '');

/** Text as it is stored for searching, in a trigram index that is case-sensitive. */
export const searchable = (text: string): string => storable(text).toLowerCase();

/** Returns the condition that finds the rows of an FTS5 table whose `words` contain `text`, and its cell. */
export function containing(table: string, text: string): { sql: string; cell: string } {
  const words = searchable(text);
  // A trigram index knows nothing shorter than three characters.
  return Array.from(words).length >= 3
    ? { sql: `SELECT rowid FROM ${table} WHERE words MATCH ?`, cell: `"${words.replaceAll('"', '""')}"` }
    : { sql: `SELECT rowid FROM ${table} WHERE instr(words, ?) > 0`, cell: words };
}
