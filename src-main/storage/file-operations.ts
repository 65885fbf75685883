import { constants, copyFile, link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from './storage-error.ts';
import { changing } from './write-pause.ts';

/** What storage asks of the file system; tests pass ones that fail or count. */
export interface FileOperations {
  read(path: string): Promise<string>;
  /** Writes the whole file, for its owner's eyes only (0600), and waits until the disk has it. */
  write(path: string, text: string): Promise<void>;
  /** Gives a file's content a second name, which must be free. */
  duplicate(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file; fine where there is none. */
  remove(path: string): Promise<void>;
  /** Makes a folder and those above it, for their owner only (0700), and waits until the disk has them. */
  makeFolder(path: string): Promise<void>;
  /** Waits until the disk has the names in a folder. */
  syncFolder(path: string): Promise<void>;
}

export const nodeOperations: FileOperations = {
  read: (path) => readFile(path, 'utf8'),
  write: (path, text) => writeFile(path, text, { mode: 0o600, flush: true }),
  duplicate: (from, to) => changing(() => duplicate(from, to)),
  rename: (from, to) => changing(() => rename(from, to)),
  remove: (path) => changing(() => rm(path, { force: true })),
  makeFolder,
  syncFolder,
};

const noHardLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

async function duplicate(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (!noHardLinks.has(errorCode(error) ?? '')) throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await syncPath(to, 'r+');
  }
}

async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const highest = dirname(resolve(first));
  // A new folder's name is kept by the folder above it.
  for (let parent = dirname(resolve(path)); parent.length >= highest.length; parent = dirname(parent)) {
    await syncFolder(parent);
    if (parent === highest || parent === dirname(parent)) break;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder to sync it, and orders its own journal.
  if (process.platform !== 'win32') await syncPath(path, 'r');
}

async function syncPath(path: string, flags: string): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
