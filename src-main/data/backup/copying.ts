import { copyFile, mkdir, open, rm, rmdir, stat, statfs, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { isWithin } from '../../storage/held-folders.ts';
import { readJson } from '../../storage/file-content.ts';
import { workPrefix } from '../../storage/kept-paths.ts';
import { goOn, type LongTask } from '../../storage/pacing.ts';
import { isValid } from '../../storage/schema-check.ts';
import { sha256OfFile } from '../../storage/file-facts.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';

/** The coarsest precision with which common file systems store the modification time of a file, in ms. */
export const coarse = 2_000;

/** How many bytes must stay free on a disk. */
const roomToSpare = 50_000_000;

/**
 * Checks that a disk has room for so many bytes. `words`: returns the message for the owner; its argument is the room
 * that is needed, in MB.
 * @throws PorchlightError `storage_full`
 */
export async function needRoom(
  folder: string,
  bytes: number,
  words: (megabytes: number) => string,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const needed = bytes + roomToSpare;
  if (bavail * bsize < needed) throw new PorchlightError('storage_full', words(Math.ceil(needed / 1e6)), 507);
}

interface Copying {
  /** Returns where the file at a path is read. */
  readonly from: (path: string) => string;
  readonly to: string;
  /** The files to copy. Paths use `/` as separator. */
  readonly paths: readonly string[];
  readonly work: LongTask;
  readonly total: number;
  /**
   * A file that was last changed before this time (ms) is skipped if its size and modification time are the same in
   * both folders. If absent, no file is skipped.
   */
  readonly unchangedBefore?: number;
  /** Returns whether the file at a path may be missing by now. It is then left out. */
  readonly isPassing?: (path: string) => boolean;
  /** Called with the path of each file that was written. */
  readonly wrote?: (path: string) => void;
}

/**
 * Copies files from one folder to another, and reads each copy back. Resolves when all copies are on disk. A copy gets
 * its final name only when it is complete, even if the process is killed.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `cancelled`.
 */
export async function copyAll(copying: Copying): Promise<void> {
  const { from, to, paths, work, total, unchangedBefore = -Infinity, wrote } = copying;
  const folders = new Set([to]);
  let done = 0;
  for (const path of paths) {
    goOn(work);
    const [source, target] = [from(path), join(to, path)];
    const about = await stat(source).catch((error: unknown) => {
      if (copying.isPassing?.(path) !== true || errorCode(error) !== 'ENOENT') throw error;
    });
    if (about === undefined) continue;
    done += about.size;
    const there = await stat(target).catch(() => undefined);
    const isProbablySame = there?.size === about.size && Math.abs(there.mtimeMs - about.mtimeMs) <= coarse;
    if (isProbablySame && about.mtimeMs < unchangedBefore) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    for (let folder = dirname(target); folder.length >= to.length; folder = dirname(folder))
      folders.add(folder);
    await copyChecked(source, unfinishedIn(to), target);
    await utimes(unfinishedIn(to), about.atime, about.mtime);
    await renamePatiently(unfinishedIn(to), target);
    wrote?.(path);
    work.progress(done, total, 'Copying your data.');
  }
  for (const folder of folders) await nodeOperations.syncFolder(folder);
}

/**
 * Removes the copies at `paths` from a folder. Also removes the list of copied files, and subfolders that become
 * empty.
 */
export async function removeCopiedFiles(folder: string, paths: Iterable<string>): Promise<void> {
  await removePaths(folder, paths);
  await rm(unfinishedIn(folder), { force: true });
  await forgetCopied(folder);
}

/** Removes the copies at `paths` from a folder, and subfolders that become empty. */
export async function removePaths(folder: string, paths: Iterable<string>): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    await rm(join(folder, path), { force: true });
    for (let above = dirname(path); above !== '.'; above = dirname(above)) folders.add(above);
  }
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const path of deepestFirst) await rmdir(join(folder, path)).catch(() => undefined);
}

/** Returns the path at which a file is written before it gets its final name. */
const unfinishedIn = (folder: string) => join(folder, `${workPrefix}copying`);

/** Copies a file and checks that the copy has the same hash. `target`: the copy's final path, for error messages. */
async function copyChecked(source: string, file: string, target: string): Promise<void> {
  try {
    await copyFile(source, file);
    const handle = await open(file, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw writeFailure(target, error);
  }
  if ((await sha256OfFile(source)) !== (await sha256OfFile(file))) {
    throw new PorchlightError(
      'storage_unwritable',
      `“${target}” doesn’t match what Porchlight wrote. Check that disk.`,
      500,
    );
  }
}

/**
 * The list of the files that Porchlight has copied to a new data folder. The list stays in that folder until the move
 * of the data is finished. It distinguishes the copies from other files in the folder. Paths use `/` as separator.
 */
const Copied = Type.Array(Type.String({ minLength: 1 }));

const fileIn = (folder: string) => join(folder, `${workPrefix}copied.json`);

/** Writes the list of copied files. The list is on disk when the promise resolves. */
export async function noteCopied(folder: string, paths: readonly string[]): Promise<void> {
  await nodeOperations.write(fileIn(folder), JSON.stringify(paths));
  await nodeOperations.syncFolder(folder);
}

/**
 * Reads the list of copied files.
 * @throws PorchlightError `place_broken` if the list is missing or invalid.
 */
export async function readCopied(folder: string): Promise<string[]> {
  const found = await readJson(fileIn(folder), 'fileList', nodeOperations);
  if (found.state === 'whole' && isValid(Copied, found.value)) {
    // Somebody else may have changed the list, for example on a removable disk, so check each path.
    if (found.value.every((path) => isWithin(folder, join(folder, path)))) return found.value;
  }
  throw new PorchlightError(
    'place_broken',
    `Porchlight can’t tell which files it copied to “${folder}”.`,
    500,
  );
}

export async function forgetCopied(folder: string): Promise<void> {
  await rm(fileIn(folder), { force: true });
}
