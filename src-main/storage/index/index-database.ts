import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { PorchlightError } from '../../contract/error.ts';
import { createVersions } from '../caches.ts';
import {
  type Database,
  DatabaseSync,
  isWithoutSharedMemory,
  sqliteFailure,
  type Statement,
} from '../sqlite.ts';
import { oneAtATime } from '../pacing.ts';
import { errorCode, writeFailure } from '../storage-error.ts';
import { indexCheckpoints, type IndexCheckpoints } from './index-checkpoints.ts';

/** The name of the index file in the data folder. No backup contains it. */
export const indexName = 'index.sqlite';

/** The path to pass for an index that exists only in the memory of this process. */
export const inMemory = ':memory:';

/** The value of a column. Booleans are 1 and 0. */
export type Cell = string | number | null;

/** A row of a query's result: the values by column name. */
export type Row = Readonly<Record<string, Cell>>;

/** A feature's tables in the index. */
export interface IndexPart {
  readonly name: string;
  /** The statements that create the tables. If they change, the whole index is built again. */
  readonly tables: string;
}

/**
 * The derived index: one SQLite file that serves lists, filters, counts and searches. The files in the data folder are
 * authoritative. Each feature has a part of the index. A part is trusted if its rows are known to match the files;
 * otherwise, the feature compares its rows with the files.
 *
 * Calls are synchronous and short: each row takes tens of microseconds. They don't wait for the disk, except when the
 * index is opened and closed: see index-checkpoints.ts.
 *
 * Once the file turns out to be damaged, all calls throw PorchlightError `storage_damaged` (503), because changes
 * based on incomplete rows would do harm. The next start builds a new index from the files.
 */
export type IndexDatabase = ReturnType<typeof indexOf>;

/**
 * Opens an index read-only, to compare it with another index. Returns undefined if the index is missing, is
 * unreadable, has another layout, or was not closed by the last process that used it.
 */
export function openIndexToRead(file: string, parts: readonly IndexPart[]): IndexDatabase | undefined {
  if (!existsSync(file) || existsSync(`${file}-wal`)) return undefined;
  try {
    const database = new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, { readOnly: true });
    if (textOf(database) === layoutOf(parts))
      return indexOf(database, { trusted: trustedIn(database), isReadOnly: true });
    database.close();
  } catch {
    // The index can't be read. The next start replaces it.
  }
  return undefined;
}

/**
 * Opens the index in `file`. If the file is missing, is damaged or has another layout, an empty index takes its place.
 * If the file can't be written, for example because the disk is full, the index stays in memory until the next start.
 * `damaged`: called when the open file turns out to be damaged. `largestLogBytes`: the size of the write-ahead log from
 * which it is moved into the file.
 */
export function openIndex(
  file: string,
  parts: readonly IndexPart[],
  damaged: () => void = () => undefined,
  largestLogBytes?: number,
): IndexDatabase {
  const { database, ...open } = openWhole(file, layoutOf(parts));
  const checkpoints = open.file === undefined ? undefined : indexCheckpoints(open.file, largestLogBytes);
  return indexOf(database, { ...open, damaged, checkpoints, remove: () => removeIndex(file) });
}

/**
 * Opens another connection to an index that this process has open, for another thread. That thread must close it before
 * the index is closed.
 */
export function openIndexBeside(file: string): IndexDatabase {
  return indexOf(connectionTo(file), { trusted: new Set(), isBeside: true, file });
}

/** Removes an index file that isn't open. */
export function removeIndex(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true });
}

const layoutOf = (parts: readonly IndexPart[]) =>
  parts.map(({ name, tables }) => `-- ${name}\n${tables}`).join('\n');

interface IndexOptions {
  readonly trusted: Set<string>;
  readonly isReadOnly?: boolean;
  /** Whether the index is open in another thread, which records what is trusted. */
  readonly isBeside?: boolean;
  /** The path of the index; absent if it exists only in memory. */
  readonly file?: string;
  readonly damaged?: () => void;
  readonly checkpoints?: IndexCheckpoints | undefined;
  /** Deletes the index file. */
  readonly remove?: () => void;
}

function indexOf(database: Database, options: IndexOptions) {
  const { trusted, isReadOnly = false, isBeside = false, damaged, remove, file, checkpoints } = options;
  const statements = new Map<string, Statement>();
  const versions = createVersions();
  let depth = 0;
  let isDamaged = false;

  function failedBy(cause: unknown): PorchlightError {
    trusted.clear();
    versions.allChanged();
    if (!isDamaged) {
      isDamaged = true;
      damaged?.();
    }
    return new PorchlightError('storage_damaged', damagedWords, 503, { cause });
  }

  function guarded<T>(work: () => T): T {
    if (isDamaged) throw failedBy(undefined);
    try {
      return work();
    } catch (error) {
      // Other errors don't count as damage, because a visitor's query could otherwise make Porchlight discard the index.
      throw sqliteFailure(error) === 'damaged' ? failedBy(error) : asDiskFailure(error);
    }
  }

  function prepared(sql: string): Statement {
    const known = statements.get(sql);
    if (known) return known;
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  return {
    /** The version numbers of the data in the tables. Each feature updates them when it changes its rows. */
    versions,
    /** The path of the index; undefined if it exists only in the memory of this thread. */
    file,
    /** Records that another thread found the file damaged. */
    foundDamaged: (cause: unknown): void => void failedBy(cause),
    get isDamaged() {
      return isDamaged;
    },
    /** Runs a query and returns its rows, each converted by `read`. */
    rows<T>(read: (row: Row) => T, sql: string, ...cells: readonly Cell[]): T[] {
      const found = guarded(() => prepared(sql).all(...cells) as Row[]);
      try {
        return found.map(read);
      } catch (error) {
        // If the JSON in a row can't be parsed, the file was damaged after Porchlight wrote the row.
        throw error instanceof SyntaxError ? failedBy(error) : error;
      }
    },

    /** Runs a statement. Returns the id of the row that was inserted last. */
    run(sql: string, ...cells: readonly Cell[]): number {
      const id = guarded(() => Number(prepared(sql).run(...cells).lastInsertRowid));
      if (depth === 0) checkpoints?.checkSize();
      return id;
    },

    /** Runs `work` as one transaction: all of its changes are stored, or none. */
    together<T>(work: () => T): T {
      if (depth > 0) return work();
      guarded(() => database.exec('BEGIN IMMEDIATE'));
      depth += 1;
      try {
        const result = work();
        guarded(() => database.exec('COMMIT'));
        checkpoints?.checkSize();
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      } finally {
        depth -= 1;
      }
    },

    /** Resolves once the next write won't wait for a thread that syncs. */
    writable: async (): Promise<void> => checkpoints?.passed(),
    /** Records that another thread has written. */
    wasWritten: (): void => checkpoints?.checkSize(),
    /** Ends the thread that makes checkpoints. Await this before `close`. */
    endThread: async (): Promise<void> => checkpoints?.close(),

    isTrusted: ({ name }: IndexPart) => trusted.has(name),
    /** Records whether the rows of a part match its files. */
    setTrusted({ name }: IndexPart, isTrusted: boolean): void {
      if (isTrusted && !isDamaged) trusted.add(name);
      else trusted.delete(name);
    },

    /** Stores which parts are trusted and closes the file. Without this call, the next start trusts no part. */
    close(): void {
      if (!database.isOpen) return;
      if (!isReadOnly && !isBeside && !isDamaged) {
        try {
          for (const name of trusted) database.prepare('INSERT INTO trusted VALUES (?)').run(name);
          // Moves all data into the main file. Otherwise, SQLite's extra files (WAL) would stay on disk until all
          // statements are garbage-collected.
          database.exec('PRAGMA journal_mode = DELETE');
        } catch {
          // Another process has the index open, or the disk is full. SQLite's extra files stay, and the next start reads
          // them with the main file.
        }
      }
      database.close();
      if (isDamaged) remove?.();
    },
  };
}

/** The message for the owner about a damaged index. */
export const damagedWords =
  'The index of your posts and files is damaged. Restart Porchlight, which then makes it again from your files.';

/** Returns the error of storage for an error of SQLite which means that the disk can't be written to. */
function asDiskFailure(error: unknown): unknown {
  const failure = sqliteFailure(error);
  const code = failure === 'full' ? 'ENOSPC' : failure === 'readonly' ? 'EROFS' : undefined;
  return code === undefined ? error : writeFailure(indexName, Object.assign(error as Error, { code }));
}

function openWhole(file: string, layout: string): ReturnType<typeof openFile> {
  try {
    return openFile(file, layout);
  } catch (error) {
    // A file that can't be written may still be right at the next start.
    if (isUnwritable(error)) return openFile(inMemory, layout);
    // If the index can't be opened, replace it with a new file, because its data is derived from the owner's files.
  }
  try {
    removeIndex(file);
    return openFile(file, layout);
  } catch {
    return openFile(inMemory, layout);
  }
}

function isUnwritable(error: unknown): boolean {
  const failure = sqliteFailure(error);
  if (failure === undefined) return ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(errorCode(error) ?? '');
  return failure === 'full' || failure === 'readonly' || isWithoutSharedMemory(error);
}

/** Opens or creates an index file. Throws if the file is unusable or has another layout. */
function openFile(file: string, layout: string) {
  // Create the file first, readable only by its owner, because SQLite would make it readable by everybody. SQLite gives
  // its extra files the same mode.
  if (file !== inMemory) closeSync(openSync(file, 'a', 0o600));
  const database = connectionTo(file);
  try {
    const isNew = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'layout'").get() === undefined;
    if (isNew) {
      database.exec(`BEGIN; ${layout}
        CREATE TABLE layout (text TEXT NOT NULL) STRICT;
        CREATE TABLE trusted (part TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`);
      database.prepare('INSERT INTO layout VALUES (?)').run(layout);
      database.exec('COMMIT');
    } else if (textOf(database) !== layout) throw new Error('The index has another layout.');
    const trusted = trustedIn(database);
    // The list of trusted parts must be deleted on disk before any change. If the process then ends without closing the
    // index, no part is trusted.
    database.exec('PRAGMA synchronous = FULL; DELETE FROM trusted; PRAGMA synchronous = NORMAL');
    return { database, trusted, ...(file !== inMemory && { file }) };
  } catch (error) {
    if (database.isOpen) database.close();
    throw error;
  }
}

/** Opens a connection to an index file. Throws if the file isn't a database. */
function connectionTo(file: string): Database {
  // Another thread may be writing. Its transactions take some ms.
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    // With `synchronous = NORMAL`, a power cut can lose the last changes, but never damages the file. SQLite then syncs
    // only at checkpoints, which are made by another thread.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY');
    database.exec('PRAGMA wal_autocheckpoint = 0');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const textOf = (database: Database) =>
  (database.prepare('SELECT text FROM layout').get() as { text: string }).text;

const trustedIn = (database: Database) =>
  new Set((database.prepare('SELECT part FROM trusted').all() as { part: string }[]).map(({ part }) => part));

/** How long the changes of one transaction may take before the event loop gets a turn, in ms. */
const mostAtOnceMs = 8;

/**
 * Returns a function that runs a change to the index in one transaction with other changes that are requested at the same
 * time, or in several if they take long. Changes are made in the order of the calls. The promise rejects if any change
 * of the group fails.
 */
export function sharedTransactions(
  index: Pick<IndexDatabase, 'together' | 'writable'>,
): (change: () => void) => Promise<void> {
  const inTurn = oneAtATime();
  let group: ReturnType<typeof newGroup> | undefined;

  function newGroup() {
    const changes: (() => void)[] = [];
    const done = nextTurn().then(() =>
      inTurn(async () => {
        await index.writable();
        group = undefined;
        for (let made = 0; ;) {
          index.together(() => {
            const end = performance.now() + mostAtOnceMs;
            do changes[made++]?.();
            while (made < changes.length && performance.now() < end);
          });
          if (made >= changes.length) return;
          await nextTurn();
          await index.writable();
        }
      }),
    );
    return { changes, done };
  }

  return (change) => {
    group ??= newGroup();
    group.changes.push(change);
    return group.done;
  };
}

/**
 * Compares the index `kept` with a new index that `fill` builds from the files. Adds a message to `problems` for the
 * first difference in each query's rows. Doesn't change `kept`. If `kept` is missing or untrusted, only calls `fill`,
 * because the next startup builds or updates the index anyway. `compared`: the queries that must return equal rows from
 * both indexes, keyed by the name that messages use. Each query returns rows in a fixed order. Each row has a column
 * `place` for use in messages.
 */
export async function compareWithNew(
  { tables, compared, kept }: { tables: IndexPart; compared: Compared; kept: IndexDatabase | undefined },
  problems: string[],
  fill: (made: IndexDatabase) => Promise<void>,
): Promise<void> {
  const made = openIndex(inMemory, [tables]);
  try {
    await fill(made);
    // Problems in the files would also make the indexes differ, so compare the indexes only if the files have no
    // problems.
    if (problems.length === 0 && kept?.isTrusted(tables)) problems.push(...differences(kept, made, compared));
  } finally {
    made.close();
  }
}

type Compared = Readonly<Record<string, string>>;

function* differences(kept: IndexDatabase, made: IndexDatabase, compared: Compared): Generator<string> {
  for (const [name, sql] of Object.entries(compared)) {
    const [found, expected] = [kept.rows(asItIs, sql), made.rows(asItIs, sql)];
    const at = Array.from({ length: Math.max(found.length, expected.length) }).findIndex(
      (_, row) => !isDeepStrictEqual(found[row], expected[row]),
    );
    const place = found[at]?.['place'] ?? expected[at]?.['place'];
    if (at >= 0) yield `The index of ${name} differs from the documents, first at ${place}.`;
  }
}

const asItIs = (row: Row) => row;
