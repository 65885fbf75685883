import { access, lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../storage/storage-error.ts';
import { readDifference, type FileChange } from './git-objects.ts';
import { moveRefs } from './git-refs.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/**
 * What became of the owner's checkout. `left`: it stays as it was, and the owner can pull. `refused`: the owner is
 * changing `files` themselves.
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
 * Moves a branch from one commit to a later one, and the owner's checkout of it too. Staged, unstaged and untracked
 * changes stay as they are. `from`: null for a branch without commits. The branch moves without a checkout if none has
 * it and `isLocal` is set.
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

/** Updates the files and the index of a checkout; returns why it couldn't. */
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
  const here: RunGit = (args, options) => git(args, { ...options, cwd: folder });
  const blocked = await filesInTheWay(here, folder, changes);
  if (blocked.length > 0) return refused(blocked);

  const accept =
    /^error: .*(?:not uptodate|would be (?:overwritten|removed|lost)|would be overwritten by merge)/im;
  const readTree = () => here(['read-tree', '-m', '-u', start, to], { accept });
  let ran = await readTree();
  if (ran.code !== 0) {
    // A file that was only touched looks changed until git has compared its content.
    await here(['update-index', '-q', '--refresh'], { accept: /^/ });
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

/** Returns the new files whose place is taken in the working tree. Git would overwrite those that it ignores. */
async function filesInTheWay(git: RunGit, folder: string, changes: readonly FileChange[]): Promise<string[]> {
  const taken: FileChange[] = [];
  for (const change of changes)
    if (change.before === null && (await isTaken(folder, change.file))) taken.push(change);
  if (taken.length === 0) return [];
  // A move that was interrupted has put these files into the index already.
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

/** Returns the working tree that has a branch checked out. `busy`: one is rebasing or bisecting the branch. */
async function findCheckout(git: RunGit, ref: string): Promise<Checkout | 'busy' | undefined> {
  const { stdout } = await git(['worktree', 'list', '--porcelain']);
  for (const block of stdout.toString('utf8').split('\n\n')) {
    const folder = /^worktree (.*)$/m.exec(block)?.[1];
    if (folder === undefined || /^bare$/m.test(block) || !(await isAnyThere(folder, ['.git']))) continue;
    const { stdout: dir } = await git(['rev-parse', '--absolute-git-dir'], { cwd: folder });
    const gitDir = dir.toString('utf8').trim();
    if (block.split('\n').includes(`branch ${ref}`)) return { folder, gitDir };
    if (await isHeldBy(gitDir, ref)) return 'busy';
  }
  return undefined;
}

/** Returns whether a rebase or bisect that is under way returns to this branch when it ends. */
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

async function isAncestor(git: RunGit, older: string, newer: string): Promise<boolean> {
  const { code } = await git(['merge-base', '--is-ancestor', older, newer], { accept: /^$/ });
  return code === 0;
}

async function emptyTree(git: RunGit): Promise<string> {
  const { stdout } = await git(['mktree'], { input: '' });
  return stdout.toString('utf8').trim();
}
