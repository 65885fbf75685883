import { access, lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../storage/storage-error.ts';
import { moveRefs } from './git-branches.ts';
import { missingFilter } from './git-commits.ts';
import { type FileChange, readDifference } from './git-objects.ts';
import { findRepository, type GitPlace, isSymbolic, lineIn, treeNamedBy } from './git-place.ts';
import type { Repository } from './git-repository.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/**
 * The result of updating the owner's checkout. `left`: the branch wasn't moved, and the owner can pull instead.
 * `refused`: the update would overwrite the owner's changes in `files`.
 */
export type CheckoutMove =
  | { readonly state: 'moved' }
  | { readonly state: 'left' | 'refused'; readonly files: readonly string[]; readonly trouble: GitTrouble };

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
 * the branch only if `isLocal` is set. Doesn't move a branch if a working tree may have it checked out that Porchlight
 * can't find.
 */
export async function moveBranch(
  git: RunGit,
  repository: Repository,
  move: { branch: string; from: string | null; to: string; isLocal: boolean },
): Promise<CheckoutMove> {
  const { from, to } = move;
  const ref = `refs/heads/${move.branch}`;
  const place = await findCheckout(repository, ref);
  if (place === 'busy') return { state: 'left', files: [], trouble: busy };
  if (place === 'unknown') return left(unknownWords(move.branch));
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

const unknownWords = (branch: string) =>
  `Porchlight can’t find out which working tree has the branch ${branch} checked out. Run “git worktree list” in the folder, and remove the working trees that no longer exist (git worktree prune).`;

const left = (words: string): CheckoutMove => ({
  state: 'left',
  files: [],
  trouble: new GitTrouble('conflict', words),
});

/** Updates the files and the index of a checkout. If that fails, returns the reason; otherwise undefined. */
async function moveFiles(
  git: RunGit,
  { root: folder, gitDir }: GitPlace,
  from: string | null,
  to: string,
): Promise<CheckoutMove | undefined> {
  if (await isAnyThere(gitDir, underWay)) return { state: 'left', files: [], trouble: busy };
  const start = from ?? (await emptyTree(git));
  const changes = await readDifference(git, start, to);
  if (changes.some(({ before, after }) => before?.mode === '160000' || after?.mode === '160000'))
    return left('A submodule has changed. Pull, and update the submodules.');
  const written = changes.filter(({ after }) => after !== null).map(({ file }) => file);
  const missing = await missingFilter(git, gitDir, { commit: to, files: written });
  if (missing !== undefined) return { state: 'left', files: [], trouble: missing };
  const here: RunGit = (args, options) => git(args, { ...options, folder });
  const blocked = await filesInTheWay(here, folder, changes);
  if (blocked.length > 0) return refused(blocked);

  const accept =
    /^error: .*(?:not uptodate|would be (?:overwritten|removed|lost)|would be overwritten by merge)/im;
  // If the content of a Git LFS file can't be fetched now, git writes the file's pointer instead. The owner can pull
  // the content later.
  const env = { GIT_LFS_SKIP_DOWNLOAD_ERRORS: '1' };
  const readTree = () =>
    here(['read-tree', '-m', '-u', '--no-recurse-submodules', start, to], { accept, env });
  let ran = await readTree();
  if (ran.code !== 0) {
    // If only a file's modification time is new, git treats the file as changed until the index is refreshed. So
    // refresh the index and try again.
    await here(['update-index', '-q', '--ignore-submodules', '--refresh'], { accept: /^/ });
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
 * branch, and `unknown` if one may have it checked out that Porchlight can't find. Doesn't ask git, which would look for
 * the list in Porchlight's private directory.
 */
async function findCheckout(
  { place, settings }: Repository,
  ref: string,
): Promise<GitPlace | 'busy' | 'unknown' | undefined> {
  const { commonDir } = place;
  const linked = (await namesIn(path.join(commonDir, 'worktrees')))?.map((name) =>
    path.join(commonDir, 'worktrees', name),
  );
  if (linked === undefined) return 'unknown';
  let found: GitPlace | undefined;
  for (const gitDir of settings.isBare ? linked : [commonDir, ...linked]) {
    const use = await useOf(ref, gitDir, commonDir);
    if (use === 'busy' || use === 'unknown') return use;
    if (use === 'other') continue;
    const tree = gitDir === commonDir ? path.dirname(commonDir) : await treeNamedBy(gitDir);
    const checkout = gitDir === place.gitDir ? place : await checkoutAt(tree, gitDir);
    // Git allows two working trees with the same branch. Only one of them could be updated together with the branch.
    if (checkout === undefined || found !== undefined) return 'unknown';
    found = checkout;
  }
  return found;
}

/** Returns a working tree if its own `.git` leads to the given git folder, too. */
async function checkoutAt(folder: string | undefined, gitDir: string): Promise<GitPlace | undefined> {
  if (folder === undefined) return undefined;
  const place = await orUndefined(() => findRepository(folder));
  return place?.gitDir === gitDir && place.prefix === '' ? place : undefined;
}

/** Returns how the working tree of a git folder uses a branch. `other`: not at all. */
async function useOf(
  ref: string,
  gitDir: string,
  commonDir: string,
): Promise<'checked out' | 'busy' | 'other' | 'unknown'> {
  const head = await orUndefined(() => lineIn(path.join(gitDir, 'HEAD')));
  // Git doesn't count a folder without this file as a working tree.
  if (gitDir !== commonDir && (await orUndefined(() => lineIn(path.join(gitDir, 'gitdir')))) === '')
    return 'other';
  const name = /^ref: *(refs\/heads\/.+)$/.exec(head ?? '')?.[1];
  if (name === ref) return 'checked out';
  const isKnown =
    name === undefined
      ? /^[0-9a-f]{40,64}$/.test(head ?? '')
      : (await orUndefined(() => isSymbolic(commonDir, name))) === false;
  if (!isKnown) return 'unknown';
  // An unfinished rebase or bisect that started on the branch, or that will move it.
  for (const file of [
    'rebase-merge/head-name',
    'rebase-apply/head-name',
    'rebase-merge/update-refs',
    'BISECT_START',
  ]) {
    const held = await orUndefined(() => lineIn(path.join(gitDir, file)));
    if (held === undefined) return 'unknown';
    if (held.split('\n').some((line) => line === ref || `refs/heads/${line}` === ref)) return 'busy';
  }
  return 'other';
}

/** Returns undefined if something can't be read. */
async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof GitTrouble) return undefined;
    throw error;
  }
}

/** Returns the names in a folder, none if it doesn't exist; undefined if it can't be read. */
async function namesIn(dir: string): Promise<readonly string[] | undefined> {
  try {
    return await readdir(dir);
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? [] : undefined;
  }
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
