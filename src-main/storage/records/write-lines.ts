import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../sqlite.ts';
import type { TableInLines } from './record-table.ts';

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
