import { isAncestor, moveBranch, type CheckoutMove } from './git-checkout.ts';
import { type Chain, type Identity, readChain, remade, replayChain, type SetAside } from './git-commits.ts';
import {
  type GitHeads,
  type GitTarget,
  moveRefs,
  pushCommit,
  readStanding,
  refsOf,
  remoteVariables,
  type Standing,
  type TargetRefs,
} from './git-branches.ts';
import type { Repository } from './git-repository.ts';
import type { RunGit } from './git-run.ts';
import { belowFolder, GitTrouble } from './git-trouble.ts';

export interface Published {
  /** The newest commit of the branch; null if the branch has none. */
  readonly commit: string | null;
  /** Whether Porchlight's unpublished commits were rebased, for example onto another author's commits. */
  readonly rebased: boolean;
  /** The commits that were not published because of a conflict. Their changes have to be committed again. */
  readonly setAside: readonly SetAside[];
  /** Why the owner's checkout could not be updated, as a message; null if it was updated. */
  readonly left: string | null;
}

/** The maximum number of rejected pushes in a row. A push is rejected if another push came first. */
const mostRejections = 60;
/** The number of rejected pushes after which the number of commits per push is halved. */
const rejectionsPerSize = 5;

/** Publishes commits, and discards commits whose publication failed. */
export class GitPublishing {
  readonly #git: RunGit;
  readonly #heads: GitHeads;
  readonly #repository: () => Promise<Repository>;
  readonly #identity: () => Promise<Identity>;

  constructor(
    git: RunGit,
    heads: GitHeads,
    repository: () => Promise<Repository>,
    identity: () => Promise<Identity>,
  ) {
    this.#git = git;
    this.#heads = heads;
    this.#repository = repository;
    this.#identity = identity;
  }

  /**
   * Discards the commits of a failed or interrupted attempt, because the owner may have withdrawn the posts in them.
   * Keeps commits that were published, and updates the owner's checkout to include them.
   * @throws GitTrouble if Porchlight cannot find out whether the commits reached the remote
   */
  async startOver(target: GitTarget): Promise<void> {
    const refs = refsOf(target);
    const { remote } = target;
    let at = await readStanding(this.#git, refs);
    const { tip } = at;
    if (tip === null) return;
    if (remote !== null) {
      await this.#heads.fetch({ ...target, remote }, refs);
      at = await readStanding(this.#git, refs);
    }
    const published = remote === null ? at.local : at.seen;
    const hasArrived = published !== null && (await isAncestor(this.#git, tip, published));
    // An interrupted update may already have written the content of this commit to the owner's files.
    const isArriving = remote === null && at.moving === tip;
    if (hasArrived || isArriving) await this.#moveCheckout(target, refs, at, tip);
    await this.#forget(refs, at);
  }

  /** Publishes the unpublished commits. `prefix`: the folder's path in the repository. */
  async publish(target: GitTarget, prefix: string): Promise<Published> {
    const { remote } = target;
    const variables = remote === null ? undefined : await remoteVariables(this.#git);
    const found = await this.#heads.find(target);
    const { refs } = found;
    let { head, at } = found;
    let chain: Chain | undefined;
    /** The ids of the unpublished commits after rebasing; empty if they were not rebased. */
    let made: readonly string[] = [];
    /** The maximum number of commits per push. Smaller pushes are less likely to be overtaken by another push. */
    let most = Infinity;
    /**
     * The commits that were left out because of conflicts. `earlier`: those from attempts up to the last successful
     * push. `current`: those from the current attempt.
     */
    const [earlier, current]: [SetAside[], SetAside[]] = [[], []];
    const refused: string[] = [];
    let rebased = false;
    const result = (commit: string | null, left: string | null): Published => ({
      commit,
      rebased,
      setAside: relativeTo(prefix, [...earlier, ...current]),
      left,
    });

    /** Rebases the unpublished commits onto `onto`. */
    const again = async (tip: string, onto: string): Promise<void> => {
      rebased = true;
      chain ??= await readChain(this.#git, await this.#identity(), { tip, base: at.base, onto });
      const replayed = await replayChain(this.#git, chain, { onto, refused });
      const next = replayed.made.at(-1) ?? null;
      const base = next === null ? null : onto;
      const hasMoved = await moveRefs(this.#git, [
        { ref: refs.tip, to: next, from: tip },
        ...(base === null && at.base === null ? [] : [{ ref: refs.base, to: base }]),
        ...(next === null ? [] : [{ ref: remade, to: null }]),
      ]);
      if (!hasMoved) {
        chain = undefined;
        ({ head, at } = await this.#heads.find(target));
        return;
      }
      ({ made } = replayed);
      current.splice(0, Infinity, ...replayed.setAside);
      [head, at] = [next ?? onto, { ...at, tip: next, base }];
    };

    for (let rejections = 0; rejections < mostRejections; rejections += 1) {
      if (remote === null) ({ head, at } = await this.#heads.find(target));
      const { tip } = at;
      if (tip === null) return result(head, null);
      if (remote === null && at.local !== null && at.local !== at.base) {
        await again(tip, at.local);
        continue;
      }
      if (remote !== null) {
        const there = { remote, branch: target.branch, variables };
        const part = made.slice(0, most);
        const goal = part.at(-1) ?? tip;
        if ((await pushCommit(this.#git, there, goal)) === 'behind') {
          if (rejections % rejectionsPerSize === rejectionsPerSize - 1)
            most = Math.max(1, Math.floor(part.length / 2));
          // A random pause keeps two computers that push at the same moment from colliding again.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * rejections));
          await this.#heads.fetch(there, refs);
          const { seen } = await readStanding(this.#git, refs);
          if (seen !== null) await again(tip, seen);
          continue;
        }
        if (goal !== tip) {
          await moveRefs(
            this.#git,
            [refs.seen, refs.base].map((ref) => ({ ref, to: goal })),
          );
          [at, made, chain] = [{ ...at, seen: goal, base: goal }, made.slice(part.length), undefined];
          earlier.push(...current.splice(0));
          rejections = 0;
          continue;
        }
      }
      // The owner may have changed the repository since the refs were last read.
      const moved = await this.#moveCheckout(target, refs, await readStanding(this.#git, refs), tip);
      if (moved.state !== 'moved' && remote === null) {
        if (moved.state === 'left') throw belowFolder(moved.trouble, prefix);
        if (at.local === null || moved.files.length === 0) throw belowFolder(moved.trouble, prefix);
        refused.push(...moved.files);
        await again(tip, at.local);
        continue;
      }
      this.#heads.noteFresh(refs);
      await this.#forget(refs, at, remote === null ? undefined : tip);
      return result(tip, moved.state === 'moved' ? null : moved.trouble.words);
    }
    throw new GitTrouble(
      'rejected',
      'Others changed the branch each time that Porchlight pushed. Porchlight tries again.',
    );
  }

  /** Finishes an interrupted update of the checkout, then updates the checkout to the commit `to`. */
  async #moveCheckout(target: GitTarget, refs: TargetRefs, at: Standing, to: string): Promise<CheckoutMove> {
    const move = { branch: target.branch, isLocal: target.remote === null };
    let from = at.local;
    if (at.moving !== null && at.moving !== to) {
      const earlier = await moveBranch(this.#git, await this.#repository(), { ...move, from, to: at.moving });
      if (earlier.state === 'moved') from = at.moving;
    }
    await moveRefs(this.#git, [{ ref: refs.moving, to }]);
    const hasStopped = () => moveRefs(this.#git, [{ ref: refs.moving, to: null }]);
    try {
      const moved = await moveBranch(this.#git, await this.#repository(), { ...move, from, to });
      await hasStopped();
      return moved;
    } catch (error) {
      // If another program's lock stopped git, no file has changed, so there is no update to finish.
      if (error instanceof GitTrouble && error.kind === 'locked') await hasStopped();
      throw error;
    }
  }

  /** Discards the unpublished commits. `seen`: the remote's newest commit; absent if unchanged. */
  #forget(refs: TargetRefs, { tip, base }: Standing, seen?: string): Promise<boolean> {
    return moveRefs(this.#git, [
      ...(seen === undefined ? [] : [{ ref: refs.seen, to: seen }]),
      { ref: refs.tip, to: null, from: tip },
      ...(base === null ? [] : [{ ref: refs.base, to: null }]),
    ]);
  }
}

function relativeTo(prefix: string, commits: readonly SetAside[]): SetAside[] {
  const relative = (files: readonly string[]) => files.map((file) => file.slice(prefix.length));
  return commits.map(({ files, conflicts }) => ({ files: relative(files), conflicts: relative(conflicts) }));
}
