import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Statement } from '../sqlite.ts';
import { columnsOf, type RecordTable, type Row } from './record-table.ts';

/** The name of the column with the rowid in the queries of this file. */
const place = '_place';
/** How many rows, or failed attempts, before other work runs. */
const rowsAtOnce = 500;
/** The maximum number of attempts to find readable rows between unreadable ones, per table. */
const mostAttempts = 20_000;
/** How far to search for rows behind the last readable one, in rowids. */
const tailRowids = 4096;
const lastRowid = Number.MAX_SAFE_INTEGER;

/** A range of rowids, of which the last one is not included. */
interface Range {
  readonly from: number;
  readonly below: number;
}

/**
 * Reads every row of a table that SQLite can still reach, even if pages in between are damaged. Returns the rows
 * unchecked, in no particular order. Calls `lost` if a part of the table can't be read.
 */
export async function* readableRows(
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
export const primaryKey = (rows: readonly Readonly<Record<string, unknown>>[]): string[] =>
  rows
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((one, other) => Number(one['pk']) - Number(other['pk']))
    .map(({ name }) => String(name));

async function* byRowid(database: Database, { name, columns }: Shape, lost: () => void): AsyncGenerator<Row> {
  const query = database.prepare(
    `SELECT rowid AS ${place}, ${columns.join(', ')} FROM ${name} NOT INDEXED WHERE rowid >= ? AND rowid < ? ORDER BY rowid`,
  );
  const gaps: Range[] = [];

  /** Returns the rows of a range, up to the first failure. Then returns the first rowid that could not be read. */
  async function* ascending({ from, below }: Range): AsyncGenerator<Row, number | undefined> {
    let next = from;
    let count = 0;
    try {
      for (const { [place]: rowid, ...row } of query.iterate(from, below)) {
        next = Number(rowid) + 1;
        yield row as Row;
        count += 1;
        if (count % rowsAtOnce === 0) await nextTurn();
      }
      return undefined;
    } catch {
      return next;
    }
  }

  const isReadable = (from: number): boolean => canStart(query, from);

  let failed = yield* ascending({ from: 0, below: lastRowid });
  if (failed !== undefined) lost();
  // Jumps over each unreadable part, and reads on behind it.
  while (failed !== undefined) {
    const behind = firstReadable(failed, isReadable);
    gaps.push({ from: failed, below: behind ?? failed + tailRowids });
    failed = behind === undefined ? undefined : yield* ascending({ from: behind, below: lastRowid });
    await nextTurn();
  }
  // There may be readable pages between several unreadable ones.
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const gap = gaps.shift();
    if (gap === undefined) return;
    const middle = gap.from + Math.floor((gap.below - gap.from) / 2);
    const end = yield* ascending({ from: middle, below: gap.below });
    if (middle > gap.from) gaps.push({ from: gap.from, below: middle });
    if (end !== undefined && Math.max(end, middle + 1) < gap.below)
      gaps.push({ from: Math.max(end, middle + 1), below: gap.below });
    if (attempt % rowsAtOnce === 0) await nextTurn();
  }
}

/** Returns whether SQLite can read the first row from a rowid on, or finds that there is none. */
function canStart(query: Statement, from: number): boolean {
  try {
    query.get(from, lastRowid);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a rowid behind an unreadable part, from which reading works again; undefined if there is none. Doubles the
 * distance, and then searches backwards for the end of the part.
 */
function firstReadable(failed: number, isReadable: (from: number) => boolean): number | undefined {
  let unreadable = failed;
  let distance = 1;
  while (!isReadable(failed + distance)) {
    unreadable = failed + distance;
    distance *= 2;
    if (failed + distance >= lastRowid) return undefined;
  }
  let readable = failed + distance;
  while (readable - unreadable > 1) {
    const middle = unreadable + Math.floor((readable - unreadable) / 2);
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
        if (count % rowsAtOnce === 0) await nextTurn();
      }
      return;
    } catch {
      lost();
    }
  }
}
