import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  utimes,
} from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { nodeOperations } from '../file-operations.ts';
import { lockFolder } from '../folder-lock.ts';
import { errorCode, writeFailure } from '../storage-error.ts';
import { isWithin } from './backup.ts';
import { isMoved, isMovedEarly, workPrefix } from './kept-paths.ts';
import { forgetCopied, noteCopied, readCopied } from './copied.ts';
import { readPlace, writePlace } from './place.ts';
import { filesIn, withSnapshot } from './snapshot.ts';
import { goOn, type Work } from './work.ts';

export interface MoveOptions {
  readonly dataDir: string;
  readonly target: string;
  /** The file that says where the data is; see place.ts. */
  readonly placeFile: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly work: Work;
}

const roomToSpare = 50_000_000;
/** How exact the times of files are on the coarsest disks. In ms. */
const coarse = 2_000;

/**
 * Copies the data folder to a new or empty one while the server runs, and notes that it is to be used from the next
 * start on; what changes until then is copied at that start. Whatever fails, nothing has changed.
 * @throws PorchlightError `invalid_request` for a place that won't do, `storage_full`, `storage_unwritable`, `cancelled`.
 */
export async function prepareMove({ dataDir, target, placeFile, now, work }: MoveOptions): Promise<string> {
  const to = await emptyFolder(dataDir, target);
  let paths: string[] = [];
  try {
    await withSnapshot(
      dataDir,
      async ({ dir, files }) => {
        const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
        paths = files.map(({ path }) => path);
        await needRoom(to.folder, total);
        await copyAll({ from: dir, to: to.folder, paths, work, total });
        await noteCopied(to.folder, paths);
      },
      isMovedEarly,
    );
    const place = await readPlace(placeFile);
    const moving = { from: resolve(dataDir), to: to.folder, at: new Date(now).toISOString() };
    await writePlace(placeFile, { ...place, moving });
    return to.folder;
  } catch (error) {
    await to.empty(paths);
    throw error instanceof PorchlightError ? error : writeFailure(to.folder, error);
  }
}

/** Gives up a move that waits, and removes the copy: what somebody else put beside it stays. */
export async function dropMove(placeFile: string): Promise<void> {
  const { folder, moving } = await readPlace(placeFile);
  if (moving === null || moving.to === folder) return;
  await writePlace(placeFile, { folder, moving: null });
  const copied = await readCopied(moving.to).catch(() => []);
  await removeCopies(moving.to, copied);
}

export interface DataPlace {
  readonly folder: string;
  /** Why a move that waited could not be finished, in words; the data is where it was. */
  readonly problem?: string;
}

/**
 * At a start, before the data is opened: where it is. A move that waits is finished first; a kill at any moment leaves
 * the old folder or the new one whole and in use. `usual`: the folder where nobody ever moved anything.
 * @throws PorchlightError `place_missing` where the folder is not there: a disk that is not connected, say.
 */
export async function findData(placeFile: string, usual: string): Promise<DataPlace> {
  const place = await readPlace(placeFile);
  const { moving } = place;
  let problem: string | undefined;
  if (moving !== null && moving.to !== place.folder) {
    try {
      await finishCopy(moving);
      await writePlace(placeFile, { folder: moving.to, moving });
    } catch (error) {
      if (error instanceof PorchlightError && error.code === 'folder_in_use') throw error;
      problem =
        `Your data could not be moved to “${moving.to}” and is where it was. ${error instanceof Error ? error.message : ''}`.trim();
      await writePlace(placeFile, { ...place, moving: null });
    }
  }
  if (moving !== null && problem === undefined) {
    await putAside(moving);
    await forgetCopied(moving.to);
    await writePlace(placeFile, { folder: moving.to, moving: null });
  }
  const folder = problem === undefined ? (moving?.to ?? place.folder) : place.folder;
  if (folder !== null && !(await isFolder(folder))) {
    throw new PorchlightError(
      'place_missing',
      `Your data is in “${folder}”, which is not there now. Connect its disk and start Porchlight again, or start it with --data and another folder.`,
      500,
    );
  }
  return { folder: folder ?? usual, ...(problem !== undefined && { problem }) };
}

async function finishCopy({ from, to, at }: { from: string; to: string; at: string }): Promise<void> {
  const lock = await lockFolder(from);
  try {
    const paths = await filesIn(from, isMoved);
    const wanted = new Set(paths);
    if (!(await isFolder(to))) throw new PorchlightError('place_missing', `“${to}” is not there.`, 500);
    for (const path of await readCopied(to)) if (!wanted.has(path)) await rm(join(to, path), { force: true });
    const work: Work = { signal: new AbortController().signal, progress: () => undefined };
    await copyAll({ from, to, paths, work, total: 0, unchangedBefore: Date.parse(at) - coarse });
  } finally {
    await lock.release();
  }
}

async function putAside({ from, at }: { from: string; at: string }): Promise<void> {
  // It is done already after a kill; where it can't be done, the old folder keeps its name and does no harm.
  await rename(from, `${from}.moved-${at.slice(0, 19).replaceAll(':', '-')}`).catch(() => undefined);
}

interface Copying {
  readonly from: string;
  readonly to: string;
  readonly paths: readonly string[];
  readonly work: Work;
  readonly total: number;
  /** Files that were last changed before that moment (ms) and look the same are the same. */
  readonly unchangedBefore?: number;
}

async function copyAll({
  from,
  to,
  paths,
  work,
  total,
  unchangedBefore = -Infinity,
}: Copying): Promise<void> {
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
    await copyChecked(source, target);
    await utimes(target, about.atime, about.mtime);
    work.progress(done, total, 'Copying your data.');
  }
  for (const folder of folders) await nodeOperations.syncFolder(folder);
}

async function copyChecked(source: string, target: string): Promise<void> {
  try {
    await copyFile(source, target);
    const handle = await open(target, 'r+');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    throw writeFailure(target, error);
  }
  if ((await hashOf(source)) !== (await hashOf(target))) {
    throw new PorchlightError(
      'storage_unwritable',
      `“${target}” reads differently from what was written. Check that disk.`,
      500,
    );
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function emptyFolder(dataDir: string, target: string) {
  if (!isAbsolute(target))
    throw refused(`“${target}” is not a whole path. Start it at the root of the disk.`);
  const above = await realpath(dirname(resolve(target))).catch(() => undefined);
  if (above === undefined) throw refused(`There is no folder “${dirname(resolve(target))}”. Make it first.`);
  const there = await readdir(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw refused(`“${target}” is not a folder that can be read.`);
  });
  const folder = there === undefined ? join(above, basename(resolve(target))) : await realpath(target);
  const current = await realpath(dataDir);
  if (isWithin(current, folder) || isWithin(folder, current))
    throw refused('The data folder can not be moved into itself, or to a folder that it is in.');
  if (there !== undefined && there.length > 0)
    throw refused(`“${target}” is not empty. Choose a new folder, or an empty one.`);
  try {
    if (there === undefined) await mkdir(folder, { mode: 0o700 });
    else await writable(folder);
  } catch (error) {
    throw writeFailure(folder, error);
  }
  return {
    folder,
    empty: async (copied: readonly string[]) => {
      await removeCopies(folder, copied);
      if (there === undefined) await rmdir(folder).catch(() => undefined);
    },
  };
}

async function writable(folder: string): Promise<void> {
  const probe = join(folder, `${workPrefix}probe`);
  await mkdir(probe);
  await rm(probe, { recursive: true });
}

/** Removes copies from a folder, and the folders in it that are empty then. */
async function removeCopies(folder: string, paths: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const path of paths) {
    await rm(join(folder, path), { force: true });
    for (let above = dirname(path); above !== '.'; above = dirname(above)) folders.add(above);
  }
  await forgetCopied(folder);
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const path of deepestFirst) await rmdir(join(folder, path)).catch(() => undefined);
}

async function needRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= bytes + roomToSpare) return;
  throw new PorchlightError(
    'storage_full',
    `There is not enough room in “${folder}”. Nothing was changed.`,
    507,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  );
}

const refused = (message: string) => new PorchlightError('invalid_request', message);
