import { closeSync, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isThere, namesIn } from '../file-facts.ts';
import { nodeOperations } from '../file-operations.ts';
import { type Database, DatabaseSync, sqliteFailure } from '../sqlite.ts';
import type { Transaction } from './group-commit.ts';
import { mergeRows } from './salvage.ts';
import { holdsData, knownIn, knowsLess, putKnown, readKnown } from './known.ts';
import type { RecordTable } from './record-table.ts';
import {
  besideDatabase,
  createTables,
  headerOf,
  hasReadableRoots,
  isWhole,
  openRecordsFile,
  openToRead,
  openUnchanged,
  type RecordsFile,
  refuseNewer,
} from './records-file.ts';
import { createRecordsThread } from './records-thread.ts';
import { snapshotsIn } from './snapshots.ts';

/** How Porchlight has repaired a database that was damaged or missing. */
export interface RecordsRepair {
  /** The path at which the damaged database is kept; null if it was missing or empty. */
  readonly movedTo: string | null;
  /** When the copy that was used was made; null if there was no whole copy. */
  readonly copyFrom: Date | null;
  /** Whether something may be missing that was saved after the copy was made. */
  readonly isPartial: boolean;
  /** Whether endings may be missing: the database was missing, unreadable, or older than known.json says. */
  readonly isOlder: boolean;
}

export interface RepairOptions {
  readonly tables: readonly RecordTable[];
  /** Returns the current time, which becomes part of the names of files that are moved aside. */
  readonly now: () => Date;
  /** Writes into the new database what has happened. Must be synchronous. */
  readonly record?: ((repair: RecordsRepair, run: Transaction['run']) => void) | undefined;
}

/**
 * Builds a new database from the newest whole copy and from every row of the damaged database that can be read and is
 * sound. Puts it into the place of the damaged one, which is kept under another name together with the files beside it.
 * The database must not be open. Works in steps, so that other work can run in between. If the process is killed in any
 * step, `finishRepair` and another call lead to the same result.
 * @throws PorchlightError `storage_newer` if the copy has a newer format; the errors of the file system
 */
export async function repairRecords(file: string, { tables, now, record }: RepairOptions): Promise<void> {
  const built = `${file}.building`;
  const time = await freeTime(file, now());
  for (const ending of ['', ...besideDatabase]) await nodeOperations.remove(`${built}${ending}`);
  closeSync(openSync(built, 'wx', 0o600));
  const database = new DatabaseSync(built);
  const open: Database[] = [database];
  try {
    // The file is synced at the end. If the process is killed before, it is deleted and built again.
    database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
    createTables(database, tables);
    const size = (await isThere(file)) ? (await stat(file)).size : 0;
    const damaged = size > 0 ? opened(() => openToRead(file, 0), open) : undefined;
    const found = await newestWhole(dirname(file));
    const copy = found && opened(() => openUnchanged(found.file), open);
    const expected = await readKnown(dirname(file));
    const [inDamaged, inCopy] = [damaged && knownIn(damaged), copy && knownIn(copy)];
    const isOlder = damaged === undefined || knowsLess(inDamaged, expected);
    // If the log belongs to another database, this one may be whole without it.
    const hasLog = size > 0 && (await isThere(`${file}-wal`));
    const withoutLog = hasLog ? opened(() => openUnchanged(file), open) : undefined;
    // An older database was put in the place of one that was newer than the copy.
    const isCopyNewer = isOlder && knowsLess(inDamaged, inCopy);
    const [newer, older] = isCopyNewer ? [copy, damaged] : [damaged, copy];
    const sources = { damaged: newer, withoutLog, copy: older, isOlder };
    let isPartial = isOlder;
    for (const table of tables) if (await mergeRows(database, table, sources)) isPartial = true;
    const movedTo = size > 0 ? `${file}.broken-${time}` : null;
    database.exec('BEGIN');
    record?.({ movedTo, copyFrom: found?.at ?? null, isPartial, isOlder }, (sql, ...cells) =>
      Number(database.prepare(sql).run(...cells).changes),
    );
    putKnown(database, [inDamaged, inCopy, expected]);
    database.exec('COMMIT');
  } finally {
    for (const one of open) one.close();
  }
  await sync(built);
  await nodeOperations.rename(built, `${file}.repaired-${time}`);
  await nodeOperations.syncFolder(dirname(file));
  await finishRepair(file);
}

/** Puts a new database into its place, if a repair has built one. */
export async function finishRepair(file: string): Promise<void> {
  const start = `${basename(file)}.repaired-`;
  const name = (await namesIn(dirname(file))).find((one) => one.startsWith(start));
  if (name === undefined) return;
  const aside = `${file}.broken-${name.slice(start.length)}`;
  for (const ending of [...besideDatabase, ''])
    if (await isThere(`${file}${ending}`))
      await nodeOperations.rename(`${file}${ending}`, `${aside}${ending}`);
  await nodeOperations.syncFolder(dirname(file));
  await nodeOperations.rename(`${file}.repaired-${name.slice(start.length)}`, file);
  await nodeOperations.syncFolder(dirname(file));
}

/** Returns a time for the names of files that are moved aside, which no such file has yet. */
async function freeTime(file: string, now: Date): Promise<string> {
  // Windows doesn't allow colons in file names.
  const time = now.toISOString().replaceAll(':', '-');
  for (let turn = 1; ; turn += 1) {
    const free = turn === 1 ? time : `${time}-${turn}`;
    const taken = ['', ...besideDatabase].map((ending) => isThere(`${file}.broken-${free}${ending}`));
    if (!(await Promise.all(taken)).includes(true)) return free;
  }
}

/** Opens a database and adds it to `open`; returns undefined if nothing of it can be read. */
function opened(work: () => Database, open: Database[]): Database | undefined {
  try {
    const database = work();
    open.push(database);
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch {
    return undefined;
  }
}

/** Returns the newest copy of the database that is whole. */
async function newestWhole(dir: string): Promise<{ file: string; at: Date } | undefined> {
  for (const file of snapshotsIn(dir)) {
    if (!(await isThere(file))) continue;
    refuseNewer(file);
    const thread = createRecordsThread(file);
    try {
      if (await thread.run({ kind: 'check' })) return { file, at: (await stat(file)).mtime };
    } catch {
      // This copy is damaged, too.
    } finally {
      await thread.close();
    }
  }
  return undefined;
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Opens the database at its path. Creates it in a folder that had none. If it is damaged, knows less than known.json says,
 * or is missing although the folder had one, repairs it first.
 * @throws PorchlightError `storage_newer`; the errors of SQLite and of the file system
 */
export async function openSound(file: string, options: RepairOptions): Promise<RecordsFile> {
  await finishRepair(file);
  refuseNewer(file);
  if (await isUnusable(file)) await repairRecords(file, options);
  try {
    if (await knowsEnough(file)) {
      const isSuspect = isShort(file);
      const opened = await openRecordsFile(file, options.tables);
      const isSound = !isSuspect || (opened.isAlone ? isWhole(opened.database) : await isWholeHere(file));
      if (isSound && hasReadableRoots(opened.database, options.tables)) return opened;
      await opened.log?.close();
      opened.database.close();
    }
  } catch (error) {
    if (sqliteFailure(error) !== 'damaged') throw error;
  }
  await repairRecords(file, options);
  return openRecordsFile(file, options.tables);
}

/** Returns whether there is no database at the path, although there was one, or something that is no database. */
async function isUnusable(file: string): Promise<boolean> {
  const header = headerOf(file);
  // If the process is killed while it creates the database, the file may be empty.
  if (header === undefined || header.size === 0) return wasUsed(file);
  return header.namedSize === undefined;
}

/** Returns whether there was a database at this path. If it isn't there now, it was lost. */
export async function wasUsed(file: string): Promise<boolean> {
  const dir = dirname(file);
  const known = await readKnown(dir);
  // A process that was killed before its first change has lost nothing.
  if (known !== undefined && known.commits > 0) return true;
  for (const copy of snapshotsIn(dir)) if (await isThere(copy)) return true;
  return holdsData(dir);
}

/**
 * Returns whether a database knows all that known.json says. Changes nothing: opening a database whose log was cut off
 * would overwrite the rest of the log.
 * @throws the errors of SQLite
 */
export async function knowsEnough(file: string): Promise<boolean> {
  const expected = await readKnown(dirname(file));
  if (expected === undefined || !(await isThere(file))) return true;
  const database = openToRead(file, 0);
  try {
    return !knowsLess(knownIn(database), expected);
  } finally {
    database.close();
  }
}

/** Returns whether the file is shorter than its header says. Pages at its end may still be in the write-ahead log. */
function isShort(file: string): boolean {
  const { size, namedSize = 0 } = headerOf(file) ?? { size: 0 };
  return size < namedSize;
}

/** Returns whether SQLite finds the structure of a database whole. A thread looks, and changes nothing. */
export async function isWholeHere(file: string): Promise<boolean> {
  const thread = createRecordsThread(file);
  try {
    return await thread.run({ kind: 'check' });
  } finally {
    await thread.close();
  }
}
