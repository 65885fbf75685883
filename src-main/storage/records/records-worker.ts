import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync, type Database } from '../sqlite.ts';
import { isWhole, openDatabase } from './records-file.ts';
import { copyWhole } from './snapshot-file.ts';

/** A table as the thread needs it: the columns to read, and the format to write into each line. */
export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly format: number;
}

/** A job of the thread that works on the database beside the main thread. */
export type RecordsJob =
  /** Moves the write-ahead log into the database. `whole`: all of it, while nobody writes; then starts it anew. */
  | { readonly kind: 'checkpoint'; readonly whole: boolean }
  /** Begins to read: later `dump`s show the database as it is now. */
  | { readonly kind: 'begin' }
  /** Writes a file of lines for each table into a folder. */
  | { readonly kind: 'dump'; readonly dir: string; readonly tables: readonly DumpedTable[] }
  | { readonly kind: 'end' }
  /** Checks the database without changing it. */
  | { readonly kind: 'check' }
  /** Writes a copy of the database to the file `to`, unless the file `newest` is the same copy. */
  | { readonly kind: 'snapshot'; readonly to: string; readonly newest: string };

/**
 * `isDone`: whether the job did all of its work. A checkpoint can't while somebody reads. A snapshot isn't made if
 * nothing has changed.
 */
export type RecordsAnswer =
  | { readonly isDone: boolean }
  /** Threads pass no other properties of errors. */
  | { readonly failed: string; readonly codes: { readonly code?: unknown; readonly errcode?: unknown } };

/** How long to wait for another connection, in ms. Nobody waits for this thread meanwhile, except for commits. */
const patienceMs = 2000;
const chunkChars = 65_536;

const { file } = workerData as { file: string };
let connection: Database | undefined;
let reader: Database | undefined;
const beginToRead = 'BEGIN; SELECT count(*) FROM sqlite_schema';
const port = parentPort;

/** Opens the connection of this thread, unless it is open. */
const database = (): Database => (connection ??= openDatabase(file, { waitMs: patienceMs }));

function done(job: RecordsJob): boolean {
  switch (job.kind) {
    case 'checkpoint':
      return checkpoint(job.whole);
    case 'begin':
      // A transaction begins with its first query.
      database().exec(beginToRead);
      return true;
    case 'dump':
      for (const table of job.tables) dump(table, job.dir);
      return true;
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
    pragma('wal_checkpoint(PASSIVE)');
    return true;
  }
  endReader();
  const { busy } = pragma('wal_checkpoint(TRUNCATE)');
  // Changes nothing, but writes.
  if (busy === 0) database().exec(`PRAGMA user_version = ${Number(pragma('user_version')['user_version'])}`);
  return busy === 0;
}

function endReader(): void {
  reader?.close();
  reader = undefined;
}

function isWholeHere(): boolean {
  const toRead = new DatabaseSync(file, { readOnly: true, timeout: patienceMs });
  try {
    return isWhole(toRead);
  } finally {
    toRead.close();
  }
}

const pragma = (name: string): Record<string, unknown> => database().prepare(`PRAGMA ${name}`).get() ?? {};

function dump({ name, columns, format }: DumpedTable, dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const handle = openSync(join(dir, `${name}.jsonl`), 'wx', 0o600);
  try {
    let text = '';
    for (const row of database()
      .prepare(`SELECT ${columns.join(', ')} FROM ${name}`)
      .iterate()) {
      text += `${JSON.stringify({ format, ...row })}\n`;
      if (text.length < chunkChars) continue;
      writeSync(handle, text);
      text = '';
    }
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

port?.on('message', (job: RecordsJob | 'close') => {
  if (job === 'close') {
    // Closes the connection before the thread ends. A thread with an open connection must never be stopped by force.
    for (const one of [reader, connection]) one?.close();
    port.close();
    return;
  }
  try {
    port.postMessage({ isDone: done(job) } satisfies RecordsAnswer);
  } catch (error) {
    const { code, errcode } = error as { code?: unknown; errcode?: unknown };
    port.postMessage({ failed: String(error), codes: { code, errcode } } satisfies RecordsAnswer);
  }
});
