import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Identity } from './git-commits.ts';
import { lineIn } from './git-place.ts';
import type { ReadRepository, Repository } from './git-repository.ts';
import { type GitConfig, type GitProgram, requireGit, type RunGit } from './git-run.ts';
import type { FolderSettings } from './git-settings.ts';
import { GitTrouble } from './git-trouble.ts';

/** The repository that contains a folder. */
export interface GitFacts {
  /** The full path of the working tree. */
  readonly root: string;
  /** The path of the folder relative to the root: empty, or with a trailing slash. */
  readonly prefix: string;
  /** The name of the current branch; null if no branch is checked out. */
  readonly branch: string | null;
  /** The remotes that Porchlight pushes to. */
  readonly remotes: readonly string[];
  /**
   * The remote that is configured for the branch, or `origin` if none is configured. If the repository doesn't have
   * that remote, this is the repository's only remote. Null if there is none, or if Porchlight doesn't push to it.
   */
  readonly remote: string | null;
  /** Why commits or pushes aren't possible, as a message for the owner. Null if they are possible. */
  readonly problem: string | null;
}

/**
 * Returns facts about the repository that contains the folder. Returns null if the folder doesn't exist or is in no
 * repository, or if git isn't installed.
 */
export async function readFacts(
  git: RunGit,
  read: ReadRepository,
  program: GitProgram,
): Promise<GitFacts | null> {
  const { folder } = program;
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return null;
  try {
    await requireGit(program);
    const found = await read(folder);
    if (found === null) return null;
    const { place, settings } = found;
    const branch = await branchOf(found);
    const names = [...settings.remotes.keys()];
    const own = settings.upstreams.get(`branch.${branch ?? ''}.remote`) ?? 'origin';
    const remote = names.includes(own) ? own : names.length === 1 ? (names[0] ?? null) : null;
    const notPushed = remote === null ? undefined : notPushedWords(settings, remote);
    return {
      root: place.root,
      prefix: place.prefix,
      branch,
      remotes: names.filter((name) => settings.remotes.get(name)?.isUsable === true),
      remote: notPushed === undefined ? remote : null,
      problem: branchProblem(branch, settings) ?? (await ignoredProblem(git)) ?? notPushed ?? null,
    };
  } catch (error) {
    if (!(error instanceof GitTrouble)) throw error;
    if (error.kind === 'no_git') return null;
    const none = { prefix: '', branch: null, remotes: [], remote: null };
    return { root: folder, ...none, problem: error.words };
  }
}

/** Returns why Porchlight doesn't push to a remote of the folder, as a message for the owner; undefined if it does. */
export function notPushedWords({ remotes }: FolderSettings, remote: string): string | undefined {
  if (remotes.get(remote)?.isUsable !== false) return undefined;
  return `Porchlight commits, but doesn’t push to “${remote}”: it pushes only to addresses by https or ssh. Push yourself, or change the address (git remote set-url).`;
}

/** Returns the name of the branch that is checked out; null if there is none. */
async function branchOf({ place }: Repository): Promise<string | null> {
  return /^ref: *refs\/heads\/(.+)$/.exec(await lineIn(path.join(place.gitDir, 'HEAD')))?.[1] ?? null;
}

function branchProblem(branch: string | null, { upstreams }: FolderSettings): string | null {
  if (branch === null) return 'No branch is checked out. Check out a branch (git switch).';
  const merge = upstreams.get(`branch.${branch}.merge`);
  if (merge === undefined || merge === `refs/heads/${branch}`) return null;
  return `The branch ${branch} is called ${merge.replace('refs/heads/', '')} at the remote. Porchlight needs the same name for both.`;
}

async function ignoredProblem(git: RunGit): Promise<string | null> {
  const { code } = await git(['check-ignore', '-q', '.'], { accept: /^$|outside repository|empty string/ });
  return code === 0 ? 'The repository ignores this folder. Remove it from .gitignore.' : null;
}

/**
 * Returns the author and committer for commits, as variables for git: the owner's name and email address from git's
 * settings. Replaces a missing name with `name`, and a missing email address with a neutral address. Otherwise, git
 * would derive the missing values from the names of the account and the computer.
 */
export function identityFrom(config: GitConfig, name: string): Identity {
  const variables: Record<string, string> = {};
  const plainName = name.replace(/[<>\p{Cc}]/gu, ' ').trim();
  for (const role of ['author', 'committer']) {
    const own = (part: string) => config.get(`${role}.${part}`) || config.get(`user.${part}`);
    variables[`GIT_${role.toUpperCase()}_NAME`] = own('name') ?? (plainName || 'Porchlight');
    variables[`GIT_${role.toUpperCase()}_EMAIL`] = own('email') ?? 'porchlight@localhost';
  }
  return variables;
}
