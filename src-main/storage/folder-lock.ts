import { randomUUID } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, truncateSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Type } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { containsData, isThere } from './file-facts.ts';
import { nodeOperations, renamePatiently } from './file-operations.ts';
import { type HeldFolder, holdFolder, isHere, placeOnDisk } from './held-folders.ts';
import { jsonIn } from './json-value.ts';
import { lockName, workPrefix } from './kept-paths.ts';
import { isValid } from './schema-check.ts';
import type { Database } from './sqlite.ts';
import { errorCode, isDiskFailure, writeFailure } from './storage-error.ts';

/** Describes the process that has the lock, or says that the last one released it. */
const holderName = 'lock.json';
/** Exists if the process that has the lock was asked to end. */
const endingName = 'lock.ending';

const Holder = Type.Object({ pid: Type.Integer({ minimum: 1 }) });
const Released = Type.Object({ released: Type.Literal(true) });

/** How long to wait for processes that only look whether the folder is free, in ms. */
const patienceMs = 50;

/**
 * The open files of locks. Without a reference, the garbage collector would close a connection, and another process
 * could get the lock.
 */
const open = new Set<Database>();

/**
 * Locks a data folder for this process, and creates the folder if it is missing. The operating system holds the lock:
 * it lasts while the process is suspended, and ends with the process, however that ends. Until the lock is released,
 * Porchlight reads and writes in the folder only while the path still leads to the locked folder (see held-folders.ts).
 *
 * A lock on a file that can only be read would exclude nobody. A folder with data is then read without a lock, and
 * each write first tries to take it.
 *
 * Limit: the lock works between computers that share a folder only if their file system supports locks.
 *
 * @throws PorchlightError `folder_in_use` (409) with a message that names the folder and, if known, the process; in a
 * folder without data also `storage_full` and `storage_unwritable`.
 */
export async function lockFolder(dir: string): Promise<FolderLock> {
  try {
    const isNew = !(await isThere(dir));
    await nodeOperations.makeFolder(dir);
    const lock = new FolderLock(dir, isNew, await isThere(join(dir, endingName)));
    await lock.begin();
    return lock;
  } catch (error) {
    throw writeFailure(join(dir, lockName), error);
  }
}

/** The lock of a data folder (see lockFolder). */
export class FolderLock {
  /** Whether the folder was created. */
  readonly isNew: boolean;
  readonly #dir: string;
  readonly #wasEnding: boolean;
  readonly #folder: HeldFolder;
  /** What the folder said about its last process, before this one wrote into it. */
  #before: { readonly holder: unknown } | undefined;
  /** The open file, locked or not. */
  #connection: Database | undefined;
  #refusal: PorchlightError | undefined;
  #taking: Promise<void> | undefined;
  #noting: Promise<void> | undefined;
  #endHold: () => void = () => undefined;

  constructor(dir: string, isNew: boolean, wasEnding: boolean) {
    this.#dir = dir;
    this.isNew = isNew;
    this.#wasEnding = wasEnding;
    this.#folder = {
      dir,
      identity: resolve(dir),
      place: undefined,
      note: undefined,
      stamp: '',
      mayWrite: () => this.#mayWrite(),
    };
  }

  /**
   * True if the previous process ended without releasing the lock, and had not been asked to end: it was killed or it
   * crashed.
   */
  get isCrash(): boolean {
    return isValid(Holder, this.#before?.holder) && !this.#wasEnding;
  }

  /**
   * True if the previous process released the lock. `wasReleased` and `isCrash` are both false if its end took too
   * long, and may be both false after a power cut.
   */
  get wasReleased(): boolean {
    return isValid(Released, this.#before?.holder);
  }

  /** Why nothing may be written; undefined if this process has the lock. */
  get refusal(): PorchlightError | undefined {
    return this.#refusal;
  }

  /** Returns whether the folder at the path is the locked folder itself, not a copy of it. */
  isUnmoved(): boolean {
    return isHere(this.#folder);
  }

  /** Takes the lock, or begins to read a folder with data without it. Call it once. */
  async begin(): Promise<void> {
    try {
      await this.#take();
    } catch (error) {
      if (!isDiskFailure(error) || !containsData(this.#dir)) throw error;
      await this.#readUnlocked();
    }
    this.#endHold = holdFolder(this.#folder);
  }

  /**
   * Records that this process was asked to end. If its end then takes so long that it is killed, that is not a crash.
   * Never fails, because nothing may keep Porchlight from exiting.
   */
  async markEnding(): Promise<void> {
    if (!this.#isLocked() || !this.isUnmoved()) return;
    // On a full disk, the next start reports a crash if this process is killed.
    await writeFile(join(this.#dir, endingName), '', { mode: 0o600 }).catch(() => undefined);
  }

  /**
   * Releases the lock. Never fails: on a full disk or in a missing folder, the lock is released without a note, so the
   * next start can't tell this end from one that took too long. Doesn't touch another folder at the same path.
   */
  async release(): Promise<void> {
    if (this.#isLocked() && this.isUnmoved())
      await replace(this.#noteFile, { released: true }).catch(() => this.markEnding());
    if (this.#connection) close(this.#connection);
    this.#connection = undefined;
    this.#endHold();
  }

  get #noteFile(): string {
    return resolve(this.#dir, holderName);
  }

  #isLocked(): boolean {
    return this.#connection !== undefined && this.#refusal === undefined;
  }

  async #mayWrite(): Promise<void> {
    if (this.#refusal)
      await (this.#taking ??= this.#take()
        .catch((error: unknown) => {
          throw unwritable(error);
        })
        .finally(() => (this.#taking = undefined)));
    else if (this.#folder.note === undefined) await this.#writeNote();
  }

  async #take(): Promise<void> {
    const file = resolve(this.#dir, lockName);
    let taken: Database | undefined;
    try {
      makeFile(file);
      taken = await locked(file);
      const holder = await holderOf(this.#dir);
      if (taken === undefined) throw inUse(this.#dir, holder);
      if (!isDeepStrictEqual({ holder }, this.#before ?? { holder })) throw changed(this.#dir);
      this.#before = { holder };
    } catch (error) {
      if (taken) close(taken);
      throw (this.#refusal = writeFailure(file, error));
    }
    if (this.#connection) close(this.#connection);
    this.#connection = taken;
    this.#refusal = undefined;
    this.#hold(file);
    await this.#writeNote();
  }

  /** Begins to read the folder without its lock. */
  async #readUnlocked(): Promise<void> {
    const file = resolve(this.#dir, lockName);
    this.#before = { holder: await holderOf(this.#dir) };
    this.#hold(existsSync(file) ? file : resolve(this.#dir));
    if (!existsSync(file)) return;
    const { DatabaseSync, sqliteFailure } = await import('./sqlite.ts');
    this.#connection = new DatabaseSync(file, { readOnly: true, timeout: patienceMs });
    open.add(this.#connection);
    try {
      // Waits for a process that has locked the file while it could still be written.
      this.#connection.prepare('SELECT count(*) FROM sqlite_schema').get();
    } catch (error) {
      if (sqliteFailure(error) !== 'busy' || !(await canLock(this.#dir, DatabaseSync))) return;
      close(this.#connection);
      throw inUse(this.#dir, this.#before.holder);
    }
  }

  #hold(identity: string): void {
    this.#folder.identity = identity;
    this.#folder.place = placeOnDisk(identity);
  }

  /**
   * Writes which process has the lock. If that is impossible, the next write tries again. Never twice at the same time:
   * the file would have one id, and this process would expect the other.
   */
  #writeNote(): Promise<void> {
    return (this.#noting ??= this.#putNote().finally(() => (this.#noting = undefined)));
  }

  async #putNote(): Promise<void> {
    const id = randomUUID();
    try {
      await replace(this.#noteFile, { pid: process.pid, id });
      this.#folder.note = { file: this.#noteFile, id };
      await rm(join(this.#dir, endingName), { force: true });
    } catch {
      // A full disk, for example. The lock itself needs no note.
    }
  }
}

/** Returns what a folder's lock says about the process that has it, or had it last; undefined if it says nothing. */
export async function holderOf(dir: string): Promise<unknown> {
  return jsonIn(await readFile(join(dir, holderName), 'utf8').catch(() => ''));
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

/**
 * Locks the file for this process. Returns undefined if another process has the lock. Empties a file that nobody has
 * locked and that isn't SQLite's. It isn't replaced, because two processes could then each lock a file of their own.
 */
async function locked(file: string): Promise<Database | undefined> {
  // Imported here, because the `porchlight` command uses this file, but hardly ever locks a folder.
  const { DatabaseSync, sqliteFailure } = await import('./sqlite.ts');
  for (let turn = 1; ; turn += 1) {
    const connection = new DatabaseSync(file, { timeout: patienceMs });
    try {
      // No journal file: nothing is ever written.
      connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      open.add(connection);
      return connection;
    } catch (error) {
      connection.close();
      const failure = sqliteFailure(error);
      if (failure !== 'damaged' && !(await canLock(dirname(file), DatabaseSync)))
        throw noLocks(dirname(file));
      if (failure === 'busy') return undefined;
      if (failure !== 'damaged' || turn > 1) throw error;
    }
    // Without a pause since the attempt, because closing the file drops a lock that this process has on it.
    truncateSync(file);
  }
}

/** Returns whether the disk of a folder supports locks: whether this process can lock a file that nobody else knows. */
async function canLock(dir: string, open: new (file: string) => Database): Promise<boolean> {
  const file = join(dir, `${workPrefix}${randomUUID()}`);
  try {
    const connection = new open(file);
    try {
      connection.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return true;
    } catch {
      return false;
    } finally {
      connection.close();
    }
  } catch {
    return true; // The file can't be created, which the caller's own error says better.
  } finally {
    await rm(file, { force: true }).catch(() => undefined);
  }
}

const noLocks = (dir: string) =>
  new PorchlightError(
    'storage_unwritable',
    `The disk of “${dir}” doesn’t support locks, so two computers or programs could change your data at the same time. Porchlight saves nothing there. Move the folder to a disk of this computer.`,
    500,
  );

function close(connection: Database): void {
  open.delete(connection);
  connection.close();
}

/** Replaces a file in one step. It need not be synced to disk, because no lock survives a power cut. */
async function replace(file: string, content: object): Promise<void> {
  try {
    await writeFile(`${file}.new`, `${JSON.stringify(content)}\n`, { mode: 0o600 });
    await renamePatiently(`${file}.new`, file);
  } catch (error) {
    await rm(`${file}.new`, { force: true }).catch(() => undefined);
    throw error;
  }
}

function inUse(dir: string, holder: unknown): PorchlightError {
  const process = isValid(Holder, holder) ? ` (process ${holder.pid})` : '';
  return new PorchlightError(
    'folder_in_use',
    `"${dir}" is in use by another Porchlight${process}. Close that one first, or choose another data folder.`,
    409,
  );
}

/** Returns the error for a write without the lock. Visitors see it, and must not read the folder's name. */
function unwritable(error: unknown): unknown {
  if (isDiskFailure(error) || !(error instanceof PorchlightError)) return error;
  return new PorchlightError('storage_unwritable', error.message, 500, { cause: error });
}

function changed(dir: string): PorchlightError {
  return new PorchlightError(
    'storage_unwritable',
    `Another Porchlight has used "${dir}" while this one could only read it. Restart Porchlight.`,
    500,
  );
}
