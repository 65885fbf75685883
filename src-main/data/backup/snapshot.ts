import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import { makeFolders } from '../../storage/file-operations.ts';
import { verified } from '../../storage/held-folders.ts';
import { linesFolder } from '../../storage/records/write-lines.ts';
import type { LinesFor } from '../../storage/records/record-table.ts';
import type { Records } from '../../storage/records/records.ts';
import { stampOf } from '../../storage/file-facts.ts';
import { errorCode, readFailure, systemWriteFailure } from '../../storage/storage-error.ts';
import { mapAtOnce, whilePaused } from '../../storage/pacing.ts';
import { isKept } from '../../storage/kept-paths.ts';

/** A file of a data folder as it was at one moment. A file of media may be missing by the time that it is read. */
export interface SnapshotFile {
  /** The path in the data folder, with `/` as separator. */
  readonly path: string;
  readonly bytes: number;
  /** Where the content of this moment can be read. */
  readonly file: string;
}

export interface SnapshotOptions {
  /** The path that the name of a work folder begins with. The folder needs room for documents and rows. */
  readonly beside: string;
  /** Returns whether the snapshot contains the file at a path. */
  readonly isIncluded?: (path: string) => boolean;
  /** The database, whose rows the snapshot contains as lines (see record-lines.ts). */
  readonly records?: Pick<Records, 'lines' | 'documentFolders'> | undefined;
  /** What the snapshot is for. */
  readonly purpose?: LinesFor;
}

/** Returns whether a path is one of the rows that a backup contains. No data folder has such files. */
export const isLines = (path: string): boolean => path.split('/')[0] === linesFolder;

/** Returns whether a path is a file that never changes in place, so that it can be read where it lies. */
export const isMedia = (path: string): boolean => /^(?:media|webmentions\/pictures)\//.test(path);

/**
 * Runs `work` on a snapshot, whose files are sorted by path. Its documents and rows are in a work folder, which is
 * deleted afterwards: nothing is written in the data folder, whose disk may be full. Changes to the data wait only while
 * the documents that have just changed are copied.
 * @throws PorchlightError `data_has_links` if the folder contains symbolic links, which a copy would silently leave
 * out.
 */
export async function withSnapshot<T>(
  dataDir: string,
  work: (files: readonly SnapshotFile[]) => Promise<T>,
  { beside, isIncluded = isKept, records, purpose = 'backup' }: SnapshotOptions,
): Promise<T> {
  const folders = records?.documentFolders(purpose) ?? [];
  const isOfRows = (path: string) => isLines(path) || folders.some((folder) => isDocumentIn(path, folder));
  const atNow = async (): Promise<string[]> =>
    (await includedFiles(dataDir, isIncluded)).filter((path) => !isOfRows(path));
  const inSnapshot = () =>
    inWorkFolder(beside, async (dir) => {
      const copies = copiesOf(dataDir, dir);
      await copies.bring(await atNow());
      const lines = await records?.lines(purpose);
      const paths = await whilePaused(async () => {
        const found = await atNow();
        await copies.bring(found);
        await lines?.begin();
        return found;
      }).catch((error: unknown) => {
        lines?.end();
        throw error;
      });
      await lines?.write(dir).finally(() => lines.end());
      for (const folder of lines ? [linesFolder, ...folders] : [])
        paths.push(...(await includedFiles(dir, (path) => isWithinFolder(path, folder))));
      const files = await mapAtOnce([...new Set(paths)].sort(), async (path) => {
        const file = isMedia(path) ? join(dataDir, path) : join(dir, path);
        return { path, file, bytes: (await ifThere(stat(file)))?.size ?? 0 };
      });
      return work(files);
    });
  return verified(dataDir, inSnapshot);
}

const isWithinFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** Returns whether a file is a document, or the previous version of one, and not something that is kept aside. */
const isDocumentIn = (path: string, folder: string): boolean =>
  isWithinFolder(path, folder) && /\.json(?:\.previous)?$/.test(path);

/** Runs `work` with an empty folder whose name begins with `beside`, and deletes that folder afterwards. */
export async function inWorkFolder<T>(beside: string, work: (dir: string) => Promise<T>): Promise<T> {
  const dir = `${beside}.${randomBytes(4).toString('hex')}.part`;
  try {
    await mkdir(dir, { mode: 0o700 });
    return await work(dir);
  } catch (error) {
    throw systemWriteFailure(dir, error);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
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

/** Duplicates documents of the folder `from` to the folder `to`. Those that haven't changed since are kept. */
function copiesOf(from: string, to: string) {
  const stamps = new Map<string, string>();

  async function bringOne(path: string): Promise<void> {
    const [original, copy] = [join(from, path), join(to, path)];
    const stamp = await stampOf(original);
    if (stamp === '' || stamps.get(path) === stamp) return;
    await makeFolders(dirname(copy), { below: resolve(to) });
    await rm(copy, { force: true });
    await ifThere(duplicate(original, copy));
    stamps.set(path, stamp);
  }

  return {
    bring: async (paths: readonly string[]) =>
      void (await mapAtOnce(
        paths.filter((path) => !isMedia(path)),
        bringOne,
      )),
  };
}

/**
 * Creates a hard link if possible, and a copy otherwise. No file of a backup changes in place: each is replaced by a new
 * file.
 */
async function duplicate(original: string, copy: string): Promise<void> {
  try {
    await link(original, copy);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOSPC') throw error;
    await copyFile(original, copy, constants.COPYFILE_FICLONE);
  }
}

/** Returns undefined for a file that was deleted meanwhile. */
async function ifThere<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function linked(path: string): PorchlightError {
  return new PorchlightError(
    'data_has_links',
    `“${path}” in the data folder is a link, which a copy would leave out. Replace the link with the files, then try again.`,
  );
}
