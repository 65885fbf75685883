import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { isThere } from '../file-facts.ts';
import { type Database, DatabaseSync, type Statement } from '../sqlite.ts';
import type { CommitTarget } from './group-commit.ts';
import { createKnownWriter, knownIn, type KnownWriter, nothingKnown } from './known.ts';
import type { RecordTable } from './record-table.ts';
import {
  checkpointWhole,
  createTables,
  isWhole,
  openExclusively,
  openUnchanged,
  type RecordsFile,
  shrinkStep,
} from './records-file.ts';
import { createRecordsThread, type RecordsThread } from './records-thread.ts';
import { openSound, type RepairOptions } from './repair.ts';
import { writeRows } from './write-lines.ts';

/** An open database with what belongs to it. */
export interface Place extends CommitTarget {
  readonly file: RecordsFile;
  readonly thread: RecordsThread;
  /** How the database only answers queries; undefined for a database that can be changed. */
  readonly reading: Reading | undefined;
  /** Writes known.json; undefined for a database that only answers queries. */
  readonly knownWriter: KnownWriter | undefined;
}

interface Reading {
  /** Whether no other connection can be opened meanwhile. */
  readonly keepsOut: boolean;
  /** Whether the connection reads the database at its own path without locking it. */
  readonly isLockless: boolean;
  end(): Promise<void>;
}

interface PlaceOptions extends Pick<Place, 'reading' | 'mustBeHere'> {
  /** Called if known.json can't be written. */
  readonly knownFailed?: (error: unknown) => void;
}

/** Returns an open database with what belongs to it. */
export function placeAt(path: string, file: RecordsFile, { knownFailed, ...rest }: PlaceOptions): Place {
  const known = knownIn(file.database) ?? nothingKnown;
  const knownWriter = knownFailed && createKnownWriter(path, known, knownFailed);
  const statements = new Map<string, Statement>();
  return {
    ...rest,
    file,
    database: file.database,
    known,
    knownWriter,
    thread: file.isAlone ? createLoneJobs(file.database) : createRecordsThread(path),
    prepared(sql) {
      const known = statements.get(sql) ?? file.database.prepare(sql);
      statements.set(sql, known);
      return known;
    },
    async sync(reached) {
      await file.log?.datasync();
      await knownWriter?.reached(reached);
    },
  };
}

/** Closes a database. If its thread is using the database, the thread writes the log into it, which takes time. */
export async function closePlace({ database, file, thread, knownWriter }: Place): Promise<void> {
  await knownWriter?.close();
  database.close();
  await file.log?.close();
  await thread.close();
}

/**
 * Opens a database to answer queries while it can't be changed: a private copy, or if that has no room, the database
 * itself. If there is no database, an empty one in memory.
 * @throws the errors of SQLite and of the file system
 */
export async function readingPlace(file: string, repair: RepairOptions): Promise<Place> {
  if (!(await isThere(file))) return inMemory(repair.tables);
  return privateCopy(file, repair).catch(() => readInPlace(file));
}

/** Opens a copy of a database, and repairs the copy if the database is damaged. */
async function privateCopy(file: string, repair: RepairOptions): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-records-'));
  const remove = () => rm(dir, { recursive: true, force: true });
  try {
    for (const path of [file, `${file}-wal`])
      if (await isThere(path)) await copyFile(path, join(dir, basename(path)));
    const copy = join(dir, basename(file));
    return readingAt(copy, await openSound(copy, repair), { remove });
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Opens a database at its own path without making any file. Without changes in a write-ahead log, nothing needs to be
 * locked or written to read it. With them, the connection keeps all others out, because it makes no file that
 * connections could share; on a disk that can only be read, that fails.
 */
async function readInPlace(file: string): Promise<Place> {
  const log = await stat(`${file}-wal`).catch(() => undefined);
  const keepsOut = (log?.size ?? 0) > 0;
  return readingAt(file, alone(keepsOut ? openExclusively(file) : openUnchanged(file)), {
    keepsOut,
    isLockless: !keepsOut,
  });
}

function inMemory(tables: readonly RecordTable[]): Place {
  const database = new DatabaseSync(':memory:');
  createTables(database, tables);
  return readingAt(':memory:', alone(database), {});
}

const alone = (database: Database): RecordsFile => ({
  database,
  log: undefined,
  isAlone: true,
  isAtPath: () => true,
  isLogAtPath: () => true,
});

interface ReadingOptions extends Partial<Omit<Reading, 'end'>> {
  readonly remove?: () => Promise<void>;
}

function readingAt(
  path: string,
  file: RecordsFile,
  { keepsOut = false, isLockless = false, remove }: ReadingOptions,
): Place {
  const place = placeAt(path, file, {
    mustBeHere: () => undefined,
    reading: {
      keepsOut,
      isLockless,
      async end() {
        await closePlace(place);
        await remove?.().catch(() => undefined);
      },
    },
  });
  return place;
}

/**
 * Does the jobs of the thread on the main connection, for a disk without memory that connections can share. Checkpoints
 * then wait for the disk. Changes must wait while rows are written as lines, because these have no transaction of their
 * own. No copies are made, because each would stop the site for as long as it takes.
 */
function createLoneJobs(database: Database): RecordsThread {
  return {
    async run(job) {
      switch (job.kind) {
        case 'checkpoint':
          return !job.whole || checkpointWhole(database);
        case 'dump':
          await writeRows(database, job);
          return true;
        case 'shrink':
          return shrinkStep(database);
        case 'check':
          return isWhole(database);
        case 'snapshot':
          throw new PorchlightError('storage_unwritable', withoutCopies, 507);
        case 'begin':
        case 'end':
          return true;
      }
    },
    close: () => Promise.resolve(),
  };
}

const withoutCopies =
  'On this disk, such as a network drive, only one part of Porchlight can open the database at a time. Make backups instead, or move the data folder to a disk of this computer.';
