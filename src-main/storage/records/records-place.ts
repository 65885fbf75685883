import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { isThere } from '../file-facts.ts';
import type { Database, Statement } from '../sqlite.ts';
import type { CommitTarget } from './group-commit.ts';
import { createKnownWriter, knownIn, nothingKnown, type KnownWriter } from './known.ts';
import { checkpointWhole, isWhole, type RecordsFile } from './records-file.ts';
import { createRecordsThread, type RecordsThread } from './records-thread.ts';
import { writeLines } from './write-lines.ts';

/** An open database with what belongs to it. */
export interface Place extends CommitTarget {
  readonly file: RecordsFile;
  readonly thread: RecordsThread;
  /** A folder with a copy of a database that can't be opened at its own path; undefined for the database itself. */
  readonly copyIn: string | undefined;
  /** Writes known.json. */
  readonly knownWriter: KnownWriter;
}

interface PlaceOptions extends Pick<Place, 'copyIn' | 'mustBeHere'> {
  /** Called if known.json can't be written. */
  readonly knownFailed: (error: unknown) => void;
}

/** Returns an open database with what belongs to it. */
export function placeAt(path: string, file: RecordsFile, { knownFailed, ...rest }: PlaceOptions): Place {
  const known = knownIn(file.database) ?? nothingKnown;
  const knownWriter = createKnownWriter(path, known, knownFailed);
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
      await file.log.datasync();
      await knownWriter.reached(reached);
    },
  };
}

/** Closes a database. If its thread is using the database, the thread writes the log into it, which takes time. */
export async function closePlace({ database, file, thread, knownWriter }: Place): Promise<void> {
  await knownWriter.close();
  database.close();
  await file.log.close();
  await thread.close();
}

/** Opens a private copy of a database. If there is no database yet, the copy is empty. */
export async function privateCopy(
  file: string,
  opened: (path: string, copyIn: string) => Promise<Place>,
): Promise<Place> {
  const dir = await mkdtemp(join(tmpdir(), 'porchlight-records-'));
  try {
    for (const path of [file, `${file}-wal`])
      if (await isThere(path)) await copyFile(path, join(dir, basename(path)));
    return await opened(join(dir, basename(file)), dir);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
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
          await writeLines(database, job.tables, job.dir);
          return true;
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
