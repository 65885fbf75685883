import { realpath, stat } from 'node:fs/promises';
import { readConfig, remotesIn } from './git-config.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/** The repository that contains a folder. */
export interface GitFacts {
  /** The full path of the working tree. */
  readonly root: string;
  /** The path of the folder relative to the root: empty, or with a trailing slash. */
  readonly prefix: string;
  /** The name of the current branch; null if no branch is checked out. */
  readonly branch: string | null;
  readonly remotes: readonly string[];
  /**
   * The remote that is configured for the branch, or `origin` if none is configured. If the repository doesn't have
   * that remote, this is the repository's only remote; null if it has none or several.
   */
  readonly remote: string | null;
  /** Why commits or pushes aren't possible, as a message for the owner. Null if they are possible. */
  readonly problem: string | null;
}

/**
 * Returns facts about the repository that contains the folder. Returns null if the folder doesn't exist or is in no
 * repository, or if git isn't installed.
 */
export async function readFacts(git: RunGit, folder: string): Promise<GitFacts | null> {
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return null;
  try {
    const place = await readPlace(git);
    if (place === null) return null;
    const head = await git(['symbolic-ref', '-q', '--short', 'HEAD'], { accept: /^$/ });
    const branch = head.stdout.toString('utf8').trim() || null;
    const config = await readConfig(git);
    const remotes = remotesIn(config);
    const own = config.get(`branch.${branch ?? ''}.remote`) ?? 'origin';
    const remote = remotes.includes(own) ? own : remotes.length === 1 ? (remotes[0] ?? null) : null;
    const merge = config.get(`branch.${branch ?? ''}.merge`);
    const problem =
      (await problemOf(git, branch)) ??
      (merge !== undefined && merge !== `refs/heads/${branch ?? ''}`
        ? `The branch ${branch ?? ''} is called ${merge.replace('refs/heads/', '')} at the remote. Porchlight needs the same name for both.`
        : null);
    return { ...place, branch, remotes, remote, problem };
  } catch (error) {
    if (!(error instanceof GitTrouble)) throw error;
    const root = await realpath(folder);
    return { root, prefix: '', branch: null, remotes: [], remote: null, problem: error.words };
  }
}

/**
 * Returns the root of the repository and the folder's path in it. Returns null if the folder is in no repository, or if
 * git isn't installed.
 */
async function readPlace(git: RunGit): Promise<Pick<GitFacts, 'root' | 'prefix'> | null> {
  try {
    const { code, stdout } = await git(['rev-parse', '--show-toplevel', '--show-prefix'], {
      accept: /not a git repository|must be run in a work tree/,
    });
    const [root = '', prefix = ''] = stdout.toString('utf8').split('\n');
    return code === 0 ? { root, prefix } : null;
  } catch (error) {
    if (error instanceof GitTrouble && error.kind === 'no_git') return null;
    throw error;
  }
}

async function problemOf(git: RunGit, branch: string | null): Promise<string | null> {
  const { stdout } = await git(['--version']);
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(stdout.toString('utf8')) ?? [];
  if (Number(major) < 2 || (Number(major) === 2 && Number(minor) < 31))
    return 'This computer’s git is too old. Install git 2.31 or newer.';
  if (branch === null) return 'No branch is checked out. Check out a branch (git switch).';
  const { code } = await git(['check-ignore', '-q', '.'], { accept: /^$|outside repository|empty string/ });
  if (code === 0) return 'The repository ignores this folder. Remove it from .gitignore.';
  return null;
}
