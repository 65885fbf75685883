import type { Identity } from './git-commits.ts';
import type { RunGit } from './git-run.ts';

/** The git settings that apply in a folder, keyed by name. Names are in lower case, except for subsections. */
export type GitConfig = ReadonlyMap<string, string>;

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
