import { constants, type Stats } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../storage/storage-error.ts';
import { GitTrouble } from './git-trouble.ts';

/** Where a folder's repository is. All paths are real paths: they contain no symlinks. */
export interface GitPlace {
  /** The full path of the working tree. */
  readonly root: string;
  /** The path of the folder relative to the root, with slashes: empty, or with a trailing slash. */
  readonly prefix: string;
  /** The git folder of this working tree: `.git`, or the folder that the file `.git` names. */
  readonly gitDir: string;
  /** The git folder that all working trees of the repository share. */
  readonly commonDir: string;
}

/** The maximum size of the files `.git` and `commondir`, which contain a path, in bytes. */
const longestPath = 8192;

/**
 * Finds the repository that contains a folder, as git does, but without running git. Returns null if there is none.
 * @throws GitTrouble `missing` if the folder doesn't exist, `unread` if the repository can't be read or is a bare one
 */
export async function findRepository(folder: string): Promise<GitPlace | null> {
  const start = await realpath(folder).catch((cause: unknown) => {
    throw missingFolder(folder, cause);
  });
  for (let dir = start; ; dir = path.dirname(dir)) {
    const found = await gitDirIn(dir);
    if (found !== undefined) {
      const relative = path.relative(dir, start).split(path.sep).join('/');
      return { root: dir, prefix: relative && `${relative}/`, ...found };
    }
    if (await isGitDir(dir))
      throw unreadable(`${dir} is a bare git repository. Choose a folder in a working tree instead.`);
    if (dir === path.dirname(dir)) return null;
  }
}

/** Returns the git folders of a working tree; undefined if `dir` is not the top folder of a working tree. */
async function gitDirIn(dir: string): Promise<Pick<GitPlace, 'gitDir' | 'commonDir'> | undefined> {
  const at = path.join(dir, '.git');
  const found = await statAt(at);
  if (found === undefined) return undefined;
  let named = at;
  if (!found.isDirectory()) {
    const [, target] = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(await pathIn(at)) ?? [];
    if (target === undefined) throw unreadable(`${at} can’t be read. It should name a git folder.`);
    named = path.resolve(dir, target);
  }
  // Git would look for a repository further up if this one is damaged, so it isn't used at all.
  if (isOnNetwork(named) || !(await isGitDir(named)))
    throw unreadable(`${named} isn’t a git folder that Porchlight can use.`);
  const gitDir = await realpath(named);
  const common = path.join(gitDir, 'commondir');
  if ((await statAt(common)) === undefined) return { gitDir, commonDir: gitDir };
  const target = path.resolve(gitDir, (await pathIn(common)).replace(/[\r\n]+$/, ''));
  if (isOnNetwork(target) || (await statAt(target))?.isDirectory() !== true)
    throw unreadable(`${target} isn’t a git folder that Porchlight can use.`);
  return { gitDir, commonDir: await realpath(target) };
}

/** Returns whether a folder looks like a git folder: it is a bare repository, or the `.git` of a working tree. */
async function isGitDir(dir: string): Promise<boolean> {
  const isThere = async (name: string) => (await statAt(path.join(dir, name))) !== undefined;
  if (!(await isThere('HEAD'))) return false;
  return (await isThere('commondir')) || ((await isThere('objects')) && (await isThere('refs')));
}

const pathIn = async (file: string) => (await readRegularFile(file, longestPath))?.toString('utf8') ?? '';

/**
 * Returns whether a path is on another computer. On Windows, opening such a path would send the account's password hash
 * to that computer.
 */
export const isOnNetwork = (place: string) => process.platform === 'win32' && /^[\\/]{2}/.test(place);

/**
 * Returns the stat of a path, following symlinks; undefined if there is nothing.
 * @throws GitTrouble `unread`
 */
export async function statAt(place: string): Promise<Stats | undefined> {
  try {
    return await stat(place);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw unreadable(`${place} can’t be read.`, error);
  }
}

/**
 * Reads a file; undefined if it doesn't exist. Never waits for a pipe or a device.
 * @throws GitTrouble `unread` if it can't be read, is no regular file, or is larger than `most` bytes
 */
export async function readRegularFile(file: string, most: number): Promise<Buffer | undefined> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw unreadable(`${file} isn’t a file.`);
      const isLong = () => unreadable(`${file} is larger than Porchlight reads.`);
      if (found.size > most) throw isLong();
      const bytes = await handle.readFile();
      if (bytes.length > most) throw isLong();
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof GitTrouble ? error : unreadable(`${file} can’t be read.`, error);
  }
}

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');

/** Returns the error for a repository that Porchlight doesn't use, because it can't read what it would run. */
export const unreadable = (words: string, cause?: unknown) => new GitTrouble('unread', words, { cause });

/** Returns the error for a folder that doesn't exist. */
export const missingFolder = (folder: string, cause: unknown) =>
  new GitTrouble(
    'missing',
    `The folder ${folder} doesn’t exist. If it is on another disk, connect the disk.`,
    { cause },
  );
