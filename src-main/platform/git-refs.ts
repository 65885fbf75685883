import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

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
  const names = [refs.tip, refs.base, refs.seen, refs.moving, refs.local];
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
