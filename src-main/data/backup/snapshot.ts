import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { makeFolders } from '../../storage/file-operations.ts';
import { verified } from '../../storage/held-folders.ts';
import { linesFolder } from '../../storage/records/record-lines.ts';
import type { LinesFor } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import { namesIn } from '../../storage/file-facts.ts';
import { errorCode, readFailure, systemWriteFailure } from '../../storage/storage-error.ts';
import { mapAtOnce, whilePaused } from '../../storage/pacing.ts';
import { isKept, workPrefix } from '../../storage/kept-paths.ts';

/** The files of a data folder as they were at one moment. */
export interface Snapshot {
  /** The folder that contains the files, under their original paths. */
  readonly dir: string;
  /** The files, sorted by path (with `/` as separator). */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
}

export interface SnapshotOptions {
  /** Returns whether the snapshot contains the file at a path. */
  readonly isIncluded?: (path: string) => boolean;
  /** The database, whose rows the snapshot contains as lines (see record-lines.ts). */
  readonly records?: Pick<Records, 'lines'> | undefined;
  /** What the snapshot is for. */
  readonly purpose?: LinesFor;
}

/** Returns whether a path is one of the rows that a backup contains. No data folder has such files. */
export const isLines = (path: string): boolean => path.split('/')[0] === linesFolder;

/**
 * Runs `work` on a snapshot, which is deleted afterwards. Changes to the data wait while the snapshot is made (see
 * write-pause.ts). For documents and media, the snapshot contains hard links, which take no space and little time.
 * Journals grow in place, so they are copied. On a disk without hard links, everything is copied.
 * @throws PorchlightError `data_has_links` if the folder contains symbolic links, which a copy would silently leave
 * out.
 */
export async function withSnapshot<T>(
  dataDir: string,
  work: (snapshot: Snapshot) => Promise<T>,
  { isIncluded = isKept, records, purpose = 'backup' }: SnapshotOptions = {},
): Promise<T> {
  return inWorkFolder(dataDir, async (dir) => {
    const lines = await records?.lines(purpose);
    const paths = await whilePaused(async () => {
      const found = (await includedFiles(dataDir, isIncluded)).filter((path) => !isLines(path));
      await mapAtOnce(found, (path) => duplicate(path, dataDir, dir));
      await lines?.begin();
      return found;
    }).catch((error: unknown) => {
      lines?.end();
      throw error;
    });
    await lines?.write(join(dir, linesFolder)).finally(() => lines.end());
    if (lines) paths.push(...(await namesIn(join(dir, linesFolder))).map((name) => `${linesFolder}/${name}`));
    paths.sort();
    const files = await mapAtOnce(paths, async (path) => ({
      path,
      bytes: (await stat(join(dir, path))).size,
    }));
    return work({ dir, files });
  });
}

/** Runs `work` with an empty folder inside the data folder, and deletes that folder afterwards. */
export async function inWorkFolder<T>(dataDir: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = join(dataDir, `${workPrefix}${randomBytes(6).toString('hex')}`);
  try {
    return await verified(dataDir, async () => {
      await mkdir(dir, { mode: 0o700 });
      return work(dir);
    });
  } catch (error) {
    throw systemWriteFailure(dir, error);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Removes the work folders that a killed process left behind. */
export async function sweepWorkFolders(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => []);
  for (const name of names)
    if (name.startsWith(workPrefix)) await rm(join(dataDir, name), { recursive: true, force: true });
}

/**
 * Returns the paths of all files that `isIncluded` accepts, sorted. Does not read folders that `isIncluded` rejects.
 */
export async function includedFiles(
  dataDir: string,
  isIncluded: (path: string) => boolean,
): Promise<string[]> {
  const files: string[] = [];
  async function walk(folder: string): Promise<void> {
    const dir = join(dataDir, folder);
    const entries = await readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
      throw readFailure(dir, error);
    });
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!isIncluded(path)) continue;
      if (entry.isDirectory()) await walk(path);
      else if (entry.isFile()) files.push(path);
      else if (entry.isSymbolicLink()) throw linked(path);
    }
  }
  await walk('');
  return files.sort();
}

/**
 * Duplicates the file at `path` in the folder `from` to the same path in the folder `dir`. Creates a hard link if
 * possible, and a copy otherwise. No file of a backup changes in place: each is replaced by a new file.
 */
async function duplicate(path: string, from: string, dir: string): Promise<void> {
  const [original, to] = [join(from, path), join(dir, path)];
  await makeFolders(dirname(to), { below: resolve(dir) });
  try {
    await link(original, to);
    return;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOSPC') throw error;
  }
  await copyFile(original, to, constants.COPYFILE_FICLONE);
}

function linked(path: string): PorchlightError {
  return new PorchlightError(
    'data_has_links',
    `“${path}” in the data folder is a link, which a copy would leave out. Replace the link with the files, then try again.`,
  );
}
