import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { renamePatiently } from '../storage/file-operations.ts';
import { sha256 } from '../storage/file-facts.ts';
import { errorCode } from '../storage/storage-error.ts';

type FolderTroubleKind = 'missing' | 'read_only' | 'full' | 'conflict' | 'invalid_name' | 'broken';

/** The error for a file in the owner's folder that could not be written. The file stays unchanged. */
export class FolderTrouble extends Error {
  readonly kind: FolderTroubleKind;
  /** The message for the owner: what happened, and what to do about it. */
  readonly words: string;
  /** The file's name, relative to the folder. */
  readonly file: string;

  constructor(kind: FolderTroubleKind, words: string, file: string, cause?: unknown) {
    super(words, { cause });
    this.name = 'FolderTrouble';
    this.kind = kind;
    this.words = words;
    this.file = file;
  }
}

/**
 * Reads and writes files in an owner's folder that doesn't use git. File names are relative to the folder, with
 * slashes.
 */
interface FolderFiles {
  /** Reads a file. Returns null if the file doesn't exist. */
  read(file: string): Promise<Buffer | null>;
  /**
   * Writes a file, or deletes it if `content` is null. Does nothing if the file already has the new content. Resolves
   * once the change is on disk. Creates missing folders, and returns the folders that it created. `expected`: the
   * SHA-256 (hex) of the current content; null if the file must not exist.
   * @throws FolderTrouble
   */
  write(file: string, content: Buffer | null, expected: string | null): Promise<string[]>;
  /** Removes the empty folders among `folders`. Pass only folders that `write` has created. */
  removeEmpty(folders: readonly string[]): Promise<void>;
}

/** Opens a folder for writing. This call itself changes nothing. */
export function openFolderFiles(folder: string): FolderFiles {
  /**
   * Returns the full path of a file. The folders on that path need not exist. Refuses paths that lead through a
   * symlink.
   */
  async function placeOf(file: string): Promise<string> {
    if (!isFileName(file)) throw invalidName(file);
    let place = await realRoot(folder, file);
    for (const part of file.split('/')) {
      await requireOnlySpelling(place, part, file);
      place = path.join(place, part);
      const found = await statOf(place);
      if (found?.isSymbolicLink() === true) throw inTheWay(file, place, 'a symlink');
    }
    return place;
  }

  async function contentAt(place: string, file: string): Promise<Buffer | null> {
    const found = await statOf(place);
    if (found === undefined) return null;
    if (!found.isFile()) throw inTheWay(file, place, 'not a file');
    return readFile(place);
  }

  return {
    read: (file) => inWords(file, folder, async () => contentAt(await placeOf(file), file)),
    write: (file, content, expected) =>
      inWords(file, folder, async () => {
        const place = await placeOf(file);
        const current = await contentAt(place, file);
        if (content === null ? current === null : current?.equals(content) === true) return [];
        if ((current === null ? null : sha256(current)) !== expected) throw changedByOthers(file);
        if (content === null) {
          await rm(place);
          await syncFolder(path.dirname(place));
          return [];
        }
        const made = await makeFolders(folder, path.posix.dirname(file));
        await replace(place, content);
        return made;
      }),
    async removeEmpty(folders) {
      const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
      for (const name of deepestFirst)
        await inWords(name, folder, async () => rmdir(await placeOf(name)).catch(ignoreFull));
    },
  };
}

async function realRoot(folder: string, file: string): Promise<string> {
  const root = await realpath(folder).catch((cause: unknown) => {
    throw missing(folder, file, cause);
  });
  if (!(await stat(root)).isDirectory()) throw missing(folder, file);
  return root;
}

/**
 * Refuses a name that differs from an existing name only by case or by the encoding of accents, because some systems
 * treat both as the same name.
 */
async function requireOnlySpelling(dir: string, name: string, file: string): Promise<void> {
  const names = await readdir(dir).catch((error: unknown): string[] => {
    if (errorCode(error) === 'ENOENT') return [];
    if (errorCode(error) === 'ENOTDIR') throw inTheWay(file, dir, 'not a folder');
    throw error;
  });
  if (names.includes(name)) return;
  const similar = names.find((one) => folded(one) === folded(name));
  if (similar === undefined) return;
  const words = `The folder already has “${similar}”, and Macs and Windows don’t tell it from “${name}”. Rename one of them.`;
  throw new FolderTrouble('conflict', words, file);
}

/** Creates the missing folders, and returns the created folders, relative to `root`. */
async function makeFolders(root: string, dir: string): Promise<string[]> {
  const made: string[] = [];
  const parts = dir === '.' ? [] : dir.split('/');
  for (const [index] of parts.entries()) {
    const name = parts.slice(0, index + 1).join('/');
    try {
      await mkdir(path.join(root, name));
      made.push(name);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  return made;
}

/** The paths of the temporary files that this process is writing. */
const temporaryFiles = new Set<string>();

/** Removes the temporary files left behind in a folder by processes that were killed. */
async function removeLeftovers(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    const place = path.join(dir, name);
    if (/^\.porchlight-[0-9a-f]{12}\.tmp$/.test(name) && !temporaryFiles.has(place))
      await rm(place, { force: true });
  }
}

/** Replaces a file in one step and keeps its permissions. A new file gets the default permissions. */
async function replace(place: string, content: Buffer): Promise<void> {
  const dir = path.dirname(place);
  await removeLeftovers(dir);
  const mode = (await statOf(place))?.mode;
  const temporary = path.join(dir, `.porchlight-${randomBytes(6).toString('hex')}.tmp`);
  temporaryFiles.add(temporary);
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(content);
      if (mode !== undefined) await handle.chmod(mode & 0o777);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await renamePatiently(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  } finally {
    temporaryFiles.delete(temporary);
  }
  await syncFolder(dir);
}

/** Waits until a folder's directory entries are on disk. Does nothing on Windows, which cannot open folders. */
async function syncFolder(dir: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const statOf = (place: string) =>
  lstat(place).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });

function ignoreFull(error: unknown): void {
  if (!['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
}

/** Runs `work`, and converts system errors to a FolderTrouble. */
async function inWords<T>(file: string, folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FolderTrouble) throw cause;
    throw troubleOf(file, folder, cause);
  }
}

function troubleOf(file: string, folder: string, cause: unknown): FolderTrouble {
  const code = errorCode(cause) ?? String(cause);
  if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
    const words = `Porchlight may not write ${file} in ${folder}. Check the permissions of the folder.`;
    return new FolderTrouble('read_only', words, file, cause);
  }
  if (['ENOSPC', 'EDQUOT'].includes(code))
    return new FolderTrouble('full', 'The disk is full: Free some space, then try again.', file, cause);
  return new FolderTrouble('broken', `${file} could not be written (${code}). Check the disk.`, file, cause);
}

const missing = (folder: string, file: string, cause?: unknown) =>
  new FolderTrouble(
    'missing',
    `The folder ${folder} doesn’t exist. If it is on another disk, connect the disk.`,
    file,
    cause,
  );
const invalidName = (file: string) =>
  new FolderTrouble(
    'invalid_name',
    `“${file}” isn’t a file below the folder. Check where posts and media go.`,
    file,
  );
const inTheWay = (file: string, place: string, what: string) =>
  new FolderTrouble('conflict', `${place} is ${what}, so Porchlight cannot write ${file}. Rename it.`, file);
const changedByOthers = (file: string) =>
  new FolderTrouble('conflict', `${file} was changed by somebody else. Decide which version stays.`, file);

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

/**
 * Returns whether a path stays inside its folder and doesn't lead into a `.git` folder, whose files can name programs
 * for git to run. `file`: relative, with slashes.
 */
export function isFileName(file: string): boolean {
  if (file === '' || /[\p{Cc}\p{Cs}\\]/u.test(file)) return false;
  return file.split('/').every((part) => part !== '' && !isReservedName(part));
}

/**
 * Returns whether some file system takes a name for `.`, `..` or `.git`. Windows ignores dots and spaces at the end,
 * reads what follows a colon as a stream of the file, and gives `.git` the short name `git~1`. The file system of Macs
 * ignores some invisible characters.
 */
function isReservedName(name: string): boolean {
  const seen = name.replace(/[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g, '').replace(/:.*$/, '');
  return /^(?:[. ]*|(?:\.git|git~\d+)[. ]*)$/i.test(seen);
}

/**
 * Returns a file name in lower case and with uniformly encoded accents, because macOS and Windows ignore these
 * differences between names.
 */
export const folded = (name: string) => name.normalize('NFC').toLowerCase();
