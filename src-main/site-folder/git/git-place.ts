import { constants, type Stats } from 'node:fs';
import { lstat, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../storage/storage-error.ts';
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

/** The maximum size of files that contain a path or the name of a ref, in bytes. */
const longestPath = 8192;

/**
 * Finds the repository that contains a folder, without running git. Returns null if there is none.
 * @throws GitTrouble `missing` if the folder doesn't exist, `files_only` if git would follow a link out of the
 * repository, or if its folders are arranged in a way that Porchlight doesn't know
 */
export async function findRepository(folder: string): Promise<GitPlace | null> {
  const start = await realpath(folder).catch((cause: unknown) => {
    throw missingFolder(folder, cause);
  });
  for (let dir = start; ; dir = path.dirname(dir)) {
    const gitDir = await gitDirIn(dir);
    if (gitDir !== undefined) {
      const relative = path.relative(dir, start).split(path.sep).join('/');
      const commonDir = await commonDirOf(gitDir, dir);
      return { root: dir, prefix: relative && `${relative}/`, gitDir, commonDir };
    }
    if (await isGitDir(dir)) throw filesOnly(`${dir} is a bare git repository.`);
    if (dir === path.dirname(dir)) return null;
  }
}

/** Returns the git folder of a working tree; undefined if `dir` is not the top folder of a working tree. */
async function gitDirIn(dir: string): Promise<string | undefined> {
  const at = path.join(dir, '.git');
  const found = await statAt(at);
  if (found === undefined) return undefined;
  const named = found.isDirectory() ? at : placeNamed(/^gitdir: ([^]+)$/.exec(await lineIn(at))?.[1], dir);
  // Git would look for a repository further up if this one is damaged, so it isn't used at all.
  if (named === undefined || !(await isGitDir(named)))
    throw filesOnly(`${named ?? at} isn’t a git folder that Porchlight can use.`);
  return realpath(named);
}

/** Returns the common git folder of a working tree. Checks that the repository has the usual form. */
async function commonDirOf(gitDir: string, root: string): Promise<string> {
  let commonDir = gitDir;
  if ((await lstatAt(path.join(gitDir, 'commondir'))) !== undefined) {
    commonDir = path.resolve(gitDir, '../..');
    const isUsual =
      path.dirname(gitDir) === path.join(commonDir, 'worktrees') &&
      (await lineIn(path.join(gitDir, 'commondir'))) === '../..' &&
      (await lstatAt(path.join(commonDir, 'commondir'))) === undefined &&
      (await isGitDir(commonDir));
    if (!isUsual) throw filesOnly(`${gitDir} isn’t the git folder of a working tree as git creates it.`);
    if ((await treeNamedBy(gitDir)) !== root)
      throw filesOnly(
        `The repository doesn’t list the working tree ${root}. Run “git worktree repair” in it.`,
      );
  }
  await requirePlain(gitDir, ['HEAD', 'index', 'logs/HEAD']);
  await requirePlain(commonDir, ['objects/info/alternates', 'refs', 'packed-refs', 'shallow', 'worktrees']);
  const alternates = await lstatAt(path.join(commonDir, 'objects/info/alternates'));
  if (alternates !== undefined && alternates.size > 0)
    throw filesOnly('The repository uses the objects of another one (objects/info/alternates).');
  return commonDir;
}

/** Returns the real path of the working tree that a folder below `worktrees` names; undefined if it isn't there. */
export async function treeNamedBy(gitDir: string): Promise<string | undefined> {
  const named = placeNamed(await lineIn(path.join(gitDir, 'gitdir')), gitDir);
  if (named === undefined || path.basename(named) !== '.git') return undefined;
  return realpath(path.dirname(named)).catch(() => undefined);
}

/**
 * Returns the path that a file of git names. Doesn't resolve `..`, because what comes before it may be a symlink.
 * Returns undefined for a path on another computer: on Windows, opening such a path would send the account's password
 * hash to that computer.
 */
function placeNamed(named: string | undefined, base: string): string | undefined {
  if (named === undefined || named === '' || /[\0\uFFFD]/.test(named)) return undefined;
  if (process.platform === 'win32' && /^[\\/]{2}/.test(named)) return undefined;
  return path.isAbsolute(named) ? named : base + path.sep + named;
}

/** Returns whether a folder looks like a git folder: it is a bare repository, or the `.git` of a working tree. */
async function isGitDir(dir: string): Promise<boolean> {
  const isThere = async (name: string) => (await statAt(path.join(dir, name))) !== undefined;
  if (!(await isThere('HEAD'))) return false;
  return (await isThere('commondir')) || ((await isThere('objects')) && (await isThere('refs')));
}

/**
 * Checks that the paths below a git folder lead through no symlink, and to a file or a folder if there is anything.
 * Git would read and write through the symlinks, also outside the repository.
 * @throws GitTrouble `files_only`
 */
async function requirePlain(dir: string, names: readonly string[]): Promise<void> {
  const places = new Set<string>();
  for (const name of names)
    for (let at = path.join(dir, name); at !== dir; at = path.dirname(at)) places.add(at);
  await Promise.all(
    [...places].map(async (at) => {
      const found = await lstatAt(at);
      if (found !== undefined && !found.isFile() && !found.isDirectory())
        throw filesOnly(`${at} is neither a file nor a folder.`);
    }),
  );
}

/**
 * Checks the refs that Porchlight reads or moves, and their logs: no path leads through a symlink, and no ref stands for
 * another one.
 * @throws GitTrouble `files_only`
 */
export async function requirePlainRefs({ commonDir }: GitPlace, refs: readonly string[]): Promise<void> {
  await requirePlain(
    commonDir,
    refs.flatMap((ref) => [ref, `logs/${ref}`]),
  );
  for (const ref of refs)
    if (await isSymbolic(commonDir, ref)) throw filesOnly(`${ref} stands for another branch.`);
}

/** Returns whether a ref stands for another one. Otherwise, it is a commit, or it doesn't exist. */
export async function isSymbolic(commonDir: string, ref: string): Promise<boolean> {
  const file = path.join(commonDir, ref);
  return (await lstatAt(file))?.isDirectory() !== true && (await lineIn(file)).startsWith('ref:');
}

/**
 * Returns the content of a short file, without the line breaks at its end; empty if it doesn't exist.
 * @throws GitTrouble `files_only`
 */
export const lineIn = async (file: string) =>
  ((await readPlainFile(file, longestPath))?.toString('utf8') ?? '').replace(/[\r\n]+$/, '');

/** Returns the stat of a path, following symlinks; undefined if there is nothing. */
const statAt = async (place: string): Promise<Stats | undefined> => statBy(stat, place);
/** Returns the stat of a path; undefined if there is nothing. */
const lstatAt = async (place: string): Promise<Stats | undefined> => statBy(lstat, place);

async function statBy(read: (place: string) => Promise<Stats>, place: string): Promise<Stats | undefined> {
  try {
    return await read(place);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw filesOnly(`${place} can’t be read.`, error);
  }
}

/**
 * Reads a file; undefined if it doesn't exist. Never follows a symlink, and never waits for a pipe or a device.
 * @throws GitTrouble `files_only` if it can't be read, is no regular file, or is larger than `most` bytes
 */
export async function readPlainFile(file: string, most: number): Promise<Buffer | undefined> {
  const found = await lstatAt(file);
  if (found === undefined) return undefined;
  if (!found.isFile()) throw filesOnly(`${file} isn’t a file.`);
  try {
    // Windows has neither of these flags.
    const { O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
    const handle = await open(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const { size } = await handle.stat();
      const bytes = size > most ? undefined : await handle.readFile();
      if (bytes !== undefined && bytes.length <= most) return bytes;
      throw filesOnly(`${file} is larger than Porchlight reads.`);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof GitTrouble ? error : filesOnly(`${file} can’t be read.`, error);
  }
}

const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');

/** Returns the error for a repository in which Porchlight doesn't run git. */
export const filesOnly = (reason: string, cause?: unknown) =>
  new GitTrouble(
    'files_only',
    `Porchlight can’t use git here: ${reason} Let Porchlight write files only, or correct this.`,
    { cause },
  );

/** Returns the error for a folder that doesn't exist. */
export const missingFolder = (folder: string, cause: unknown) =>
  new GitTrouble(
    'missing',
    `The folder ${folder} doesn’t exist. If it is on another disk, connect the disk.`,
    { cause },
  );
