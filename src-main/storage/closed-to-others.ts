import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, open, opendir, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Problem } from '../contract/status.ts';
import { nodeOperations } from './file-operations.ts';
import { lockName } from './kept-paths.ts';
import { besideDatabase, recordsName } from './records/records-file.ts';
import { snapshotsIn } from './records/snapshots.ts';

/** The bits of a file's mode that give access to other users of the computer. */
const others = 0o077;
/** How many files and folders are closed to other users at the same time. */
const closedAtOnce = 64;
/** Flags for opening a file without following a symbolic link or waiting for the writer of a named pipe. */
const plainly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The databases at the top of the folder. SQLite may have them open while the contents are closed, and opening and
 * closing such a file drops SQLite's locks.
 */
const databases = [lockName, ...['', ...besideDatabase].map((ending) => recordsName + ending)];

/** A data folder that other users can't open any more. */
export interface ClosedFolder {
  /** What to show to the owner, if other users can still open the folder. */
  readonly problems: Problem[];
  /**
   * Removes other users' access to everything in the folder. This takes half a minute for 500,000 files, and meanwhile
   * the folder's own mode protects them. Stops when `signal` aborts. Doesn't reject if a mode can't be changed.
   */
  readonly closeContents: (signal: AbortSignal) => Promise<void>;
}

/**
 * Removes other users' access to a data folder, and to the databases in it. Call it before these are opened. If other
 * users can't open the folder, its contents stay as they are, because the folder's mode protects them. Follows no links
 * inside the folder. Does nothing on Windows, which protects users' folders by other means. `change`: chmod, replaceable
 * for tests. Doesn't reject if a mode can't be changed.
 */
export async function closeToOthers(
  dir: string,
  change: (path: string, mode: number) => Promise<void> = chmod,
): Promise<ClosedFolder> {
  const nothing = { problems: [], closeContents: () => Promise.resolve() };
  if (process.platform === 'win32') return nothing;
  const folder = await realpath(dir);
  const before = await stat(folder);
  if ((before.mode & others) === 0) return nothing;
  // Remove other users' access to the folder first, so that they can't replace its contents while access to the files
  // in it is removed.
  const error = await change(folder, before.mode & 0o700).catch((reason: unknown) => reason);
  if (error !== undefined || ((await stat(folder)).mode & others) !== 0)
    return { ...nothing, problems: [stillOpen(dir)] };
  // The file of the lock is empty, and is open already.
  const unopened = databases.filter((name) => name !== lockName).map((name) => join(folder, name));
  for (const path of [...unopened, ...snapshotsIn(folder)]) await closeOne(path).catch(() => undefined);
  return { problems: [], closeContents: (signal) => closeAllIn(folder, signal, new Set(databases)) };
}

/** Removes other users' access to everything in a folder, except for the files with the names in `left`. */
async function closeAllIn(
  folder: string,
  signal: AbortSignal,
  left: ReadonlySet<string> = new Set(),
): Promise<void> {
  // On failure, the mode of the folder at the top keeps others out.
  const entries = await opendir(folder, { bufferSize: closedAtOnce }).catch(() => undefined);
  const folders: string[] = [];
  const running: Promise<void>[] = [];
  async function closeEntry(path: string): Promise<void> {
    const found = await closeOne(path).catch(() => undefined);
    if (found?.isDirectory() === true) folders.push(path);
  }
  for await (const entry of entries ?? []) {
    if (signal.aborted) break;
    if ((!entry.isFile() && !entry.isDirectory()) || left.has(entry.name)) continue;
    if (running.push(closeEntry(join(folder, entry.name))) >= closedAtOnce)
      await Promise.all(running.splice(0));
  }
  await Promise.all(running);
  for (const path of folders) if (!signal.aborted) await closeAllIn(path, signal);
}

/**
 * Removes other users' access to a file or folder. Uses an open handle, so that it doesn't follow a link that somebody
 * puts at the path in the meantime.
 */
async function closeOne(path: string): Promise<Stats> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, plainly);
    const found = await handle.stat();
    if ((found.mode & others) !== 0) await handle.chmod(found.mode & 0o700);
    return found;
  } finally {
    await handle?.close();
  }
}

function stillOpen(dir: string): Problem {
  return {
    code: 'folder_open',
    message: `Other users of this computer can open “${dir}”, where your data is, and Porchlight can’t change that. Give access to yourself only (mode 700), or move your data to another folder.`,
  };
}

/** The folders that contain documents. Other folders may belong to other programs. */
const ours = new Set(['posts', 'tunnel']);
/** The temporary names of documents (see replace-file.ts). */
const temporary = /\.json(?:\.previous)?\.tmp$/;

/**
 * Removes the documents that a power cut left unfinished. Call it before anything in the data folder is
 * opened, because this function can't tell unfinished files from files that are still being written. Ignores errors,
 * because unfinished files only take up space.
 */
export async function removeUnfinished(dataDir: string, folder = ''): Promise<void> {
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && (folder !== '' || ours.has(path))) await removeUnfinished(dataDir, path);
    else if (entry.isFile() && temporary.test(path))
      await nodeOperations.remove(join(dataDir, path)).catch(() => undefined);
  }
}
