import { mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { jsonText } from '../file-content.ts';
import type { Database } from '../sqlite.ts';
import type { DocumentsOfRows, TableInLines } from './record-table.ts';

/** The folder with the rows of all tables in a backup: `records/<table>.jsonl`. */
export const linesFolder = 'records';

/** How much text to collect before it is written, in characters. Other work can run in between. */
const chunkChars = 65_536;

/**
 * Writes `<table>.jsonl` for each table into a folder, which is created: one row per line, with its format. The files
 * are readable only by their owner, and on disk when the promise resolves.
 */
export async function writeLines(
  database: Database,
  tables: readonly TableInLines[],
  dir: string,
): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const table of tables) {
    const file = await open(join(dir, `${table.name}.jsonl`), 'wx', 0o600);
    try {
      for (const text of linesIn(database, table)) await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

function* linesIn(database: Database, { name, columns, format }: TableInLines): Generator<string> {
  let text = '';
  for (const row of database.prepare(`SELECT ${columns.join(', ')} FROM ${name}`).iterate()) {
    text += `${JSON.stringify({ format, ...row })}\n`;
    if (text.length < chunkChars) continue;
    yield text;
    text = '';
  }
  yield text;
}

interface RowsToWrite {
  readonly dir: string;
  readonly tables: readonly TableInLines[];
  readonly documents: readonly DocumentsOfRows[];
}

/** Writes rows into a folder: `records/<table>.jsonl` for each table, and the documents of others. */
export async function writeRows(database: Database, { dir, tables, documents }: RowsToWrite): Promise<void> {
  await writeLines(database, tables, join(dir, linesFolder));
  for (const one of documents) await writeDocuments(database, one, dir);
}

/** Writes the documents that a backup has in place of rows into a folder. The files are readable only by their owner. */
async function writeDocuments(
  database: Database,
  { folder, query }: DocumentsOfRows,
  dir: string,
): Promise<void> {
  let made = '';
  for (const { path, text } of database.prepare(query).iterate()) {
    const file = join(dir, folder, String(path));
    if (dirname(file) !== made) await mkdir((made = dirname(file)), { recursive: true, mode: 0o700 });
    await writeFile(file, jsonText(JSON.parse(String(text))), { mode: 0o600, flag: 'wx' });
  }
}
