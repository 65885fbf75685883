import { parentPort, workerData } from 'node:worker_threads';
import type { Database } from '../sqlite.ts';
import { writeRows } from './write-lines.ts';
import type { DocumentsOfRows, TableInLines } from './record-table.ts';
import {
  checkpointWhole,
  isWhole,
  openDatabase,
  openToRead,
  shrinkStep,
  openUnchanged,
} from './records-file.ts';
import { closeSync, existsSync, fsyncSync, openSync, readSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { damagedError } from '../storage-error.ts';

/** A job of the thread that works on the database beside the main thread. */
export type RecordsJob =
  /** Moves the write-ahead log into the database. `whole`: all of it, while nobody writes; then starts it anew. */
  | { readonly kind: 'checkpoint'; readonly whole: boolean }
  /** Begins to read: later `dump`s show the database as it is now. */
  | { readonly kind: 'begin' }
  /** Writes a file of lines for each table, and the documents of others, into a folder. */
  | {
      readonly kind: 'dump';
      readonly dir: string;
      readonly tables: readonly TableInLines[];
      readonly documents: readonly DocumentsOfRows[];
    }
  | { readonly kind: 'end' }
  /** Gives some free pages back to the disk. */
  | { readonly kind: 'shrink' }
  /** Checks the database without changing it. */
  | { readonly kind: 'check' }
  /** Writes a copy of the database to the file `to`, unless the file `newest` is the same copy. */
  | { readonly kind: 'snapshot'; readonly to: string; readonly newest: string };

/**
 * `isDone`: whether the job did all of its work. A checkpoint can't while somebody reads. A snapshot isn't made if
 * nothing has changed. Shrinking is done once few free pages are left.
 */
export type RecordsAnswer =
  | { readonly isDone: boolean }
  /** Threads pass no other properties of errors. */
  | { readonly failed: string; readonly codes: { readonly code?: unknown; readonly errcode?: unknown } };

/** How long to wait for another connection, in ms. Nobody waits for this thread meanwhile, except for commits. */
const patienceMs = 2000;

const { file } = workerData as { file: string };
let connection: Database | undefined;
let reader: Database | undefined;
const beginToRead = 'BEGIN; SELECT count(*) FROM sqlite_schema';
const port = parentPort;

/** Opens the connection of this thread, unless it is open. */
const database = (): Database => (connection ??= openDatabase(file, { waitMs: patienceMs }));

async function done(job: RecordsJob): Promise<boolean> {
  switch (job.kind) {
    case 'checkpoint':
      return checkpoint(job.whole);
    case 'begin':
      // A transaction begins with its first query.
      database().exec(beginToRead);
      return true;
    case 'dump':
      await writeRows(database(), job);
      return true;
    case 'shrink':
      return shrinkStep(database());
    case 'check':
      return isWholeHere();
    case 'snapshot':
      return copyWhole(database(), job);
    case 'end':
      endReader();
      if (connection?.isTransaction === true) connection.exec('COMMIT');
      return true;
  }
}

function checkpoint(isWhole: boolean): boolean {
  if (!isWhole) {
    // The write after a checkpoint of everything starts the log again, and syncs its header on the thread that writes.
    // A reader keeps the main thread from that until the whole checkpoint.
    reader ??= openDatabase(file, { waitMs: patienceMs });
    if (!reader.isTransaction) reader.exec(beginToRead);
    database().prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    return true;
  }
  endReader();
  return checkpointWhole(database());
}

function endReader(): void {
  reader?.close();
  reader = undefined;
}

function isWholeHere(): boolean {
  const toRead = openToRead(file, patienceMs);
  try {
    return isWhole(toRead);
  } finally {
    toRead.close();
  }
}

/** Settled once the jobs so far are done. */
let jobs = Promise.resolve();
port?.on('message', (job: RecordsJob | 'close') => {
  jobs = jobs.then(() => handle(job));
});

async function handle(job: RecordsJob | 'close'): Promise<void> {
  if (job === 'close') {
    // Closes the connection before the thread ends. A thread with an open connection must never be stopped by force.
    for (const one of [reader, connection]) one?.close();
    port?.close();
    return;
  }
  try {
    port?.postMessage({ isDone: await done(job) } satisfies RecordsAnswer);
  } catch (error) {
    const { code, errcode } = error as { code?: unknown; errcode?: unknown };
    port?.postMessage({ failed: String(error), codes: { code, errcode } } satisfies RecordsAnswer);
  }
}

/** The space that a copy must leave on the disk, for what Porchlight saves meanwhile, in bytes. */
const reserveBytes = 1024 * 1024;
const chunkBytes = 1024 * 1024;

/**
 * Writes a copy of a database to the file `to`, which must not exist, and syncs it. Checks the database before and the
 * copy after that, so that damage never replaces a good copy. Returns false if the file `newest` is the same copy. For a
 * worker: takes time that grows with the data, but commits go on meanwhile.
 * @throws an error with the code ENOSPC if the disk has too little room, or with SQLite's code for a damaged database
 */
function copyWhole(database: Database, { to, newest }: { to: string; newest: string }): boolean {
  mustHaveRoom(database, dirname(to));
  if (!isWhole(database)) throw damagedError('The database is damaged.');
  // SQLite accepts an empty file, and would create a file that others may read.
  closeSync(openSync(to, 'wx', 0o600));
  database.prepare('VACUUM INTO ?').run(to);
  const copy = openUnchanged(to);
  try {
    if (!isWhole(copy)) throw new Error('The copy of the database is damaged.');
  } finally {
    copy.close();
  }
  if (existsSync(newest) && isSame(to, newest)) return false;
  const handle = openSync(to, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return true;
}

function mustHaveRoom(database: Database, dir: string): void {
  const { bytes } = database
    .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
    .get() as { bytes: number };
  const { bavail, bsize } = statfsSync(dir);
  if (bavail * bsize < bytes + reserveBytes)
    throw Object.assign(new Error('The disk has no room for a copy of the database.'), { code: 'ENOSPC' });
}

/** Returns whether two files have the same content. A copy of an unchanged database is the same, byte for byte. */
function isSame(one: string, other: string): boolean {
  const { size } = statSync(one);
  if (size !== statSync(other).size) return false;
  const handles = [openSync(one, 'r'), openSync(other, 'r')];
  try {
    for (let at = 0; at < size; at += chunkBytes) {
      const [first, second] = handles.map((handle) => {
        const chunk = Buffer.alloc(Math.min(chunkBytes, size - at));
        readSync(handle, chunk, 0, chunk.length, at);
        return chunk;
      });
      if (first === undefined || second?.equals(first) !== true) return false;
    }
    return true;
  } finally {
    handles.forEach(closeSync);
  }
}
