import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FolderRun } from '../contract/site-folder.ts';
import type { Identity } from './git-commits.ts';
import { gitText } from './git-config-file.ts';
import { readRegularFile } from './git-place.ts';
import { type GitProgram, requireGit, type RunGit } from './git-run.ts';
import { type GitSetup, mayRun, readGitSetup } from './git-setup.ts';
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
  /** What git would run for the repository. */
  readonly runs: readonly FolderRun[];
  /** Whether the owner has agreed to `runs`, or it is empty. */
  readonly isAgreed: boolean;
  /** Why commits or pushes aren't possible, as a message for the owner. Null if they are possible. */
  readonly problem: string | null;
}

/**
 * Returns facts about the repository that contains the folder. Returns null if the folder doesn't exist or is in no
 * repository, or if git isn't installed. Runs git in the repository only if the owner has agreed to what it would run.
 */
export async function readFacts(git: RunGit, program: GitProgram): Promise<GitFacts | null> {
  const { folder, isAgreed } = program;
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return null;
  try {
    await requireGit(program);
    const setup = await readGitSetup(folder);
    const values = new Map(setup?.settings.map(({ key, value }) => [gitText(key), gitText(value ?? 'true')]));
    if (setup === null) return null;
    const { root, prefix, gitDir, commonDir } = setup.place;
    // A bare repository has no files of its own, but may have linked working trees.
    if (gitDir === commonDir && /^(?:true|yes|on|1)$/i.test(values.get('core.bare') ?? '')) return null;
    const isPermitted = mayRun(setup, isAgreed);
    const branch = (await branchOf(setup)) ?? (isPermitted ? await branchByGit(git) : null);
    return {
      root,
      prefix,
      branch,
      ...remotesFor(branch, values),
      runs: setup.runs,
      isAgreed: isPermitted,
      problem: branchProblem(branch, values) ?? (isPermitted ? await ignoredProblem(git) : null),
    };
  } catch (error) {
    if (!(error instanceof GitTrouble)) throw error;
    if (error.kind === 'no_git') return null;
    const none = { prefix: '', branch: null, remotes: [], remote: null, runs: [], isAgreed: true };
    return { root: folder, ...none, problem: error.words };
  }
}

/** Returns the name of the branch that is checked out; null if there is none, or if only git can tell. */
async function branchOf({ place }: GitSetup): Promise<string | null> {
  const head = await readRegularFile(path.join(place.gitDir, 'HEAD'), 4096);
  const name = /^ref: *refs\/heads\/(.+?)\s*$/.exec(head?.toString('utf8') ?? '')?.[1] ?? null;
  // With the format reftable, the file has a placeholder.
  return name === '.invalid' ? null : name;
}

async function branchByGit(git: RunGit): Promise<string | null> {
  const { stdout } = await git(['symbolic-ref', '-q', '--short', 'HEAD'], { accept: /^$/ });
  return stdout.toString('utf8').trim() || null;
}

function remotesFor(branch: string | null, config: GitConfig): Pick<GitFacts, 'remotes' | 'remote'> {
  const remotes = remotesIn(config);
  const own = config.get(`branch.${branch ?? ''}.remote`) ?? 'origin';
  return {
    remotes,
    remote: remotes.includes(own) ? own : remotes.length === 1 ? (remotes[0] ?? null) : null,
  };
}

function branchProblem(branch: string | null, config: GitConfig): string | null {
  if (branch === null) return 'No branch is checked out. Check out a branch (git switch).';
  const merge = config.get(`branch.${branch}.merge`);
  if (merge === undefined || merge === `refs/heads/${branch}`) return null;
  return `The branch ${branch} is called ${merge.replace('refs/heads/', '')} at the remote. Porchlight needs the same name for both.`;
}

async function ignoredProblem(git: RunGit): Promise<string | null> {
  const { code } = await git(['check-ignore', '-q', '.'], { accept: /^$|outside repository|empty string/ });
  return code === 0 ? 'The repository ignores this folder. Remove it from .gitignore.' : null;
}

/** The git settings that apply in a folder, keyed by name. Names are in lower case, except for subsections. */
type GitConfig = ReadonlyMap<string, string>;

/** Reads the git settings. If a name has several values, the last value is used. */
export async function readConfig(git: RunGit): Promise<GitConfig> {
  const { stdout } = await git(['config', '--list', '-z']);
  const lines = stdout.toString('utf8').split('\0').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const end = line.indexOf('\n');
      return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 1)];
    }),
  );
}

/** Returns the names of the remotes that have a URL. */
export function remotesIn(config: GitConfig): string[] {
  return [...config.keys()].flatMap((key) => /^remote\.(.+)\.url$/.exec(key)?.[1] ?? []);
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
