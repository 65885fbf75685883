import { access, constants } from 'node:fs/promises';
import { remotesIn, readConfig } from './git-config.ts';
import { sshVariables } from './git-environment.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble, lastWords, troubleFrom } from './git-trouble.ts';

/** The result of a push. `behind`: the remote's branch has commits that this repository doesn't have yet. */
export type PushResult = 'pushed' | 'behind';

export interface RemoteBranch {
  readonly remote: string;
  readonly branch: string;
  /** The result of remoteVariables for this remote. If absent, the variables are computed again, which takes time. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Fetches a branch into the ref `into`. Returns false if the remote has no such branch.
 * @throws GitTrouble
 */
export async function fetchBranch(git: RunGit, target: RemoteBranch, into: string): Promise<boolean> {
  const env = target.variables ?? (await remoteVariables(git, target.remote));
  const flags = ['--progress', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--no-prune'];
  const refspec = `+refs/heads/${target.branch}:${into}`;
  const accept = /couldn't find remote ref/;
  const ran = await git(['fetch', ...flags, '--', target.remote, refspec], { env, network: true, accept });
  return ran.code === 0;
}

/**
 * Pushes a commit to a branch, never by force.
 * @throws GitTrouble
 */
export async function pushCommit(git: RunGit, target: RemoteBranch, commit: string): Promise<PushResult> {
  const env = target.variables ?? (await remoteVariables(git, target.remote));
  const flags = ['--porcelain', '--progress', '--no-follow-tags', '--recurse-submodules=no', '--no-signed'];
  const refspec = `${commit}:refs/heads/${target.branch}`;
  const ran = await git(['push', ...flags, '--', target.remote, refspec], {
    env,
    network: true,
    accept: /^/,
  });
  if (ran.code === 0) return 'pushed';
  const answer = /^!\t[^\t]*\t(.*)$/m.exec(ran.stdout.toString('utf8'))?.[1];
  if (answer === undefined) throw await withoutAnswer(git, ran.stderr);
  // The branch on the server changed before or during the push.
  if (/^\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|stale info/.test(answer))
    return 'behind';
  throw refusal(answer, ran.stderr);
}

/**
 * Returns the environment variables that git needs to connect to a remote.
 * @throws GitTrouble `no_remote` if the repository has no such remote
 */
export async function remoteVariables(git: RunGit, remote: string): Promise<Record<string, string>> {
  const config = await readConfig(git);
  if (remotesIn(config).includes(remote)) return sshVariables(config.get('core.sshcommand'));
  const words = `The repository has no remote called “${remote}”. Add it (git remote add), or choose another one.`;
  throw new GitTrouble('no_remote', words);
}

/**
 * Returns the error for a push that got no response from the server. Either a hook on this computer stopped the push,
 * or the connection failed.
 */
async function withoutAnswer(git: RunGit, stderr: string): Promise<GitTrouble> {
  const trouble = troubleFrom(stderr);
  if (trouble.kind !== 'broken' || /^fatal:/m.test(stderr) || !(await hasHook(git, 'pre-push')))
    return trouble;
  const said = lastWords(stderr.replace(/^error: failed to push some refs.*$/m, ''));
  const words = `The repository’s pre-push hook stopped the push. Run it in a terminal to see why. It says: ${said}`;
  return new GitTrouble('hook', words);
}

function refusal(answer: string, stderr: string): GitTrouble {
  const reason = /\((.*)\)$/.exec(answer)?.[1] ?? answer;
  const said = stderr.split('\n').flatMap((line) => /^remote: (.*\S)/.exec(line)?.[1] ?? []);
  const detail = [reason, ...said.slice(0, 3)].join(': ').slice(0, 300);
  if (/hook declined|hook/.test(reason)) {
    return new GitTrouble('hook', `A hook of the git server refused the commit. It says: ${detail}`);
  }
  return new GitTrouble('rejected', `The git server refused the push. It says: ${detail}`);
}

async function hasHook(git: RunGit, name: string): Promise<boolean> {
  const { stdout } = await git(['rev-parse', '--path-format=absolute', '--git-path', `hooks/${name}`]);
  return access(stdout.toString('utf8').trim(), constants.X_OK).then(
    () => true,
    () => false,
  );
}
