import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

/** Where commits go. */
export interface GitTarget {
  readonly branch: string;
  /** Null: the branch in this repository; nothing is pushed. */
  readonly remote: string | null;
}

/** The names of the refs that belong to a target. The owner's branch is changed by a publication only. */
export interface TargetRefs {
  /** The newest commit that isn't published. */
  readonly tip: string;
  /** The commit of somebody else that those commits build on. */
  readonly base: string;
  /** The remote's branch when it was last fetched. */
  readonly seen: string;
  /** The commit to which a checkout is being moved. */
  readonly moving: string;
  /** The owner's branch. */
  readonly local: string;
}

/** The commits that the refs of a target name; null if there is no such ref. */
export type Standing = Readonly<Record<keyof TargetRefs, string | null>>;

interface RefChange {
  readonly ref: string;
  /** Null deletes the ref. */
  readonly to: string | null;
  /** The value that the ref must have; null: it must not exist. Absent: any. */
  readonly from?: string | null;
}

/**
 * Returns the names of a target's refs.
 * @throws GitTrouble `no_branch` if the branch's name isn't valid
 */
export function refsOf({ branch, remote }: GitTarget): TargetRefs {
  if (!isBranchName(branch)) throw new GitTrouble('no_branch', `“${branch}” isn’t the name of a branch.`);
  // Encoded, because a ref cannot lie below another one.
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

/** Reads the commits that a target's refs name. */
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
 * Changes all the refs, or none. Returns false if a ref doesn't have the expected value.
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

/** The rules of git-check-ref-format. */
function isBranchName(name: string): boolean {
  if (name === '' || name === '@' || name.startsWith('-') || name.endsWith('.')) return false;
  if (/[\p{Cc}\p{Cs} ~^:?*[\\]|\.\.|@\{|\/\//u.test(name)) return false;
  return name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}
