import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Statement } from '../sqlite.ts';
import { cellsOf, columnsOf, insertInto, isSoundRow, type RecordTable, type Row } from './record-table.ts';
import { primaryKey, readableRows } from './salvage.ts';

/** The maximum number of rows in one transaction. */
const rowsAtOnce = 500;

type Merge = (older: Row | undefined, damaged: Row | undefined) => Row | undefined;

interface Sources {
  /** The damaged database; undefined if it is missing, or if nothing of it can be read. */
  readonly damaged: Database | undefined;
  /** The damaged database without its write-ahead log. It counts as an older copy, if the log makes it unreadable. */
  readonly withoutLog: Database | undefined;
  /** The newest whole copy of the database; undefined if there is none. */
  readonly copy: Database | undefined;
}

/**
 * Fills a table of a new database with the rows of a damaged one and of its copy, by the table's rule (see
 * RecordTable). Leaves out rows that Porchlight could not have written. Returns whether rows of the damaged database
 * may be missing.
 */
export async function mergeRows(database: Database, table: RecordTable, sources: Sources): Promise<boolean> {
  const { damaged, copy } = sources;
  const merge = (table.merge?.bind(table) ?? ((before, now) => now ?? before)) as Merge;
  const key = keyOf(database, table);
  const lookUp = (from: Database) => rowWithKey(from, table, key);
  const inCopy = copy && table.merge ? lookUp(copy) : () => undefined;
  const isThere = lookUp(database);
  /** The keys for which the rule keeps nothing. */
  const dropped = new Set<string>();
  const insert = inGroups(database, table);
  let isPartial = damaged === undefined;
  const lost = (): void => void (isPartial = true);

  async function keep(kept: Row | undefined, row: Row): Promise<void> {
    if (kept === undefined) dropped.add(textOfKey(key, row));
    else await insert.add(kept);
  }

  if (damaged !== undefined) {
    for await (const row of readableRows(damaged, table, lost)) {
      if (!isSoundRow(table, row)) lost();
      // A damaged tree may lead to the same row twice.
      else if (!dropped.has(textOfKey(key, row))) await keep(merge(inCopy(row), row), row);
    }
  }
  for (const from of [isPartial ? sources.withoutLog : undefined, copy]) {
    if (from === undefined) continue;
    for await (const row of readableRows(from, table, () => undefined)) {
      if (!isSoundRow(table, row) || dropped.has(textOfKey(key, row)) || isThere(row)) continue;
      await keep(merge(row, undefined), row);
    }
  }
  await insert.end();
  return isPartial;
}

/** Returns the columns that identify a row: the first key that consists of declared columns, or all columns. */
function keyOf(database: Database, table: RecordTable): string[] {
  const columns = columnsOf(table);
  const unique = database
    .prepare(`SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0 ORDER BY seq`)
    .all(table.name);
  const keys = [
    primaryKey(database.prepare('SELECT name, pk FROM pragma_table_info(?)').all(table.name)),
    ...unique.map(({ name }) =>
      database
        .prepare('SELECT name FROM pragma_index_info(?) ORDER BY seqno')
        .all(String(name))
        .map(({ name: column }) => String(column)),
    ),
  ];
  return keys.find((key) => key.length > 0 && key.every((column) => columns.includes(column))) ?? columns;
}

const textOfKey = (key: readonly string[], row: Row) =>
  JSON.stringify(key.map((column) => row[column] ?? null));

/** Returns a function that finds the sound row with the same key; undefined if there is none, or none can be read. */
function rowWithKey(database: Database, table: RecordTable, key: readonly string[]) {
  const isSame = key.map((column) => `${column} IS ?`).join(' AND ');
  let query: Statement | undefined;
  return (row: Row): Row | undefined => {
    try {
      query ??= database.prepare(`SELECT ${columnsOf(table).join(', ')} FROM ${table.name} WHERE ${isSame}`);
      const found = query.get(...key.map((column) => row[column] ?? null));
      return isSoundRow(table, found) ? (found as Row) : undefined;
    } catch {
      return undefined;
    }
  };
}

/** Inserts rows in transactions, so that other work can run in between. */
function inGroups(database: Database, table: RecordTable) {
  // The first row with a key counts, because the better source comes first.
  const insert = database.prepare(insertInto(table).replace('OR REPLACE', 'OR IGNORE'));
  let count = 0;

  async function end(): Promise<void> {
    if (database.isTransaction) database.exec('COMMIT');
    count = 0;
    await nextTurn();
  }

  return {
    async add(row: Row): Promise<void> {
      if (!database.isTransaction) database.exec('BEGIN');
      insert.run(...cellsOf(table, row));
      count += 1;
      if (count === rowsAtOnce) await end();
    },
    end,
  };
}
