import { readConfig, type RunGit, sshVariables } from './git-run.ts';
import { GitTrouble, troubleFrom } from './git-trouble.ts';
import type { Log } from '../../platform/log.ts';

/** The branch to which commits are published. */
export interface GitTarget {
  readonly branch: string;
  /** The name of the remote; null to commit to the branch in this repository, without pushing. */
  readonly remote: string | null;
}

/**
 * The names of the refs for a target (a branch, and a remote if there is one). The owner's own branch changes only when
 * commits are published.
 */
export interface TargetRefs {
  /** The newest unpublished commit. */
  readonly tip: string;
  /** The published commit that the unpublished commits build on. */
  readonly base: string;
  /** The remote's branch as of the last fetch. */
  readonly seen: string;
  /** The commit to which the owner's checkout is being updated. */
  readonly moving: string;
  /** The owner's local branch. */
  readonly local: string;
}

/** The commit id of each ref of a target; null if the ref doesn't exist. */
export type Standing = Readonly<Record<keyof TargetRefs, string | null>>;

interface RefChange {
  readonly ref: string;
  /** The new commit id; null deletes the ref. */
  readonly to: string | null;
  /** The expected current value; null if the ref must not exist. If absent, any value is accepted. */
  readonly from?: string | null;
}

/**
 * Returns the names of a target's refs.
 * @throws GitTrouble `no_branch` if the branch's name isn't valid
 */
export function refsOf({ branch, remote }: GitTarget): TargetRefs {
  if (!isBranchName(branch)) throw new GitTrouble('no_branch', `“${branch}” isn’t the name of a branch.`);
  // Encode the names, because git doesn't allow a ref (a/b) below another ref (a).
  const place = remote === null ? 'local' : `remote/${encodeURIComponent(remote)}`;
  const ours = (kind: string) => `refs/porchlight/${kind}/${place}/${encodeURIComponent(branch)}`;
  return {
    tip: ours('tip'),
    base: ours('base'),
    seen: ours('seen'),
    moving: ours('moving'),
    local: `refs/heads/${branch}`,
  };
}

/** Reads the current commit ids of a target's refs. */
export async function readStanding(git: RunGit, refs: TargetRefs): Promise<Standing> {
  const names = Object.values(refs) as string[];
  const { stdout } = await git(['for-each-ref', '--format=%(refname) %(objectname)', ...names]);
  const found = new Map(
    stdout
      .toString('utf8')
      .split('\n')
      .map((line): [string, string] => {
        const end = line.lastIndexOf(' ');
        return [line.slice(0, end), line.slice(end + 1)];
      }),
  );
  const value = (key: keyof TargetRefs) => found.get(refs[key]) ?? null;
  return {
    tip: value('tip'),
    base: value('base'),
    seen: value('seen'),
    moving: value('moving'),
    local: value('local'),
  };
}

/**
 * Changes all of the refs or none. Returns false if a ref doesn't have the expected value.
 * @throws GitTrouble
 */
export async function moveRefs(git: RunGit, changes: readonly RefChange[]): Promise<boolean> {
  const input = changes.map(({ ref, to, from }) => {
    const expected = from === undefined ? '' : ` ${from ?? '0'.repeat(to?.length ?? 40)}`;
    return to === null ? `delete ${ref}${expected}\n` : `update ${ref} ${to}${expected}\n`;
  });
  const { code } = await git(['update-ref', '-m', 'porchlight: publish', '--stdin'], {
    input: input.join(''),
    accept: /but expected|reference already exists|unable to resolve reference|reference is missing/,
  });
  return code === 0;
}

/** Returns whether a branch name follows the rules of git-check-ref-format. */
function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name.startsWith('-') || name.endsWith('.')) return false;
  if (/[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\//u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** The commit that the next commit builds on, with the refs of the target branch and their values. */
interface Head {
  /** The id of the commit; null for a branch without commits. */
  readonly head: string | null;
  readonly at: Standing;
  readonly refs: TargetRefs;
}

export type GitHeads = ReturnType<typeof openHeads>;

/**
 * Creates a cache for the state of a repository's branches. `freshFor`: how long a fetched branch counts as current, in
 * ms.
 */
export function openHeads(git: RunGit, { log, freshFor }: { log: Log; freshFor: number }) {
  /** The time of the last fetch of each ref, from performance.now(). */
  const fetched = new Map<string, number>();

  const isUnborn = async (local: string): Promise<boolean> => {
    const head = await git(['symbolic-ref', '-q', 'HEAD'], { accept: /^$/ });
    if (head.stdout.toString('utf8').trim() !== local) return false;
    return (await git(['rev-parse', '-q', '--verify', local], { accept: /^$/ })).code !== 0;
  };

  /**
   * Fetches the branch from the remote.
   * @throws GitTrouble `no_branch` if the remote doesn't have the branch, unless the branch is checked out here and has
   * no commits yet
   */
  async function fetch(target: RemoteBranch, refs: TargetRefs): Promise<void> {
    // Record failed attempts too, so that an unreachable remote isn't contacted again for each file.
    fetched.set(refs.seen, performance.now());
    if (await fetchBranch(git, target, refs.seen)) return;
    await moveRefs(git, [{ ref: refs.seen, to: null }]);
    if (await isUnborn(refs.local)) return;
    throw new GitTrouble(
      'no_branch',
      `The remote ${target.remote} has no branch ${target.branch}. Push the branch once (git push -u), or choose another one.`,
    );
  }

  return {
    fetch,

    /**
     * Records that the fetched state of a remote branch is current, because Porchlight has just pushed to that branch.
     */
    noteFresh: (refs: TargetRefs) => void fetched.set(refs.seen, performance.now()),

    /**
     * Returns the commit that the next commit builds on: the newest unpublished commit or, if there is none, the newest
     * published one. If the remote can't be reached, uses the state of the last fetch. `isFresh`: whether to fetch the
     * branch now, even if it was fetched recently.
     */
    async find(target: GitTarget, isFresh = false): Promise<Head> {
      const refs = refsOf(target);
      let at = await readStanding(git, refs);
      const { remote } = target;
      if (at.tip !== null) return { head: at.tip, at, refs };
      if (remote === null) {
        if (at.local === null && !(await isUnborn(refs.local)))
          throw new GitTrouble(
            'no_branch',
            `The repository has no branch ${target.branch}. Choose another one.`,
          );
        return { head: at.local, at, refs };
      }
      const age = performance.now() - (fetched.get(refs.seen) ?? -Infinity);
      if (isFresh || age > freshFor || at.seen === null) {
        try {
          await fetch({ ...target, remote }, refs);
        } catch (error) {
          const isAway = error instanceof GitTrouble && ['offline', 'hangs'].includes(error.kind);
          if (at.seen === null || !isAway) throw error;
          log.warn({ err: error }, 'The remote was not fetched');
        }
        at = await readStanding(git, refs);
      }
      return { head: at.tip ?? at.seen, at, refs };
    },
  };
}

/** The result of a push. `behind`: the remote's branch has commits that this repository doesn't have yet. */
type PushResult = 'pushed' | 'behind';

interface RemoteBranch {
  readonly remote: string;
  readonly branch: string;
  /** The result of remoteVariables. If absent, the variables are computed again, which takes time. */
  readonly variables?: Readonly<Record<string, string>>;
}

/**
 * Fetches a branch into the ref `into`. Returns false if the remote has no such branch.
 * @throws GitTrouble
 */
async function fetchBranch(git: RunGit, target: RemoteBranch, into: string): Promise<boolean> {
  const env = target.variables ?? (await remoteVariables(git));
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
  const env = target.variables ?? (await remoteVariables(git));
  const flags = ['--porcelain', '--progress', '--no-follow-tags', '--recurse-submodules=no', '--no-signed'];
  const refspec = `${commit}:refs/heads/${target.branch}`;
  const ran = await git(['push', ...flags, '--', target.remote, refspec], {
    env,
    network: true,
    accept: /^/,
  });
  if (ran.code === 0) return 'pushed';
  const answer = /^!\t[^\t]*\t(.*)$/m.exec(ran.stdout.toString('utf8'))?.[1];
  if (answer === undefined) throw troubleFrom(ran.stderr);
  // The branch on the server changed before or during the push.
  if (/^\[rejected\]|cannot lock ref|failed to update ref|incorrect old value|stale info/.test(answer))
    return 'behind';
  throw refusal(answer, ran.stderr);
}

/** Returns the environment variables that git needs to connect to remotes. */
export async function remoteVariables(git: RunGit): Promise<Record<string, string>> {
  return sshVariables((await readConfig(git)).get('core.sshcommand'));
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
