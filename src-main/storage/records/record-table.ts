import type { Static, TObject } from 'typebox';
import { isValid } from '../schema-check.ts';
import { damagedError } from '../storage-error.ts';

/** The value of a column. Booleans are 1 and 0. */
export type Cell = string | number | null;

/** A row: the values by column name. */
export type Row = Readonly<Record<string, Cell>>;

/** What a backup has of a table. Each table declares it, so that no row of a backup is taken as it is by mistake. */
type InBackups<Values> =
  /** The rows belong to this computer. No backup contains them, and a restore keeps them. */
  | { readonly belongsHere: true; readonly inFiles?: undefined; cleaned?(row: Values): Values | undefined }
  /** Backups have the rows as JSON documents, from which they are read again; null: in those of another table. */
  | {
      readonly inFiles: DocumentsOfRows | null;
      readonly belongsHere?: undefined;
      cleaned(row: Values): Values | undefined;
    }
  | {
      readonly inFiles?: undefined;
      readonly belongsHere?: undefined;
      /**
       * Returns a sound row of a backup with its content cleaned like that of strangers, because anybody can write a
       * backup; undefined to leave the row out. `asChecked`: the schema and `isSound` check all that matters.
       */
      cleaned(row: Values): Values | undefined;
    };

/** The documents that a backup has in place of rows. */
export interface DocumentsOfRows {
  /** The folder of the documents, in the data folder. */
  readonly folder: string;
  /** Returns `path`, below the folder, and `text`, the JSON of each document. */
  readonly query: string;
}

/** The `cleaned` of a table of which nothing is shown as markup, or used as a link or a path without another check. */
export const asChecked = <Values>(row: Values): Values => row;

/** A feature's table in records.sqlite. `T`: what a row says. */
export type RecordTable<S extends TObject = TObject, T = unknown> = TableParts<S, T> & InBackups<Static<S>>;

interface TableParts<S extends TObject, T> {
  readonly name: string;
  /** The columns, in the order in which they are written. The values of each column are text, numbers or null. */
  readonly row: S;
  /** Checks what the schema can't. */
  isSound?(row: Static<S>): boolean;
  /** Returns what a row says, such as the JSON in a column; undefined if it says nothing. By default, the row itself. */
  read?(row: Static<S>): T | undefined;
  /** The statements that create the table and its indexes, each with IF NOT EXISTS. */
  readonly create: string;
  /**
   * The derived columns that a database of an earlier version lacks, with their definitions. Nobody declares them in
   * `row`. They are added before `create` runs, and are null in the rows that exist.
   */
  readonly addedColumns?: Readonly<Record<string, string>>;
  /** The format of a row in a backup, starting at 1. */
  readonly format: number;
  /**
   * Returns the row to keep when a damaged database is repaired; undefined for none. `older`: the row with the same
   * key in the newest copy. The key is the primary key if it consists of declared columns, or else the first unique
   * index that does. `damaged`: the row in the damaged database, undefined if it is missing there or can't be read. At
   * least one of them is given. The row to keep has the same key. By default, the row in the damaged database counts, and
   * otherwise the row in the copy. A table whose rows revoke, block or delete declares its
   * own rule, because the copy doesn't know what was revoked, blocked or deleted since then.
   */
  merge?(older: Static<S> | undefined, damaged: Static<S> | undefined): Static<S> | undefined;
  /**
   * Returns what to keep of a row after a repair in which endings may be missing: the database was missing, or older than
   * known.json says. By default, the row. It has the same key.
   */
  distrusted?(row: Static<S>): Static<S>;
  /**
   * The column with a secret, which may be null. A backup has the secret only in its encrypted part (see
   * row-secrets.ts). A row must not get another secret, and no other row may get its rowid later.
   */
  readonly secretColumn?: string;
}

/** Declares a table. No column may be called `format`, because each line of a backup has its format under this name. */
export function recordTable<S extends TObject, T = Static<S>>(table: RecordTable<S, T>): RecordTable<S, T> {
  if ('format' in table.row.properties) throw new TypeError('A table has no column "format".');
  return table;
}

/** What the lines of a backup have in place of a secret. No secret is empty. */
export const sealedSecret = '';

/** Returns whether a backup contains the rows of a table as lines. */
const inBackup = ({ belongsHere, inFiles }: RecordTable): boolean =>
  belongsHere !== true && inFiles === undefined;

/** Returns the names of a table's columns. */
export const columnsOf = ({ row }: RecordTable): string[] => Object.keys(row.properties);

/**
 * For what rows are written as lines: a backup leaves out secrets and what belongs to this computer, a move of the data
 * folder takes everything along.
 */
export type LinesFor = 'backup' | 'move';

/** A table whose rows are written as lines: what to select, and the format of each line. */
export interface TableInLines {
  readonly name: string;
  readonly columns: readonly string[];
  readonly format: number;
}

/** Returns the tables whose rows are written as lines. */
export const tablesInLines = (tables: readonly RecordTable[], purpose: LinesFor): TableInLines[] =>
  tables
    .filter((table) => purpose === 'move' || inBackup(table))
    .map((table) => ({
      name: table.name,
      columns: purpose === 'move' ? columnsOf(table) : columnsInBackup(table),
      format: table.format,
    }));

/** Returns the documents that are written in place of rows. */
export const documentsFor = (tables: readonly RecordTable[], purpose: LinesFor): DocumentsOfRows[] =>
  purpose === 'move' ? [] : tables.flatMap(({ inFiles }) => inFiles ?? []);

/** Returns what to select for the lines of a backup: the columns, without their secrets. */
const columnsInBackup = (table: RecordTable): string[] =>
  columnsOf(table).map((column) =>
    column === table.secretColumn ? `iif(${column} IS NULL, NULL, '${sealedSecret}') AS ${column}` : column,
  );

/** Returns the statement that inserts a row, or replaces the row with the same key. */
export function insertInto(table: RecordTable): string {
  const columns = columnsOf(table);
  return `INSERT OR REPLACE INTO ${table.name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
}

/** Returns the values of a row, in the order of the columns. */
export const cellsOf = (table: RecordTable, row: Row): Cell[] =>
  columnsOf(table).map((column) => row[column] ?? null);

/** Returns whether a text in a row is a time as Porchlight writes it, so that texts can be compared as times. */
export const isWrittenTime = (text: string): boolean =>
  !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/**
 * Returns the `cleaned` of a table whose `columns` hold times: text that is none would be an error wherever it is shown.
 */
export const withTimes =
  <Values extends object>(...columns: readonly (keyof Values)[]) =>
  (row: Values): Values | undefined => {
    const times = columns.map((column) => row[column] as unknown);
    const areWritten = times.every((time) =>
      typeof time === 'string' ? isWrittenTime(time) : time === null,
    );
    return areWritten ? row : undefined;
  };

/** Returns whether a row is one that Porchlight could have written. */
export function isSoundRow<S extends TObject>(table: RecordTable<S>, row: unknown): row is Static<S> {
  return soundly(table, row) !== undefined;
}

function soundly<S extends TObject, T>(table: RecordTable<S, T>, row: unknown): T | undefined {
  if (!isValid(table.row, row) || !hasWholeNumbers(row) || table.isSound?.(row) === false) return undefined;
  const said: unknown = table.read ? table.read(row) : row;
  return said as T | undefined;
}

/**
 * Returns what a row of the open database says. `row`: the values of all columns of `columnsOf`, and no others. A row
 * that Porchlight could not have written is damage of the database, whose repair sets it aside.
 * @throws as SQLite does for a damaged database
 */
export function readRow<S extends TObject, T>(table: RecordTable<S, T>, row: Row): T {
  const read = soundly(table, row);
  if (read === undefined) throw damagedError(`A row of "${table.name}" is not sound.`);
  return read;
}

/** SQLite refuses other numbers in these tables, and would return larger ones as errors. */
const hasWholeNumbers = (row: object): boolean =>
  Object.values(row).every((cell) => typeof cell !== 'number' || Number.isSafeInteger(cell));

/** The rows to come get higher numbers than those that are there, and each number has to be a safe integer. */
const hasRoomAbove = (row: object): boolean =>
  Object.values(row).every((cell) => typeof cell !== 'number' || cell < 2 ** 48);

/** Returns a row of a backup as it may be taken; undefined if it is none of this table, or can't be cleaned. */
export function rowOfBackup(table: RecordTable, row: unknown): Row | undefined {
  if (!isSoundRow(table, row) || !hasRoomAbove(row)) return undefined;
  const cleaned = table.cleaned ? table.cleaned(row) : row;
  // What is left has to pass the table's own check too.
  return cleaned === row || isSoundRow(table, cleaned) ? (cleaned as Row) : undefined;
}
