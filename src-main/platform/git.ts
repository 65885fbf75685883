import { createHash } from 'node:crypto';
import { oneAtATime } from '../storage/one-at-a-time.ts';
import { moveBranch, type CheckoutMove } from './git-checkout.ts';
import { makeCommit, pointedAt, withWorkbench, type Identity } from './git-commits.ts';
import { identityFrom, readConfig } from './git-config.ts';
import { readFacts, type GitFacts } from './git-facts.ts';
import { readObjects, readTree, type TreeEntry } from './git-objects.ts';
import { requireFileNames } from './git-names.ts';
import {
  moveRefs,
  readStanding,
  refsOf,
  type GitTarget,
  type Standing,
  type TargetRefs,
} from './git-refs.ts';
import { fetchBranch, pushCommit } from './git-remote.ts';
import { replayCommits, type SetAside } from './git-replay.ts';
import { createGitRunner, type GitProgram } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

export interface GitOptions extends GitProgram {
  /** The name for commits if git's settings have none; `Porchlight` by default. */
  readonly ownerName?: () => string;
  /** How long a fetched branch counts as current, in ms. */
  readonly freshFor?: number;
}

export interface GitChanges {
  /** The new content of each file, relative to the folder; null deletes the file. */
  readonly files: ReadonlyMap<string, Buffer | null>;
  /**
   * The SHA-256 (hex) of the content that is replaced; null: the file must not exist. A file that isn't listed may have
   * any content.
   */
  readonly expected?: ReadonlyMap<string, string | null>;
  readonly message: string;
}

export interface Published {
  /** The newest commit of the branch; null if the branch has none. */
  readonly commit: string | null;
  /** Whether our commits were made again on top of somebody else's. */
  readonly rebased: boolean;
  /** The commits that were not published. They have to be made again. */
  readonly setAside: readonly SetAside[];
  /** Why the owner's checkout stays as it was, in words; null if it has moved. */
  readonly left: string | null;
}

/** The owner's repository. All calls reject with a GitTrouble. Files are relative to the folder, with slashes. */
export interface Git {
  /** Returns facts about the repository; null if there is none, or no git. Changes nothing. */
  inspect(): Promise<GitFacts | null>;
  /** Reads files from the commit that the next commit builds on; null for a file that it doesn't have. */
  read(files: readonly string[], target: GitTarget): Promise<Map<string, Buffer | null>>;
  /** Lists the files below the folder in that commit. */
  list(target: GitTarget): Promise<Set<string>>;
  /**
   * Makes one commit, which isn't published yet, even if this computer is offline. Returns its id; undefined if it would
   * change nothing. An earlier, unpublished commit may hold the same change already, so call `publish` all the same.
   */
  commit(changes: GitChanges, target: GitTarget): Promise<string | undefined>;
  /**
   * Publishes the commits made so far: pushes them, or moves the branch if there is no remote. Then moves the owner's
   * checkout, where nothing of theirs is in the way.
   */
  publish(target: GitTarget): Promise<Published>;
}

/** How often a push is tried while others push too. */
const mostAttempts = 60;

/** Opens the repository that holds `folder`. Touches nothing yet. */
export function openGit(options: GitOptions): Git {
  const { folder, log, ownerName = () => 'Porchlight', freshFor = 30_000 } = options;
  const git = createGitRunner(options);
  const inTurn = oneAtATime();
  /** When each ref was fetched, by performance.now(). */
  const fetched = new Map<string, number>();

  const textOf = async (args: readonly string[]) => (await git(args)).stdout.toString('utf8').trim();
  const prefixOf = () => textOf(['rev-parse', '--show-prefix']);
  const gitDirOf = () => textOf(['rev-parse', '--absolute-git-dir']);
  const identity = async (): Promise<Identity> => identityFrom(await readConfig(git), ownerName());

  /** Fetches the remote's branch. Throws if there is none although it should exist. */
  async function fetch(target: GitTarget & { remote: string }, refs: TargetRefs): Promise<void> {
    // A remote that doesn't answer is asked again later, not for each file.
    fetched.set(refs.seen, performance.now());
    if (await fetchBranch(git, target, refs.seen)) return;
    await moveRefs(git, [{ ref: refs.seen, to: null }]);
    if (await isUnborn(refs.local)) return;
    throw new GitTrouble(
      'no_branch',
      `The remote ${target.remote} has no branch ${target.branch}. Push the branch once (git push -u), or choose another one.`,
    );
  }

  const isUnborn = async (local: string): Promise<boolean> => {
    const head = await git(['symbolic-ref', '-q', 'HEAD'], { accept: /^$/ });
    if (head.stdout.toString('utf8').trim() !== local) return false;
    return (await git(['rev-parse', '-q', '--verify', local], { accept: /^$/ })).code !== 0;
  };

  /** Returns the commit that the next commit builds on; null for a branch without commits. */
  async function findHead(
    target: GitTarget,
  ): Promise<{ head: string | null; at: Standing; refs: TargetRefs }> {
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
    if (performance.now() - (fetched.get(refs.seen) ?? -Infinity) > freshFor || at.seen === null) {
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
  }

  async function commitOnce(
    changes: GitChanges,
    target: GitTarget,
  ): Promise<{ commit: string | undefined } | 'again'> {
    const { head, at, refs } = await findHead(target);
    const prefix = await prefixOf();
    const files = new Map([...changes.files].map(([file, content]) => [prefix + file, content]));
    const tree = await readTree(git, head, files.keys());
    for (const [file, content] of files) {
      const obstacle = content === null ? undefined : tree.obstacle(file);
      if (obstacle) throw belowFolder(obstacle, prefix);
    }
    const expected = [...(changes.expected ?? [])];
    const found = await readBlobs(expected.map(([file]) => tree.entry(prefix + file)));
    const different = expected.filter(([, hash], index) => hash !== hashOf(found[index] ?? null));
    if (different.length > 0) throw changedByOthers(different.map(([file]) => file));

    const made = await withWorkbench(git, await gitDirOf(), async (bench) => {
      await bench.start(head);
      const before = await bench.tree();
      await bench.put(files);
      const after = await bench.tree();
      return after === before ? undefined : after;
    });
    if (made === undefined) return { commit: undefined };
    const { message } = changes;
    const commit = await makeCommit(git, { tree: made, parent: head, message, identity: await identity() });
    const base = at.tip === null && head !== null ? [{ ref: refs.base, to: head, from: null }] : [];
    const isMade = await moveRefs(git, [{ ref: refs.tip, to: commit, from: at.tip }, ...base]);
    return isMade ? { commit } : 'again';
  }

  async function readBlobs(entries: readonly (TreeEntry | null)[]): Promise<(Buffer | null)[]> {
    const files = entries.filter((entry) => entry?.mode.startsWith('100') === true);
    const blobs = await readObjects(
      git,
      files.flatMap((entry) => entry?.oid ?? []),
    );
    const contents = new Map(blobs.map((blob) => [blob?.oid, blob?.content]));
    return entries.map((entry) => contents.get(entry?.oid) ?? null);
  }

  /** Makes the unpublished commits again on top of `onto`. */
  async function rebuild(
    refs: TargetRefs,
    at: Standing & { tip: string },
    onto: string,
    refused: readonly string[] = [],
  ): Promise<SetAside[]> {
    const { tip, base } = at;
    const made = await replayCommits(git, { identity: await identity(), tip, base, onto, refused });
    const isDone = made.tip === onto;
    const moved = await moveRefs(git, [
      { ref: refs.tip, to: isDone ? null : made.tip, from: tip },
      ...(isDone && base === null ? [] : [{ ref: refs.base, to: isDone ? null : onto }]),
    ]);
    return moved ? made.setAside : [];
  }

  /** Finishes a move of the checkout that was interrupted, then moves it to `to`. */
  async function moveCheckout(
    target: GitTarget,
    refs: TargetRefs,
    at: Standing,
    to: string,
  ): Promise<CheckoutMove> {
    const move = { branch: target.branch, isLocal: target.remote === null };
    let from = at.local;
    if (at.moving !== null && at.moving !== to) {
      const earlier = await moveBranch(git, { ...move, from, to: at.moving });
      if (earlier.state === 'moved') from = at.moving;
    }
    await moveRefs(git, [{ ref: refs.moving, to }]);
    const moved = await moveBranch(git, { ...move, from, to });
    await moveRefs(git, [{ ref: refs.moving, to: null }]);
    return moved;
  }

  async function publishAll(target: GitTarget, prefix: string): Promise<Published> {
    const { remote } = target;
    const setAside: SetAside[] = [];
    let rebased = false;
    let left: string | null = null;
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const { head, at, refs } = await findHead(target);
      const { tip } = at;
      if (tip === null) return { commit: head, rebased, setAside: relativeTo(prefix, setAside), left };
      const again = async (onto: string, refused: readonly string[] = []) => {
        rebased = true;
        setAside.push(...(await rebuild(refs, { ...at, tip }, onto, refused)));
      };
      if (remote === null && at.local !== null && at.local !== at.base) {
        await again(at.local);
        continue;
      }
      if (remote !== null && (await pushCommit(git, { ...target, remote }, tip)) === 'behind') {
        // Others who push at the same moment should not meet again.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt));
        await fetch({ ...target, remote }, refs);
        const { seen } = await readStanding(git, refs);
        if (seen !== null) await again(seen);
        continue;
      }
      const moved = await moveCheckout(target, refs, at, tip);
      if (moved.state !== 'moved') {
        left = moved.trouble.words;
        if (remote === null) {
          if (moved.state === 'left') throw belowFolder(moved.trouble, prefix);
          if (at.local === null || moved.files.length === 0) throw belowFolder(moved.trouble, prefix);
          await again(at.local, moved.files);
          continue;
        }
      }
      fetched.set(refs.seen, performance.now());
      await moveRefs(git, [
        ...(remote === null ? [] : [{ ref: refs.seen, to: tip }]),
        { ref: refs.tip, to: null, from: tip },
        ...(at.base === null ? [] : [{ ref: refs.base, to: null }]),
      ]);
    }
    throw new GitTrouble(
      'rejected',
      'Others changed the branch each time that Porchlight pushed. Porchlight tries again.',
    );
  }

  return {
    inspect: () => readFacts(git, folder),
    read: (files, target) =>
      inTurn(async () => {
        requireFileNames(files);
        const { head } = await findHead(target);
        const prefix = await prefixOf();
        const tree = await readTree(
          git,
          head,
          files.map((file) => prefix + file),
        );
        const contents = await readBlobs(files.map((file) => tree.entry(prefix + file)));
        return new Map(files.map((file, index) => [file, contents[index] ?? null]));
      }),
    list: (target) =>
      inTurn(async () => {
        const { head } = await findHead(target);
        const place = `${head ?? ''}:${(await prefixOf()).replace(/\/$/, '')}`;
        const [folderTree] = head === null ? [] : await readObjects(git, [place]);
        if (folderTree?.type !== 'tree') return new Set();
        const { stdout } = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', folderTree.oid]);
        return new Set(stdout.toString('utf8').split('\0').filter(Boolean));
      }),
    commit: (changes, target) =>
      inTurn(async () => {
        requireFileNames([...changes.files.keys()]);
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const made = await commitOnce(changes, target);
          if (made !== 'again') return made.commit;
        }
        throw new GitTrouble(
          'locked',
          'Another program keeps changing the repository. Porchlight tries again.',
        );
      }),
    publish: (target) => inTurn(async () => publishAll(target, await prefixOf())),
  };
}

/** Returns the SHA-256 of a file; of the file that a Git LFS pointer stands for. */
const hashOf = (content: Buffer | null) =>
  content === null
    ? null
    : ((content.length === 0 ? undefined : pointedAt(content)) ??
      createHash('sha256').update(content).digest('hex'));

const changedByOthers = (files: readonly string[]) =>
  new GitTrouble(
    'conflict',
    `${files.join(', ')} was changed by somebody else. Decide which version stays.`,
    { files },
  );

/** Returns trouble with the names of files relative to the folder. `prefix`: the folder's path in the repository. */
function belowFolder({ kind, words, files, cause }: GitTrouble, prefix: string): GitTrouble {
  const relative = files.map((file) => (file.startsWith(prefix) ? file.slice(prefix.length) : file));
  return new GitTrouble(kind, words, { files: relative, cause });
}

function relativeTo(prefix: string, commits: readonly SetAside[]): SetAside[] {
  const relative = (files: readonly string[]) => files.map((file) => file.slice(prefix.length));
  return commits.map(({ files, conflicts }) => ({ files: relative(files), conflicts: relative(conflicts) }));
}
