import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../file-operations.ts';
import { writeFailure } from '../storage-error.ts';
import { forgetCopied } from './copied.ts';
import { workPrefix } from './kept-paths.ts';
import { goOn, type Work } from './work.ts';

/** How exact the times of files are on the coarsest disks. In ms. */
export const coarse = 2_000;

export interface Copying {
  readonly from: string;
  readonly to: string;
  /** With `/` between names. */
  readonly paths: readonly string[];
  readonly work: Work;
  readonly total: number;
  /** Files that were last changed before that moment (ms) and look the same are the same. */
  readonly unchangedBefore?: number;
  /** Told of each file that was written. */
  readonly wrote?: (path: string) => void;
}

/**
 * Copies files from one folder to another, each read back and on disk. One that has its name is whole: a kill leaves
 * none that is half written.
 * @throws PorchlightError `storage_full`, `storage_unwritable`, `cancelled`.
 */
export async function copyAll(copying: Copying): Promise<void> {
  const { from, to, paths, work, total, unchangedBefore = -Infinity, wrote } = copying;
  const folders = new Set([to]);
  let done = 0;
  for (const path of paths) {
    goOn(work);
    const [source, target] = [join(from, path), join(to, path)];
    const about = await stat(source);
    done += about.size;
    const there = await stat(target).catch(() => undefined);
    const looksSame = there?.size === about.size && Math.abs(there.mtimeMs - about.mtimeMs) <= coarse;
    if (looksSame && about.mtimeMs < unchangedBefore) continue;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    for (let folder = dirname(target); folder.length >= to.length; folder = dirname(folder))
      folders.add(folder);
    await copyChecked(source, unfinishedIn(to), target);
    await utimes(unfinishedIn(to), about.atime, about.mtime);
    await rename(unfinishedIn(to), target);
    wrote?.(path);
    work.progress(done, total, 'Copying your data.');
  }
  for (const folder of folders) await nodeOperations.syncFolder(folder);
}

/** Removes copies from a folder, the note about them, and the folders in it that are empty then. */
export async function removeCopies(folder: string, paths: Iterable<string>): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    await rm(join(folder, path), { force: true });
    for (let above = dirname(path); above !== '.'; above = dirname(above)) folders.add(above);
  }
  await rm(unfinishedIn(folder), { force: true });
  await forgetCopied(folder);
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const path of deepestFirst) await rmdir(join(folder, path)).catch(() => undefined);
}

/** Where a file is written before it has its name. */
const unfinishedIn = (folder: string) => join(folder, `${workPrefix}copying`);

/** `target`: what it is to become. */
async function copyChecked(source: string, file: string, target: string): Promise<void> {
  try {
    await copyFile(source, file);
    const handle = await open(file, 'r+');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    throw writeFailure(target, error);
  }
  if ((await hashOf(source)) !== (await hashOf(file))) {
    throw new PorchlightError(
      'storage_unwritable',
      `“${target}” doesn’t match what Porchlight wrote. Check that disk.`,
      500,
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
