import { mkdir, readdir, realpath, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { verified } from '../../storage/held-folders.ts';
import type { Records } from '../../storage/records/records.ts';
import { errorCode, writeFailure } from '../../storage/storage-error.ts';
import { isWithin } from '../../storage/held-folders.ts';
import { copyAll, needRoom, noteCopied, readCopied, removeCopiedFiles } from './copying.ts';
import { isMovedEarly, workPrefix } from '../../storage/kept-paths.ts';
import { readPlace, writePlace } from './find-data.ts';
import { isMedia, withSnapshot } from './snapshot.ts';
import { goOn, type LongTask } from '../../storage/pacing.ts';

export interface MoveOptions {
  readonly dataDir: string;
  readonly target: string;
  /** The path of the file that records the location of the data; see place.ts. */
  readonly placeFile: string;
  /** The current time, in ms since 1970. */
  readonly now: number;
  /** The open database of the folder. */
  readonly records: Pick<Records, 'lines' | 'documentFolders'>;
  readonly work: LongTask;
}

/**
 * Copies the data to a new or empty folder while the server runs, with the rows of the database as lines. The next
 * start updates the copy, builds the database, and then uses the new folder. If anything fails, the old folder stays in use. Returns the new folder.
 * @throws PorchlightError `invalid_request` for an unsuitable path, `storage_full`, `storage_unwritable`, `cancelled`.
 */
export async function prepareMove(options: MoveOptions): Promise<string> {
  const { dataDir, target, placeFile, now, records, work } = options;
  const to = await emptyFolder(dataDir, target);
  const copied: string[] = [];
  try {
    await withSnapshot(
      dataDir,
      async (files) => {
        const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
        const places = new Map(files.map(({ path, file }) => [path, file]));
        await needRoom(
          to.folder,
          total,
          () => `There isn’t enough space in “${to.folder}”. Nothing was changed.`,
        );
        await copyAll({
          from: (path) => places.get(path) ?? join(dataDir, path),
          to: to.folder,
          paths: [...places.keys()],
          isPassing: isMedia,
          wrote: (path) => copied.push(path),
          work,
          total,
        });
        await noteCopied(to.folder, copied);
      },
      {
        beside: join(to.folder, `${workPrefix}snapshot`),
        isIncluded: isMovedEarly,
        records,
        purpose: 'move',
      },
    );
    goOn(work);
    const place = await readPlace(placeFile);
    const moving = { from: resolve(dataDir), to: to.folder, at: new Date(now).toISOString() };
    await writePlace(placeFile, { ...place, moving });
    return to.folder;
  } catch (error) {
    await to.empty(copied);
    throw writeFailure(to.folder, error);
  }
}

/** Cancels a pending move and removes the copy. Keeps other files that somebody put into the same folder. */
export async function dropMove(placeFile: string): Promise<void> {
  const { folder, moving } = await readPlace(placeFile);
  if (moving === null || moving.to === folder) return;
  await writePlace(placeFile, { folder, moving: null });
  const copied = await readCopied(moving.to).catch(() => []);
  await removeCopiedFiles(moving.to, copied);
}

async function emptyFolder(dataDir: string, target: string) {
  if (!isAbsolute(target)) throw refused(`“${target}” isn’t a full path. Start at the root of the disk.`);
  const above = await realpath(dirname(resolve(target))).catch(() => undefined);
  if (above === undefined)
    throw refused(`The folder “${dirname(resolve(target))}” doesn’t exist. Create it first.`);
  const there = await readdir(target).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw refused(`Porchlight can’t read the folder “${target}”.`);
  });
  const folder = there === undefined ? join(above, basename(resolve(target))) : await realpath(target);
  const current = await verified(dataDir, () => realpath(dataDir));
  if (isWithin(current, folder) || isWithin(folder, current))
    throw refused('You can’t move the data folder into itself or into a folder that contains it.');
  if (there !== undefined && there.length > 0)
    throw refused(`“${target}” isn’t empty. Choose a new or empty folder.`);
  try {
    if (there === undefined) await mkdir(folder, { mode: 0o700 });
    else await writable(folder);
  } catch (error) {
    throw writeFailure(folder, error);
  }
  return {
    folder,
    empty: async (copied: readonly string[]) => {
      await removeCopiedFiles(folder, copied);
      if (there === undefined) await rmdir(folder).catch(() => undefined);
    },
  };
}

async function writable(folder: string): Promise<void> {
  const probe = join(folder, `${workPrefix}probe`);
  await mkdir(probe);
  await rm(probe, { recursive: true });
}

const refused = (message: string) => new PorchlightError('invalid_request', message);
