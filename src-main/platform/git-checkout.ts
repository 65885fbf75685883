import { access, lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../storage/storage-error.ts';
import { type FileChange, readDifference, withoutHooks } from './git-objects.ts';
import { findRepository } from './git-place.ts';
import { moveRefs } from './git-branches.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/**
 * The result of updating the owner's checkout. `left`: the branch wasn't moved, and the owner can pull instead.
 * `refused`: the update would overwrite the owner's changes in `files`.
 */
export type CheckoutMove =
  | { readonly state: 'moved' }
  | { readonly state: 'left' | 'refused'; readonly files: readonly string[]; readonly trouble: GitTrouble };

/** A working tree in which a branch is checked out. */
interface Checkout {
  readonly folder: string;
  readonly gitDir: string;
}

const underWay = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'BISECT_LOG',
  'rebase-merge',
  'rebase-apply',
];
const busy = new GitTrouble(
  'busy',
  'A merge, rebase or bisect is under way in the repository. Finish or abort it. Porchlight continues then.',
);

/**
 * Moves a branch, and the owner's checkout of that branch, from one commit to a later one. Keeps staged, unstaged and
 * untracked changes. `from`: null for a branch without commits. If no working tree has the branch checked out, moves
 * the branch only if `isLocal` is set.
 */
export async function moveBranch(
  git: RunGit,
  move: { branch: string; from: string | null; to: string; isLocal: boolean },
): Promise<CheckoutMove> {
  const { from, to } = move;
  const ref = `refs/heads/${move.branch}`;
  const place = await findCheckout(git, ref);
  if (place === 'busy') return { state: 'left', files: [], trouble: busy };
  if (place === undefined && !move.isLocal) return left('The branch isn’t checked out.');
  if (from === to) return { state: 'moved' };
  if (from !== null && !(await isAncestor(git, from, to)))
    return left('The branch has commits of its own. Pull them together with Porchlight’s.');
  if (place !== undefined) {
    const refused = await moveFiles(git, place, from, to);
    if (refused !== undefined) return refused;
  }
  const hasMoved = await moveRefs(git, [{ ref, to, from }]);
  return hasMoved ? { state: 'moved' } : left('The branch was changed at the same time.');
}

const left = (words: string): CheckoutMove => ({
  state: 'left',
  files: [],
  trouble: new GitTrouble('conflict', words),
});

/** Updates the files and the index of a checkout. If that fails, returns the reason; otherwise undefined. */
async function moveFiles(
  git: RunGit,
  { folder, gitDir }: Checkout,
  from: string | null,
  to: string,
): Promise<CheckoutMove | undefined> {
  if (await isAnyThere(gitDir, underWay)) return { state: 'left', files: [], trouble: busy };
  const start = from ?? (await emptyTree(git));
  const changes = await readDifference(git, start, to);
  if (changes.some(({ before, after }) => before?.mode === '160000' || after?.mode === '160000'))
    return left('A submodule has changed. Pull, and update the submodules.');
  const here: RunGit = (args, options) =>
    git(args, {
      ...options,
      cwd: folder,
      env: { ...options?.env, GIT_DIR: gitDir, GIT_WORK_TREE: folder },
    });
  const blocked = await filesInTheWay(here, folder, changes);
  if (blocked.length > 0) return refused(blocked);

  const accept =
    /^error: .*(?:not uptodate|would be (?:overwritten|removed|lost)|would be overwritten by merge)/im;
  // If the content of a Git LFS file can't be fetched now, git writes the file's pointer instead. The owner can pull
  // the content later.
  const env = { GIT_LFS_SKIP_DOWNLOAD_ERRORS: '1' };
  const readTree = () => here([...withoutHooks, 'read-tree', '-m', '-u', start, to], { accept, env });
  let ran = await readTree();
  if (ran.code !== 0) {
    // If only a file's modification time is new, git treats the file as changed until the index is refreshed. So
    // refresh the index and try again.
    await here([...withoutHooks, 'update-index', '-q', '--refresh'], { accept: /^/ });
    ran = await readTree();
  }
  if (ran.code === 0) return undefined;
  return refused(changes.map(({ file }) => file).filter((file) => ran.stderr.includes(`'${file}'`)));
}

const refused = (files: readonly string[]): CheckoutMove => ({
  state: 'refused',
  files,
  trouble: new GitTrouble(
    'conflict',
    `You have changes of your own in ${files.join(', ')}. Commit or discard them, then try again.`,
    { files },
  ),
});

/**
 * Returns the new files whose paths already exist in the working tree. Without this check, git would overwrite an
 * existing file if the file is ignored (.gitignore).
 */
async function filesInTheWay(git: RunGit, folder: string, changes: readonly FileChange[]): Promise<string[]> {
  const taken: FileChange[] = [];
  for (const change of changes)
    if (change.before === null && (await isTaken(folder, change.file))) taken.push(change);
  if (taken.length === 0) return [];
  // An interrupted update may already have added the new files to the index. Such files are not in the way.
  const { stdout } = await git(['ls-files', '-s', '-z']);
  const staged = new Map(
    stdout
      .toString('utf8')
      .split('\0')
      .map((line): [string, string] => [line.slice(line.indexOf('\t') + 1), line.split(' ')[1] ?? '']),
  );
  return taken.filter(({ file, after }) => staged.get(file) !== after?.oid).map(({ file }) => file);
}

async function isTaken(folder: string, file: string): Promise<boolean> {
  const parts = file.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const found = await lstat(path.join(folder, ...parts.slice(0, depth))).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) return false;
    if (depth === parts.length || !found.isDirectory()) return true;
  }
  return true;
}

/**
 * Returns the working tree that has a branch checked out. Returns `busy` if a working tree is rebasing or bisecting the
 * branch.
 */
async function findCheckout(git: RunGit, ref: string): Promise<Checkout | 'busy' | undefined> {
  const common = await git(['rev-parse', '--path-format=absolute', '--git-common-dir']);
  const commonDir = await realpath(common.stdout.toString('utf8').replace(/\n$/, ''));
  const { stdout } = await git(['worktree', 'list', '--porcelain']);
  for (const block of stdout.toString('utf8').split('\n\n')) {
    const folder = /^worktree (.*)$/m.exec(block)?.[1];
    if (folder === undefined || /^bare$/m.test(block) || !(await isAnyThere(folder, ['.git']))) continue;
    // The list is a part of the repository, too. It may name a folder with another repository, whose own configuration
    // nobody has looked at.
    const place = await findRepository(folder);
    if (place?.commonDir !== commonDir || place.prefix !== '') continue;
    const { gitDir } = place;
    if (block.split('\n').includes(`branch ${ref}`)) return { folder, gitDir };
    if (await isHeldBy(gitDir, ref)) return 'busy';
  }
  return undefined;
}

/** Returns whether a working tree has an unfinished rebase or bisect that started on this branch. */
async function isHeldBy(gitDir: string, ref: string): Promise<boolean> {
  for (const file of ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START']) {
    const name = await readFile(path.join(gitDir, file), 'utf8').catch(() => '');
    if (name.trim() === ref || `refs/heads/${name.trim()}` === ref) return true;
  }
  return false;
}

async function isAnyThere(dir: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const isThere = await access(path.join(dir, name)).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}

/** Returns whether the history of the commit `newer` contains the commit `older`. */
export async function isAncestor(git: RunGit, older: string, newer: string): Promise<boolean> {
  const { code } = await git(['merge-base', '--is-ancestor', older, newer], { accept: /^$/ });
  return code === 0;
}

async function emptyTree(git: RunGit): Promise<string> {
  const { stdout } = await git(['mktree'], { input: '' });
  return stdout.toString('utf8').trim();
}
