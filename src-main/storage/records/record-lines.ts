import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PorchlightError } from '../../contract/error.ts';
import { readLines } from '../file-content.ts';
import { isThere } from '../file-facts.ts';
import { nodeOperations } from '../file-operations.ts';
import { isRecord, jsonIn } from '../json-value.ts';
import { workPrefix } from '../kept-paths.ts';
import { goOn } from '../pacing.ts';
import { type Database, DatabaseSync } from '../sqlite.ts';
import { type Known, knownIn, knownName, putKnown, writeKnown } from './known.ts';
import { finishRepair, openSound, type RepairOptions, wasUsed } from './repair.ts';
import {
  cellsOf,
  insertInto,
  isSoundRow,
  type LinesFor,
  type RecordTable,
  type Row,
  rowOfBackup,
  tablesInLines,
} from './record-table.ts';
import { besideDatabase, createTables, recordsName } from './records-file.ts';
import { linesFolder, writeLines } from './write-lines.ts';

/** The rows of a transaction, and the length of their lines in characters. */
const linesAtOnce = 500;
const charactersAtOnce = 4_000_000;

/**
 * Builds records.sqlite from the rows of a backup that was unpacked into `dir`, and deletes these. Each row is checked,
 * because a backup may contain anything. No process may be using the folder. Returns the problems, as messages for the
 * owner.
 * @throws PorchlightError `storage_newer` if a row has a newer format; `cancelled` once `signal` aborts
 */
export async function buildRecords(
  dir: string,
  tables: readonly RecordTable[],
  signal: AbortSignal,
): Promise<string[]> {
  const lines = join(dir, linesFolder);
  const problems = await buildFromLines(join(dir, recordsName), { lines, tables, purpose: 'backup', signal });
  await rm(lines, { recursive: true, force: true });
  return problems;
}

interface Building {
  /** The folder with the lines. */
  readonly lines: string;
  readonly tables: readonly RecordTable[];
  /** What the lines were written for. Lines of other tables are ignored. */
  readonly purpose: LinesFor;
  readonly signal: AbortSignal;
  /** What the database knew in whose place the new one comes. */
  readonly known?: Known | undefined;
}

/**
 * Builds a database from lines, each of which is checked. The database is on disk when the promise resolves. Returns
 * the problems, as messages for the owner.
 * @throws PorchlightError as `buildRecords` does
 */
async function buildFromLines(file: string, building: Building): Promise<string[]> {
  const { lines, tables, purpose, signal, known } = building;
  const expected = new Set(tablesInLines(tables, purpose).map(({ name }) => name));
  for (const ending of ['', ...besideDatabase]) await rm(`${file}${ending}`, { force: true });
  const database = new DatabaseSync(file);
  const problems: string[] = [];
  try {
    // The file is synced at the end. If the process is killed before, the unpacked backup is deleted.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    createTables(database, tables);
    for (const table of tables) {
      if (!expected.has(table.name)) continue;
      const broken = await insertLines(database, table, join(lines, `${table.name}.jsonl`), {
        purpose,
        signal,
      });
      if (broken > 0)
        problems.push(`${broken} of the rows of “${table.name}” can’t be read and are left out.`);
    }
    putKnown(database, [known]);
  } finally {
    database.close();
  }
  const handle = await open(file, 'r+');
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await nodeOperations.syncFolder(dirname(file));
  return problems;
}

/** Inserts the rows of a file. Returns the number of lines that are no rows of this table. */
async function insertLines(
  database: Database,
  table: RecordTable,
  file: string,
  { purpose, signal }: Pick<Building, 'purpose' | 'signal'>,
): Promise<number> {
  const insert = database.prepare(insertInto(table));
  let broken = 0;
  let group: Row[] = [];
  let characters = 0;
  async function flush(): Promise<void> {
    database.exec('BEGIN');
    for (const row of group) insert.run(...cellsOf(table, row));
    database.exec('COMMIT');
    group = [];
    characters = 0;
    await nextTurn();
    goOn({ signal });
  }
  for await (const lines of readLines(file))
    for (const line of lines) {
      characters += line.length;
      const row = rowIn(table, line, { file, purpose });
      if (row) group.push(row);
      else broken += 1;
      if (group.length === linesAtOnce || characters > charactersAtOnce) await flush();
    }
  await flush();
  return broken;
}

function rowIn(
  table: RecordTable,
  line: string,
  { file, purpose }: { readonly file: string; readonly purpose: LinesFor },
): Row | undefined {
  const stored = jsonIn(line);
  if (!isRecord(stored)) return undefined;
  const { format, ...row } = stored;
  if (typeof format !== 'number' || !Number.isSafeInteger(format)) return undefined;
  if (format > table.format) {
    throw new PorchlightError(
      'storage_newer',
      `"${file}" was written by a newer Porchlight (format ${format}; this one reads up to ${table.format}).`,
      500,
    );
  }
  if (purpose === 'backup') return rowOfBackup(table, row);
  return isSoundRow(table, row) ? (row as Row) : undefined;
}

/** The files that this file may leave in the new folder, for a move that is cancelled. */
export const movedRecordsFiles = [recordsName, knownName];

/**
 * Builds the database of the folder `to` from the rows of the database in the folder `from`, all of them: the folder
 * stays the same one. Repairs a damaged database first. No process may use either folder. Returns the problems, as
 * messages for the owner. If the process is killed in any step, another call leads to the same result.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export async function moveRecords(from: string, to: string, repair: RepairOptions): Promise<string[]> {
  const file = join(from, recordsName);
  await finishRepair(file);
  if (!(await isThere(file)) && !(await wasUsed(file))) return [];
  return inWork(to, async (work) => {
    const { database, log } = await openSound(file, repair);
    const known = knownIn(database) ?? aTransaction;
    try {
      await writeLines(database, tablesInLines(repair.tables, 'move'), join(work, linesFolder));
    } finally {
      await log?.close();
      database.close();
    }
    return build(work, to, { lines: join(work, linesFolder), repair, known });
  });
}

/**
 * Builds the database of the folder `to` from the lines that a move has put there, because the database is gone. Leaves
 * the lines where they are. Returns the problems, as messages for the owner.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export function recordsFromMovedLines(to: string, repair: RepairOptions): Promise<string[]> {
  return inWork(to, (work) => build(work, to, { lines: join(to, linesFolder), repair, known: aTransaction }));
}

/** What a database knows at least if nobody can tell. */
const aTransaction: Known = { commits: 1, endings: 0 };

/** Builds the database in the folder `work`, and puts it into the folder `to` in one step. */
async function build(
  work: string,
  to: string,
  {
    lines,
    repair: { tables },
    known,
  }: { readonly lines: string; readonly repair: RepairOptions; readonly known: Known },
): Promise<string[]> {
  const [built, file] = [join(work, recordsName), join(to, recordsName)];
  const { signal } = new AbortController();
  const problems = await buildFromLines(built, { lines, tables, purpose: 'move', signal, known });
  await nodeOperations.rename(built, file);
  await nodeOperations.syncFolder(to);
  await writeKnown(to, known);
  return problems;
}

/** Runs `work` with an empty folder in the new data folder, which is removed afterwards, or by the next start. */
async function inWork<T>(to: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = join(to, `${workPrefix}records`);
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { mode: 0o700 });
  try {
    return await work(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
