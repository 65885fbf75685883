import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { isFolder, isThere } from '../../storage/presence.ts';
import { forgetCopied, readCopied } from './copied.ts';
import { coarse, copyAll, removeCopiedFiles } from './copying.ts';
import { isMoved } from '../../storage/kept-paths.ts';
import { readPlace, writePlace, type MovedPlace } from './place.ts';
import { wantedFiles } from './snapshot.ts';

type Moving = NonNullable<MovedPlace['moving']>;

export interface DataPlace {
  readonly folder: string;
  /**
   * A message for the owner. Present if a pending move failed, or if the folder contains a copy that may be out of
   * date.
   */
  readonly problem?: string;
}

/**
 * Returns the folder that contains the data. Called at startup, before the data is opened. First finishes a pending
 * move. If the process is killed during the move, either the old folder or the new folder stays in use, and its data is
 * complete. `usual`: the folder to use if the data was never moved.
 * @throws PorchlightError `place_missing` if the folder doesn't exist, for example because its disk isn't connected;
 * `storage_unreadable` if the system can't tell whether the folder exists; `folder_in_use`. In these cases, the
 * original data is unchanged.
 */
export async function findData(placeFile: string, usual: string): Promise<DataPlace> {
  const place = await readPlace(placeFile);
  const { moving } = place;
  let folder = place.folder;
  if (moving !== null) {
    if (moving.to !== folder) {
      const copied = await readCopied(moving.to).catch(() => undefined);
      if (!(await holdsData(moving.from, copied))) return takeCopy(placeFile, moving, copied);
      const problem = await finishMove(placeFile, place, moving);
      if (problem !== undefined) return { folder: await present(folder ?? moving.from), problem };
    }
    folder = await present(moving.to);
    await putAside(moving);
    await forgetCopied(folder);
    await writePlace(placeFile, { folder, moving: null });
  }
  return { folder: folder === null ? usual : await present(folder) };
}

/** Returns the folder that currently contains the data, without finishing a pending move. */
export async function whereDataIs(placeFile: string, usual: string): Promise<string> {
  return (await readPlace(placeFile)).folder ?? usual;
}

/**
 * Finishes a move. If that fails, cancels the move and returns a message for the owner.
 * @throws PorchlightError `folder_in_use`. In that case, the move isn't cancelled.
 */
async function finishMove(placeFile: string, place: MovedPlace, moving: Moving): Promise<string | undefined> {
  const written = new Set<string>();
  try {
    await finishCopy(moving, written);
    await writePlace(placeFile, { folder: moving.to, moving });
    return undefined;
  } catch (error) {
    if (error instanceof PorchlightError && error.code === 'folder_in_use') throw error;
    // Cancel the move before removing any file. Otherwise, the next start could use an incomplete folder.
    await writePlace(placeFile, { ...place, moving: null });
    const why = error instanceof Error ? error.message : String(error);
    return `Porchlight couldn’t move your data to “${moving.to}”. Your data is in its old folder. ${why} ${await clear(moving.to, written)}`.trim();
  }
}

async function finishCopy({ from, to, at }: Moving, written: Set<string>): Promise<void> {
  const lock = await lockFolder(from);
  try {
    const paths = await wantedFiles(from, isMoved);
    const wanted = new Set(paths);
    if (!(await isFolder(to))) throw new PorchlightError('place_missing', `“${to}” doesn’t exist.`, 500);
    for (const path of await readCopied(to)) if (!wanted.has(path)) await rm(join(to, path), { force: true });
    await copyAll({
      ...{ from, to, paths, total: 0, unchangedBefore: Date.parse(at) - coarse },
      work: { signal: new AbortController().signal, progress: () => undefined },
      wrote: (path) => written.add(path),
    });
  } finally {
    await lock.release();
  }
}

/**
 * Removes the copied files from the folder `to`. They may include secrets, and another attempt needs an empty folder.
 * Returns a warning if the folder isn't empty afterwards; otherwise, an empty string.
 */
async function clear(to: string, written: ReadonlySet<string>): Promise<string> {
  const copied = await readCopied(to).catch(() => []);
  await removeCopiedFiles(to, [...copied, ...written]).catch(() => undefined);
  const left = await readdir(to).catch(() => []);
  return left.length === 0
    ? ''
    : `“${to}” isn’t empty: part of the copy may still be there. Check that folder.`;
}

/**
 * Returns whether the old data folder `from` still contains the copied data. Returns false for an empty folder, which
 * may be new, or the mount point of a disconnected disk. Updating the copy from an empty folder would delete every file
 * in the copy.
 */
async function holdsData(from: string, copied: readonly string[] | undefined): Promise<boolean> {
  if (!(await isFolder(from))) return false;
  if (copied === undefined) return (await wantedFiles(from, isMoved)).length > 0;
  const settings = 'settings.json';
  const signs = copied.includes(settings) ? [settings] : copied;
  for (const path of signs) if (await isThere(join(from, path))) return true;
  return signs.length === 0;
}

/**
 * Makes the copy the new data folder, because the original data is gone. Doesn't update the copy or delete any data.
 * @throws PorchlightError `place_missing` if the copy is incomplete.
 */
async function takeCopy(
  placeFile: string,
  { from, to, at }: Moving,
  copied: readonly string[] | undefined,
): Promise<DataPlace> {
  let isWhole = copied !== undefined;
  for (const path of copied ?? []) isWhole &&= await isThere(join(to, path));
  if (!isWhole) {
    throw new PorchlightError(
      'place_missing',
      `A move of your data from “${from}” to “${to}” didn’t finish. The first folder is gone or empty, and the second is incomplete. Connect their disks and restart Porchlight, or start it with --data and another folder.`,
      500,
    );
  }
  await writePlace(placeFile, { folder: to, moving: null });
  await forgetCopied(to);
  return {
    folder: to,
    problem: `Your data is now in “${to}”, as it was copied on ${at.slice(0, 10)}. “${from}” was gone or empty, so what changed after that is not in it.`,
  };
}

async function putAside({ from, at }: Moving): Promise<void> {
  // The rename fails if an earlier start already renamed the folder and was then killed. If it fails for another
  // reason, the old folder keeps its name, which does no harm.
  await rename(from, `${from}.moved-${at.slice(0, 19).replaceAll(':', '-')}`).catch(() => undefined);
}

async function present(folder: string): Promise<string> {
  if (await isFolder(folder)) return folder;
  throw new PorchlightError(
    'place_missing',
    `Porchlight can’t find the folder with your data, “${folder}”. Connect its disk and restart Porchlight, or start it with --data and another folder.`,
    500,
  );
}
