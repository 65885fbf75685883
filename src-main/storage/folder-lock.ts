import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { lockName } from './kept-paths.ts';
import { nodeOperations } from './file-operations.ts';
import { folderGone, holdFolder, verifiedRoot } from './held-folders.ts';
import { jsonIn } from './json-value.ts';
import { isThere } from './file-facts.ts';
import { isValid } from './schema-check.ts';
import type { Database } from './sqlite.ts';
import { errorCode, writeFailure } from './storage-error.ts';

/** Describes the process that has the lock, or says that the last one released it. */
const holderName = 'lock.json';
/** Exists if the process that has the lock was asked to end. */
const endingName = 'lock.ending';

const Holder = Type.Object({ pid: Type.Integer({ minimum: 1 }) });
const Own = Type.Object({ id: Type.String() });
const Released = Type.Object({ released: Type.Literal(true) });

/** How long to wait for processes that only look whether the folder is free, in ms. */
const patienceMs = 50;

/**
 * The open locks. Without a reference, the garbage collector would close a connection, and another process could get
 * the lock.
 */
const open = new Set<Database>();

export type FolderLock = Awaited<ReturnType<typeof lockFolder>>;

/**
 * Locks a data folder for this process, and creates the folder if it is missing. The operating system holds the lock:
 * it lasts while the process is suspended, and ends with the process, however that ends. Until the lock is released,
 * Porchlight reads and writes in the folder only while the path still leads to the locked folder (see held-folders.ts).
 *
 * Limit: the lock works between computers that share a folder only if their file system supports locks.
 *
 * @throws PorchlightError `folder_in_use` (409) with a message that names the folder and, if known, the process;
 * `storage_full`, `storage_unwritable`.
 */
export async function lockFolder(dir: string) {
  const file = join(dir, lockName);
  let connection: Database | undefined;
  try {
    const isNew = !(await isThere(dir));
    await nodeOperations.makeFolder(dir);
    makeFile(file);
    connection = await locked(file);
    const before = await holderOf(dir);
    if (connection === undefined) throw inUse(dir, isValid(Holder, before) ? before.pid : undefined);
    return { isNew, ...(await holdLocked(dir, connection, before)) };
  } catch (error) {
    if (connection) unlock(connection);
    throw writeFailure(file, error);
  }
}

/** Returns what a folder's lock says about the process that has it, or had it last; undefined if it says nothing. */
export async function holderOf(dir: string): Promise<unknown> {
  return jsonIn(await readFile(join(dir, holderName), 'utf8').catch(() => ''));
}

async function holdLocked(dir: string, connection: Database, before: unknown) {
  const file = join(dir, lockName);
  const place = placeOf(file);
  let copy: Database | undefined;
  const finding = new AbortController();
  const replaced: AbortSignal = finding.signal;
  const [holderFile, endingFile] = [join(dir, holderName), join(dir, endingName)];
  const wasEnding = await isThere(endingFile);
  const id = randomUUID();
  await replace(holderFile, { pid: process.pid, id });
  await rm(endingFile, { force: true });
  const hold = holdFolder(dir, holderFile, id, () => finding.abort());

  return {
    /**
     * True if the previous process ended without releasing the lock, and had not been asked to end: it was killed or it
     * crashed.
     */
    isCrash: isValid(Holder, before) && !wasEnding,
    /**
     * True if the previous process released the lock. `wasReleased` and `isCrash` are both false if its end took too
     * long, and may be both false after a power cut.
     */
    wasReleased: isValid(Released, before),
    /**
     * Returns whether the folder at the path is the locked folder itself, not a copy of it. Once a copy has been found
     * at the path, the result stays false. A remounted disk may count as a copy.
     */
    isUnmoved: () => hold.isHere(),
    /** Aborts when a copy of the locked folder is found at the path. */
    replaced,
    /**
     * Locks the copy at the path, which `replaced` has announced, until this lock is released.
     * @throws PorchlightError `folder_in_use` if another process has it; `storage_gone` if it isn't there now
     */
    async lockCopy(): Promise<void> {
      const found = jsonIn(await readFile(holderFile, 'utf8').catch(() => ''));
      if (!isValid(Own, found) || found.id !== id) throw folderGone(dir);
      if (copy) unlock(copy);
      copy = undefined;
      makeFile(file);
      // The locked folder itself may be back.
      if (placeOf(file) === place) return;
      copy = await locked(file);
      if (copy === undefined) throw inUse(dir, undefined);
    },
    /**
     * Records that this process was asked to end. If its end then takes so long that it is killed, that is not a crash.
     * Never fails, because nothing may keep Porchlight from exiting.
     */
    async markEnding(): Promise<void> {
      try {
        verifiedRoot(dir);
        await writeFile(endingFile, '', { mode: 0o600 });
      } catch {
        // A full disk or a missing folder. If this process is then killed, the next start reports a crash.
      }
    },
    /**
     * Releases the lock. Never fails: on a full disk or in a missing folder, the lock is released without a note, so the
     * next start can't tell this end from one that took too long. Doesn't touch another folder at the same path.
     */
    async release(): Promise<void> {
      if (!open.has(connection)) return;
      try {
        verifiedRoot(dir);
        await replace(holderFile, { released: true }).catch(() => writeFile(endingFile, '', { mode: 0o600 }));
      } catch {
        // Ends without a note.
      }
      for (const one of [connection, copy]) if (one) unlock(one);
      hold.end();
    },
  };
}

/**
 * Creates the lock's file if it is missing, and checks that this process may write to it: SQLite's own errors don't
 * name the reason. Runs without a pause between opening and closing the new file, which nothing can have locked yet.
 */
function makeFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
  }
}

/** Locks the file for this process. Returns undefined if another process has the lock. */
async function locked(file: string): Promise<Database | undefined> {
  // Imported here, because the `porchlight` command uses this file, but hardly ever locks a folder.
  const { DatabaseSync, sqliteFailure } = await import('./sqlite.ts');
  const connection = new DatabaseSync(file, { timeout: patienceMs });
  try {
    // No journal file: nothing is ever written.
    connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    connection.close();
    if (sqliteFailure(error) === 'busy') return undefined;
    throw error;
  }
  open.add(connection);
  return connection;
}

/** Returns the device and inode of a file; undefined if it is missing. */
function placeOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

function unlock(connection: Database): void {
  open.delete(connection);
  connection.close();
}

/** Replaces a file in one step. It need not be synced to disk, because no lock survives a power cut. */
async function replace(file: string, content: object): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function inUse(dir: string, pid: number | undefined): PorchlightError {
  const process = pid === undefined ? '' : ` (process ${pid})`;
  return new PorchlightError(
    'folder_in_use',
    `"${dir}" is in use by another Porchlight${process}. Close that one first, or choose another data folder.`,
    409,
  );
}
