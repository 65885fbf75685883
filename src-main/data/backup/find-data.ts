import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Static, Type } from 'typebox';
import { PorchlightError } from '../../contract/error.ts';
import { closed } from '../../contract/shapes.ts';
import { nodeOperations, renamePatiently } from '../../storage/file-operations.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { jsonText, putFile, readJson } from '../../storage/file-content.ts';
import { isMoved } from '../../storage/kept-paths.ts';
import { isFolder, isThere } from '../../storage/file-facts.ts';
import { movedRecordsFiles, moveRecords, recordsFromMovedLines } from '../../storage/records/record-lines.ts';
import type { RepairOptions } from '../../storage/records/repair.ts';
import { isValid } from '../../storage/schema-check.ts';
import { coarse, copyAll, forgetCopied, readCopied, removeCopiedFiles, removePaths } from './copying.ts';
import { isLines, includedFiles } from './snapshot.ts';

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
 * complete. `usual`: the folder to use if the data was never moved. `repair`: how to repair a damaged database before it
 * is moved.
 * @throws PorchlightError `place_missing` if the folder doesn't exist, for example because its disk isn't connected;
 * `storage_unreadable` if the system can't tell whether the folder exists; `folder_in_use`. In these cases, the
 * original data is unchanged.
 */
export async function findData(placeFile: string, usual: string, repair: RepairOptions): Promise<DataPlace> {
  const place = await readPlace(placeFile);
  const { moving } = place;
  let folder = place.folder;
  let leftOut: readonly string[] = [];
  if (moving !== null) {
    if (moving.to !== folder) {
      const copied = await readCopied(moving.to).catch(() => undefined);
      if (!(await holdsData(moving.from, copied))) return takeCopy(placeFile, moving, copied, repair);
      const finished = await finishMove(placeFile, place, moving, repair);
      if ('failed' in finished)
        return { folder: await present(folder ?? moving.from), problem: finished.failed };
      leftOut = finished.leftOut;
    }
    folder = await present(moving.to);
    const kept = await putAside(moving);
    await forgetCopied(folder);
    await writePlace(placeFile, { folder, moving: null });
    if (leftOut.length > 0) return { folder, problem: leftOutWords(folder, kept, leftOut) };
  }
  return { folder: folder === null ? usual : await present(folder) };
}

/** Returns the folder that currently contains the data, without finishing a pending move. */
export async function whereDataIs(placeFile: string, usual: string): Promise<string> {
  return (await readPlace(placeFile)).folder ?? usual;
}

/**
 * Finishes a move. Returns what was left out, as messages for the owner. If the move fails, cancels it and returns a
 * message for the owner.
 * @throws PorchlightError `folder_in_use`. In that case, the move isn't cancelled.
 */
async function finishMove(
  placeFile: string,
  place: MovedPlace,
  moving: Moving,
  repair: RepairOptions,
): Promise<{ readonly leftOut: readonly string[] } | { readonly failed: string }> {
  const written = new Set<string>();
  try {
    const leftOut = await finishCopy(moving, written, repair);
    await writePlace(placeFile, { folder: moving.to, moving });
    return { leftOut };
  } catch (error) {
    if (error instanceof PorchlightError && error.code === 'folder_in_use') throw error;
    // Cancel the move before removing any file. Otherwise, the next start could use an incomplete folder.
    await writePlace(placeFile, { ...place, moving: null });
    const why = error instanceof Error ? error.message : String(error);
    const left = await clear(moving.to, written);
    const failed = `Porchlight couldn’t move your data to “${moving.to}”. Your data is in its old folder. ${why} ${left}`;
    return { failed: failed.trim() };
  }
}

/** Updates the copy and builds its database. Returns what was left out, as messages for the owner. */
async function finishCopy(
  { from, to, at }: Moving,
  written: Set<string>,
  repair: RepairOptions,
): Promise<string[]> {
  const lock = await lockFolder(from);
  try {
    if (!(await isFolder(to))) throw new PorchlightError('place_missing', `“${to}” doesn’t exist.`, 500);
    const copied = await readCopied(to);
    // First, because a repair keeps a damaged database aside, which is copied too.
    for (const name of movedRecordsFiles) written.add(name);
    const leftOut = await moveRecords(from, to, repair);
    const paths = (await includedFiles(from, isMoved)).filter((path) => !isLines(path));
    const included = new Set(paths);
    const gone = copied.filter((path) => !included.has(path));
    await removePaths(to, gone);
    await copyAll({
      from: (path) => join(from, path),
      to,
      paths,
      total: 0,
      unchangedBefore: Date.parse(at) - coarse,
      work: { signal: new AbortController().signal, progress: () => undefined },
      wrote: (path) => written.add(path),
    });
    return leftOut;
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
  if (copied === undefined) return (await includedFiles(from, isMoved)).length > 0;
  const settings = 'settings.json';
  const signs = copied.includes(settings) ? [settings] : copied;
  for (const path of signs) if (await isThere(join(from, path))) return true;
  return signs.length === 0;
}

/**
 * Makes the copy the new data folder, because the original data is gone, and builds its database from the rows that were
 * copied. Doesn't update the copy or delete any data.
 * @throws PorchlightError `place_missing` if the copy is incomplete.
 */
async function takeCopy(
  placeFile: string,
  { from, to, at }: Moving,
  copied: readonly string[] | undefined,
  repair: RepairOptions,
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
  const lines = (copied ?? []).filter(isLines);
  const leftOut = lines.length > 0 ? await recordsFromMovedLines(to, repair) : [];
  await writePlace(placeFile, { folder: to, moving: null });
  await removePaths(to, lines);
  await forgetCopied(to);
  const words = `Your data is now in “${to}”, as it was copied on ${at.slice(0, 10)}. “${from}” was gone or empty, so what changed after that is not in it.`;
  return { folder: to, problem: [words, ...leftOut].join(' ') };
}

/** Returns the message about rows that Porchlight could not have written. `kept`: the path of the old folder. */
const leftOutWords = (folder: string, kept: string, leftOut: readonly string[]): string =>
  `Porchlight moved your data to “${folder}”. ${leftOut.join(' ')} The old folder, “${kept}”, still has them.`;

/** Renames the old folder. Returns its path. */
async function putAside({ from, at }: Moving): Promise<string> {
  // The rename fails if an earlier start already renamed the folder and was then killed. If it fails for another
  // reason, the old folder keeps its name, which does no harm.
  const kept = `${from}.moved-${at.slice(0, 19).replaceAll(':', '-')}`;
  return renamePatiently(from, kept).then(
    () => kept,
    () => from,
  );
}

async function present(folder: string): Promise<string> {
  if (await isFolder(folder)) return folder;
  throw new PorchlightError(
    'place_missing',
    `Porchlight can’t find the folder with your data, “${folder}”. Connect its disk and restart Porchlight, or start it with --data and another folder.`,
    500,
  );
}

/**
 * The content of `place.json` in the desktop app's own folder. `folder`: the location of the data; null for the usual
 * location. `moving`: the pending move.
 */
const MovedPlace = closed({
  folder: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  moving: Type.Union([
    closed({ from: Type.String({ minLength: 1 }), to: Type.String({ minLength: 1 }), at: Type.String() }),
    Type.Null(),
  ]),
});
type MovedPlace = Static<typeof MovedPlace>;

/**
 * Reads `place.json`. If the file is missing, the data was never moved.
 * @throws PorchlightError `place_broken`
 */
export async function readPlace(file: string): Promise<MovedPlace> {
  const found = await readJson(file, 'note', nodeOperations);
  if (found.state === 'missing') return { folder: null, moving: null };
  if (found.state === 'whole' && isValid(MovedPlace, found.value)) return found.value;
  throw new PorchlightError(
    'place_broken',
    `Porchlight can’t read “${file}”, which says where your data is. Start with --data and the folder, or repair the file.`,
    500,
  );
}

/** Writes `place.json`. The file is on disk when the promise resolves. */
export async function writePlace(file: string, place: MovedPlace): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await putFile(file, jsonText(place));
}
