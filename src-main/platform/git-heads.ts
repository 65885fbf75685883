import type { Log } from './log.ts';
import {
  readStanding,
  moveRefs,
  refsOf,
  type GitTarget,
  type Standing,
  type TargetRefs,
} from './git-refs.ts';
import { fetchBranch, type RemoteBranch } from './git-remote.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/** The commit that the next commit builds on, with the refs of the target branch and their values. */
export interface Head {
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
