import { remadeCommits, type Identity, type KeptCommit } from './git-commits.ts';
import {
  isSameEntry,
  readChanges,
  readObjects,
  readTree,
  type FileChange,
  type PartialTree,
} from './git-objects.ts';
import type { RunGit } from './git-run.ts';

/**
 * A commit that could not be published, because another author changed some of its files, or because the owner is
 * editing them.
 */
export interface SetAside {
  /** The files that the commit changes. */
  readonly files: readonly string[];
  /** The commit's files that are in conflict. Because of these files, the commit was not published. */
  readonly conflicts: readonly string[];
}

/**
 * Unpublished commits, with everything that is needed to rebase them. Porchlight reads this data only once, to save
 * time between pushes.
 */
export interface Chain {
  /** The commits, oldest first. */
  readonly commits: readonly KeptCommit[];
  /** The names of the files that the commits change. */
  readonly files: ReadonlySet<string>;
  /** The state of the changed files before the first commit. */
  readonly before: PartialTree;
  /** The committer line for the rebased commits: name, email address and time. */
  readonly committer: string;
}

interface Unpublished {
  readonly identity: Identity;
  /** The newest of the unpublished commits. */
  readonly tip: string;
  /** The published commit that the unpublished commits build on; null if there is none. */
  readonly base: string | null;
  /** The commit to rebase the unpublished commits onto. */
  readonly onto: string;
}

/** Reads Porchlight's unpublished commits: those that `onto` and `base` don't contain. */
export async function readChain(git: RunGit, { identity, tip, base, onto }: Unpublished): Promise<Chain> {
  const others = [onto, ...(base === null ? [] : [base])].map((commit) => `^${commit}`);
  const listed = await git(['rev-list', '--reverse', '--first-parent', tip, ...others]);
  const names = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  const [first] = names;
  const changes = await readChanges(git, names);
  const files = new Set(changes.flat().map(({ file }) => file));
  const objects = await readObjects(git, [...names, ...(first === undefined ? [] : [`${first}^`])]);
  const parent = objects[names.length]?.oid ?? null;
  const { stdout: by } = await git(['var', 'GIT_COMMITTER_IDENT'], { env: identity });
  return {
    commits: names.map((_, index) => ({
      text: objects[index]?.content ?? Buffer.alloc(0),
      changes: changes[index] ?? [],
    })),
    ...{ files, before: await readTree(git, parent, files), committer: by.toString('utf8').trim() },
  };
}

/**
 * Rebases commits onto `onto`. Leaves out a commit if another author changed one of the commit's files in
 * `onto`, unless the commit makes the same change. Also leaves out commits with files in `refused`, which the owner is
 * editing. Returns the ids of the rebased commits, oldest first.
 */
export async function replayChain(
  git: RunGit,
  { commits, files, before, committer }: Chain,
  { onto, refused }: { onto: string; refused: readonly string[] },
): Promise<{ made: string[]; setAside: SetAside[] }> {
  if (commits.length === 0) return { made: [], setAside: [] };
  const after = await readTree(git, onto, files);
  /** The files that another author has already changed in the same way as one of Porchlight's commits. */
  const agreed = new Set<string>();
  const setAside: SetAside[] = [];

  const isConflict = ({ file, after: result }: FileChange): boolean => {
    if (refused.includes(file)) return true;
    if (agreed.has(file)) return false;
    const theirs = after.entry(file);
    if (isSameEntry(theirs, result)) {
      agreed.add(file);
      return false;
    }
    if (!isSameEntry(theirs, before.entry(file))) return true;
    return result !== null && after.obstacle(file) !== undefined;
  };

  /** The state of each changed file after the commits in `kept`; null if these commits delete the file. */
  const made = new Map<string, FileChange['after']>();
  const kept: KeptCommit[] = [];
  for (const commit of commits) {
    const { changes } = commit;
    const conflicts = changes.filter(isConflict).map(({ file }) => file);
    if (conflicts.length > 0) {
      setAside.push({ files: changes.map(({ file }) => file), conflicts });
      continue;
    }
    const stateOf = (file: string) => (made.has(file) ? (made.get(file) ?? null) : after.entry(file));
    if (changes.every((change) => isSameEntry(stateOf(change.file), change.after))) continue;
    for (const change of changes) made.set(change.file, change.after);
    kept.push(commit);
  }
  return { made: await remadeCommits(git, { kept, onto, committer }), setAside };
}
