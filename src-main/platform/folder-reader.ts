import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../storage/storage-error.ts';
import { FolderTrouble } from './folder-files.ts';

/** The maximum number of files to list. The folder of a website should contain fewer files. */
const mostFiles = 200_000;
/** Folders to skip: they contain none of the website's pages, but often very many files. */
const passedOver = new Set(['.git', 'node_modules']);

/**
 * Opens a folder outside the data folder for reading. Names are relative to the opened folder, with `/`. Symlinks are
 * not followed.
 */
export function openFolderReader(folder: string) {
  async function entriesOf(dir: string) {
    try {
      return await readdir(path.join(folder, dir), { withFileTypes: true });
    } catch (error) {
      if (dir !== '' && ['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return [];
      const words = `The folder ${folder} can’t be read. If it is on another disk, connect the disk.`;
      throw new FolderTrouble('missing', words, dir, error);
    }
  }

  return {
    /** Returns the names of the entries in a folder (`''` for the top folder). Names of subfolders end in `/`. */
    async list(dir: string): Promise<string[]> {
      const entries = await entriesOf(dir);
      return entries.flatMap((entry) =>
        entry.isDirectory() ? [`${entry.name}/`] : entry.isFile() ? [entry.name] : [],
      );
    },

    /** Returns the beginning of a file as text, at most `mostBytes` bytes; undefined if the file doesn't exist. */
    async read(file: string, mostBytes: number): Promise<string | undefined> {
      const at = path.join(folder, file);
      const found = await lstat(at).catch(() => undefined);
      if (!found?.isFile()) return undefined;
      const handle = await open(at).catch(() => undefined);
      if (handle === undefined) return undefined;
      try {
        const bytes = Buffer.alloc(Math.min(mostBytes, found.size));
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
        return bytes.toString('utf8', 0, bytesRead);
      } finally {
        await handle.close();
      }
    },

    /** Returns the names of all files below the opened folder, except in skipped folders. */
    async all(): Promise<Set<string>> {
      const names = new Set<string>();
      const folders = [''];
      for (let dir = folders.pop(); dir !== undefined && names.size < mostFiles; dir = folders.pop())
        for (const entry of await entriesOf(dir)) {
          if (!entry.isDirectory()) names.add(dir + entry.name);
          else if (!passedOver.has(entry.name)) folders.push(`${dir}${entry.name}/`);
        }
      return names;
    },
  };
}

/** Returns the root of the git repository that contains a folder; undefined if there is none above the folder. */
export async function repositoryAbove(folder: string): Promise<string | undefined> {
  let at = path.resolve(folder);
  for (;;) {
    if ((await lstat(path.join(at, '.git')).catch(() => undefined)) !== undefined)
      return at === path.resolve(folder) ? undefined : at;
    if (at === path.dirname(at)) return undefined;
    at = path.dirname(at);
  }
}
