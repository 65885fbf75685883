import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Statement } from '../sqlite.ts';
import { cellsOf, columnsOf, insertInto, isSoundRow, type RecordTable, type Row } from './record-table.ts';

/** The maximum number of rows in one transaction. */
const salvagedAtOnce = 500;

type Merge = (older: Row | undefined, damaged: Row | undefined) => Row | undefined;
type Distrust = ((row: Row) => Row) | undefined;

interface Sources {
  /** The damaged database; undefined if it is missing, or if nothing of it can be read. */
  readonly damaged: Database | undefined;
  /** The damaged database without its write-ahead log. It counts as an older copy, if the log makes it unreadable. */
  readonly withoutLog: Database | undefined;
  /** The newest whole copy of the database; undefined if there is none. */
  readonly copy: Database | undefined;
  /** Whether endings may be missing in all of them. */
  readonly isOlder?: boolean;
}

/**
 * Fills a table of a new database with the rows of a damaged one and of its copy, by the table's rules (see
 * RecordTable). Leaves out rows that Porchlight could not have written. Returns whether rows of the damaged database
 * may be missing.
 */
export async function mergeRows(database: Database, table: RecordTable, sources: Sources): Promise<boolean> {
  const { damaged, copy } = sources;
  const rule = (table.merge?.bind(table) ?? ((before, now) => now ?? before)) as Merge;
  const distrusted = sources.isOlder === true ? (table.distrusted?.bind(table) as Distrust) : undefined;
  const merge: Merge = (before, now) => {
    const kept = rule(before, now);
    return kept && distrusted ? distrusted(kept) : kept;
  };
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
      if (count === salvagedAtOnce) await end();
    },
    end,
  };
}

/** The name of the column with the rowid in the queries of this file. */
const place = '_place';
/** How often to look for the next readable row behind an unreadable one. 64 jumps lead over two million rowids. */
const mostJumps = 64;

/**
 * Reads every row of a table that SQLite can still reach, even if pages in between are damaged. Returns the rows
 * unchecked, in no particular order. Calls `lost` if a part of the table can't be read.
 */
async function* readableRows(
  database: Database,
  table: RecordTable,
  lost: () => void,
): AsyncGenerator<Row, void> {
  const shape = shapeIn(database, table);
  if (shape === undefined) lost();
  if (shape === undefined || shape.columns.length === 0) return;
  try {
    yield* shape.hasRowid ? byRowid(database, shape, lost) : fromBothEnds(database, shape, lost);
  } catch {
    lost();
  }
}

interface Shape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly hasRowid: boolean;
}

/** Returns what a database has of a table; no columns if the table is missing, undefined if that can't be read. */
function shapeIn(database: Database, table: RecordTable): Shape | undefined {
  try {
    const found = database.prepare('SELECT name, pk FROM pragma_table_info(?)').all(table.name);
    const names = new Set(found.map(({ name }) => String(name)));
    const listed = database.prepare('SELECT wr FROM pragma_table_list WHERE name = ?').get(table.name);
    return {
      name: table.name,
      columns: columnsOf(table).filter((column) => names.has(column)),
      key: primaryKey(found),
      hasRowid: listed?.['wr'] !== 1,
    };
  } catch {
    return undefined;
  }
}

/** Returns the columns of the primary key, in its order, from the rows of pragma_table_info. */
const primaryKey = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  rows
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((one, other) => Number(one['pk']) - Number(other['pk']))
    .map(({ name }) => String(name));

/** Reads the rows up to the first one that can't be read, and on from the next readable one, and so on. */
async function* byRowid(database: Database, { name, columns }: Shape, lost: () => void): AsyncGenerator<Row> {
  const query = database.prepare(
    `SELECT rowid AS ${place}, ${columns.join(', ')} FROM ${name} NOT INDEXED WHERE rowid >= ? ORDER BY rowid`,
  );
  for (let from: number | undefined = 0, count = 0; from !== undefined;) {
    let next: number = from;
    try {
      for (const { [place]: rowid, ...row } of query.iterate(from)) {
        next = Number(rowid) + 1;
        yield row as Row;
        count += 1;
        if (count % salvagedAtOnce === 0) await nextTurn();
      }
      return;
    } catch {
      lost();
      from = firstReadable(query, next);
    }
    await nextTurn();
  }
}

/**
 * Returns the rowid from which reading works again behind the rowid `failed`; undefined if it isn't found. Jumps a little
 * farther each time, so that it skips no readable page, and then goes back to the end of the unreadable part.
 */
function firstReadable(query: Statement, failed: number): number | undefined {
  let jumps = 0;
  const isReadable = (from: number): boolean => {
    jumps += 1;
    try {
      query.get(from);
      return true;
    } catch {
      return false;
    }
  };
  let unreadable = failed;
  let readable = failed + 1;
  while (!isReadable(readable)) {
    if (jumps === mostJumps) return undefined;
    unreadable = readable;
    readable += Math.max(1, Math.floor((readable - failed) / 4));
  }
  while (readable - unreadable > 1 && jumps < mostJumps) {
    const middle = Math.floor((unreadable + readable) / 2);
    if (isReadable(middle)) readable = middle;
    else unreadable = middle;
  }
  return readable;
}

/** Reads a table without rowids, whose keys have no known distance: from the start, and then from the end. */
async function* fromBothEnds(
  database: Database,
  { name, columns, key }: Shape,
  lost: () => void,
): AsyncGenerator<Row> {
  for (const direction of ['ASC', 'DESC']) {
    const order = key.map((column) => `${column} ${direction}`).join(', ');
    let count = 0;
    try {
      const query = database.prepare(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${order}`);
      for (const row of query.iterate()) {
        yield row as Row;
        count += 1;
        if (count % salvagedAtOnce === 0) await nextTurn();
      }
      return;
    } catch {
      lost();
    }
  }
}
