import { remadeCommits, type Identity, type KeptCommit } from './git-commits.ts';
import { isSameEntry, readChanges, readObjects, readTree, type FileChange } from './git-objects.ts';
import type { RunGit } from './git-run.ts';

/** A commit that could not be published, because somebody else changed some of its files. */
export interface SetAside {
  /** The files of the commit. */
  readonly files: readonly string[];
  /** Those that somebody else changed. */
  readonly conflicts: readonly string[];
}

interface Replay {
  readonly identity: Identity;
  /** The newest of the unpublished commits. */
  readonly tip: string;
  /** The commit on which they were made; null for none. */
  readonly base: string | null;
  /** The commit on which they are made again. */
  readonly onto: string;
  /** Files that the owner is changing: commits with these are set aside. */
  readonly refused?: readonly string[];
}

/**
 * Makes the unpublished commits again on top of another commit. A commit is set aside if somebody else changed one of
 * its files since it was made. Returns the new tip.
 */
export async function replayCommits(
  git: RunGit,
  options: Replay,
): Promise<{ tip: string; setAside: SetAside[] }> {
  const { onto, identity } = options;
  const chain = await unpublished(git, options);
  const [first] = chain;
  if (first === undefined) return { tip: onto, setAside: [] };
  const changes = await readChanges(git, chain);
  const files = new Set(changes.flat().map(({ file }) => file));
  const before = await readTree(git, await parentOf(git, first), files);
  const after = await readTree(git, onto, files);
  /** Files in which the other side made the same change. */
  const agreed = new Set<string>();
  const setAside: SetAside[] = [];

  const isConflict = ({ file, after: result }: FileChange): boolean => {
    if (options.refused?.includes(file) === true) return true;
    if (agreed.has(file)) return false;
    const theirs = after.entry(file);
    if (isSameEntry(theirs, result)) {
      agreed.add(file);
      return false;
    }
    if (!isSameEntry(theirs, before.entry(file))) return true;
    return result !== null && after.obstacle(file) !== undefined;
  };

  /** Files as the commits that were made again leave them. */
  const made = new Map<string, FileChange['after']>();
  const kept: KeptCommit[] = [];
  for (const [index, original] of chain.entries()) {
    const own = changes[index] ?? [];
    const conflicts = own.filter(isConflict).map(({ file }) => file);
    if (conflicts.length > 0) {
      setAside.push({ files: own.map(({ file }) => file), conflicts });
      continue;
    }
    const stateOf = (file: string) => (made.has(file) ? (made.get(file) ?? null) : after.entry(file));
    if (own.every((change) => isSameEntry(stateOf(change.file), change.after))) continue;
    for (const change of own) made.set(change.file, change.after);
    kept.push({ original, changes: own });
  }
  return { tip: await remadeCommits(git, { kept, onto, identity }), setAside };
}

/** Lists our commits that `onto` doesn't contain, oldest first. */
async function unpublished(git: RunGit, { tip, base, onto }: Replay): Promise<string[]> {
  const others = [onto, ...(base === null ? [] : [base])].map((commit) => `^${commit}`);
  const { stdout } = await git(['rev-list', '--reverse', '--first-parent', tip, ...others]);
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

async function parentOf(git: RunGit, commit: string): Promise<string | null> {
  const [parent] = await readObjects(git, [`${commit}^`]);
  return parent?.oid ?? null;
}
