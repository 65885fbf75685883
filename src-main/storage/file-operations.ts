import { closeSync, fsync, openSync } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- renamePatiently is here.
import { constants, copyFile, link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { changing, coalesced } from './pacing.ts';
import { verified, verifiedRoot, verifiedToWrite } from './held-folders.ts';
import { errorCode } from './storage-error.ts';

/**
 * The file system operations that storage uses. In a locked data folder, each operation fails with `storage_gone` while
 * the folder isn't at its path (see held-folders.ts).
 */
export const nodeOperations = {
  /** Reads a text. Returns undefined if the file has more than `mostBytes`. */
  read: (path: string, mostBytes: number) => verified(path, () => readText(path, mostBytes)),
  /** Writes the whole file, readable only by its owner (0600), and waits until it is on disk. */
  write: (path: string, text: string) =>
    verifiedToWrite(path, () => writeFile(path, text, { mode: 0o600, flush: true })),
  /** Gives a file a second name: a hard link, or a copy where links aren't supported. Fails if the name is taken. */
  duplicate: (from: string, to: string) => changing(() => verifiedToWrite(to, () => duplicate(from, to))),
  rename: (from: string, to: string) => changing(() => verifiedToWrite(to, () => renamePatiently(from, to))),
  /** Removes a file, if it exists. */
  remove: (path: string) => changing(() => verifiedToWrite(path, () => rm(path, { force: true }))),
  /**
   * Creates a folder and its missing parents, accessible only to their owner (0700), and waits until they are on disk.
   * Never recreates a locked data folder that has gone missing.
   */
  makeFolder: (path: string) =>
    verifiedToWrite(path, () => makeFolders(path, { below: verifiedRoot(path), made: syncFolder })),
  /**
   * Syncs a folder to disk, so that new and renamed files in it survive a power cut. Calls that arrive during a sync
   * share the next sync.
   */
  syncFolder: (path: string) => verified(path, () => sharedSync(path)),
};

/** The type of `nodeOperations`. Tests use other implementations, which count calls or fail on purpose. */
export type FileOperations = typeof nodeOperations;

/** The codes with which a system refuses to rename a file that another program has open. */
const heldByOthers = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** How long a rename is tried, in ms. */
const mostPatience = 1000;

/**
 * Renames a file or folder. Tries for up to a second if it is denied: on Windows, and on network drives, a virus scanner
 * or an indexer holds a new file open for some ms, and nobody can rename it until then.
 * @throws the system's error
 */
export async function renamePatiently(from: string, to: string): Promise<void> {
  const start = performance.now();
  for (let wait = 10; ; wait = Math.min(2 * wait, 100)) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isHeld = heldByOthers.has(errorCode(error) ?? '');
      if (!isHeld || performance.now() - start + wait > mostPatience) throw error;
    }
    await delay(wait);
  }
}

async function readText(path: string, mostBytes: number): Promise<string | undefined> {
  const handle = await open(path);
  try {
    return (await handle.stat()).size > mostBytes ? undefined : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** The folders that are being synced, by path. */
const folderSyncs = new Map<string, { readonly sync: () => Promise<void>; users: number }>();

async function sharedSync(path: string): Promise<void> {
  const shared = folderSyncs.get(path) ?? { sync: coalesced(() => syncFolder(path)), users: 0 };
  folderSyncs.set(path, shared);
  shared.users += 1;
  try {
    await shared.sync();
  } finally {
    shared.users -= 1;
    if (shared.users === 0) folderSyncs.delete(path);
  }
}

const sync = promisify(fsync);

const noHardLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function duplicate(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!noHardLinks.has(errorCode(error) ?? '')) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    const handle = await open(to, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/**
 * Creates a folder and its missing parents, up to the folder `below`, which must exist. Creates them one by one,
 * because Node's recursive mkdir would also recreate `below` if somebody has just renamed it. `made`: called with the
 * parent of each new folder.
 */
export async function makeFolders(
  path: string,
  options: { readonly below: string | undefined; readonly made?: (parent: string) => Promise<void> },
): Promise<void> {
  const folder = resolve(path);
  const parent = dirname(folder);
  for (let isParentMade = false; folder !== options.below; isParentMade = true) {
    try {
      await mkdir(folder, { mode: 0o700 });
      return await options.made?.(parent);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return;
      if (errorCode(error) !== 'ENOENT' || isParentMade || parent === folder) throw error;
      await makeFolders(parent, options);
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder to sync it, and its file system writes folder changes in order without a sync.
  if (process.platform === 'win32') return;
  // Opening a folder to read it waits for nothing, so it needs none of the threads of the file system.
  const folder = openSync(path, 'r');
  try {
    await sync(folder);
  } finally {
    closeSync(folder);
  }
}
