import { oneAtATime } from '../../storage/pacing.ts';
import { folded, isFileName } from '../../platform/folder-files.ts';
import { openGitBlobs, readObjects, readTree, sendLargeFiles, withoutPointer } from './git-objects.ts';
import { type Identity, remade } from './git-commits.ts';
import { commitChanges, type FolderChange } from './git-committing.ts';
import { type GitTarget, openHeads, refsOf, remoteVariables } from './git-branches.ts';
import { type GitPlace, requirePlainRefs, lineIn } from './git-place.ts';
import { GitPublishing } from './git-publish.ts';
import {
  createGitRunner,
  createRepositoryReader,
  requireRepository,
  type ReadRepository,
  type Repository,
} from './git-repository.ts';
import { type GitProgram, readConfig, type GitConfig, requireGit, type RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FolderSettings } from './git-settings.ts';

export interface GitOptions extends GitProgram {
  /** Returns the author name to use for commits if git's settings contain none; `Porchlight` by default. */
  readonly ownerName?: () => string;
  /** How long a fetched branch counts as current, in ms. */
  readonly freshFor?: number;
}

/**
 * The owner's repository. A call that fails rejects with a GitTrouble. File names are relative to the folder, with
 * slashes.
 */
export type Git = ReturnType<typeof openGit>;

/** Opens the repository that contains `folder`. This call itself reads and changes nothing. */
export function openGit(options: GitOptions) {
  const { log, ownerName = () => 'Porchlight', freshFor = 30_000 } = options;
  const read = createRepositoryReader(options);
  const { git, operation } = createGitRunner(options, read);
  const inTurn = oneAtATime();
  const repository = () => requireRepository(read, options.folder);
  const identity = async (): Promise<Identity> => identityFrom(await readConfig(git), ownerName());
  const heads = openHeads(git, { log, freshFor });
  const blobs = openGitBlobs(git);
  const publishing = new GitPublishing(git, heads, repository, identity);

  /**
   * Runs an operation after all earlier ones. Passes the target that it can use, without the remote if Porchlight
   * doesn't push to it.
   */
  const onTarget = <T>(wanted: GitTarget, work: (target: GitTarget, place: GitPlace) => Promise<T>) =>
    inTurn(async () => {
      const { place, settings } = await repository();
      if (wanted.remote !== null && !settings.remotes.has(wanted.remote))
        throw new GitTrouble(
          'no_remote',
          `The repository has no remote called “${wanted.remote}”. Add it (git remote add), or choose another one.`,
        );
      const isPushed = wanted.remote !== null && notPushedWords(settings, wanted.remote) === undefined;
      const target = isPushed ? wanted : { ...wanted, remote: null };
      const { tip, base, seen, moving, local } = refsOf(target);
      const tracking = target.remote === null ? [] : [`refs/remotes/${target.remote}/${target.branch}`];
      await requirePlainRefs(place, [tip, base, seen, moving, local, remade, ...tracking]);
      try {
        return await operation(target.remote, () => work(target, place));
      } catch (error) {
        const isAboutRemote =
          error instanceof GitTrouble &&
          ['credentials', 'offline', 'rejected', 'broken'].includes(error.kind);
        if (!isPushed || !isAboutRemote || settings.unused.length === 0) throw error;
        throw new GitTrouble(error.kind, `${error.words} ${unusedWords(settings.unused)}`, error);
      }
    });

  return {
    /** Returns facts about the repository (see readFacts). Changes nothing. */
    inspect: () => readFacts(createGitRunner(options, read).git, read, options),
    /**
     * Returns why Porchlight can't use git in the folder, or doesn't push to the target's remote, as a message for the
     * owner; undefined if neither is the case. Reports no other problems.
     */
    async warning(target: GitTarget): Promise<string | undefined> {
      try {
        const { settings } = await repository();
        return target.remote === null ? undefined : notPushedWords(settings, target.remote);
      } catch (error) {
        if (!(error instanceof GitTrouble)) throw error;
        return error.kind === 'files_only' ? error.words : undefined;
      }
    },
    /**
     * Returns the SHA-256 (hex) of the published version of each file; null for unpublished files. For a Git LFS pointer,
     * returns the SHA-256 of the content that the pointer refers to.
     */
    hashes: (files: readonly string[], wanted: GitTarget): Promise<Map<string, string | null>> =>
      onTarget(wanted, async (target, { prefix }) => {
        requireFileNames(files);
        await publishing.startOver(target);
        const { head } = await heads.find(target);
        const names = files.map((file) => prefix + file);
        const tree = await readTree(git, head, names);
        const hashes = await blobs.hashes(names.map((file) => tree.entry(file)));
        return new Map(files.map((file, index) => [file, hashes[index] ?? null]));
      }),
    /** Returns the published content of a file; null if the file isn't published. */
    read: (file: string, wanted: GitTarget): Promise<Buffer | null> =>
      onTarget(wanted, async (target, { prefix }) => {
        requireFileNames([file]);
        await publishing.startOver(target);
        const { head } = await heads.find(target);
        const name = prefix + file;
        const found = (await readTree(git, head, [name])).entry(name);
        const [blob] = found?.mode.startsWith('100') === true ? await readObjects(git, [found.oid]) : [];
        return blob ? withoutPointer(git, blob.content) : null;
      }),
    /**
     * Lists the files below the folder in the newest known commit. `isFresh`: whether to ask the remote now, even if it
     * was asked recently.
     */
    list: (wanted: GitTarget, isFresh?: boolean): Promise<Set<string>> =>
      onTarget(wanted, async (target, { prefix }) => {
        const { head } = await heads.find(target, isFresh);
        const place = `${head ?? ''}:${prefix.replace(/\/$/, '')}`;
        const [folderTree] = head === null ? [] : await readObjects(git, [place]);
        if (folderTree?.type !== 'tree') return new Set();
        const { stdout } = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', folderTree.oid]);
        return new Set(stdout.toString('utf8').split('\0').filter(Boolean));
      }),
    /**
     * Commits the changes on top of the published commits and publishes them, by pushing or, without a remote, by moving
     * the branch. Commits without pushing if Porchlight doesn't push to the remote's address (see `warning`). Then updates
     * the owner's checkout, unless the owner's own changes are in the way. Discards commits that an earlier call could not
     * publish, because the owner may have withdrawn the posts in them.
     */
    publish: (changes: readonly FolderChange[], wanted: GitTarget) =>
      onTarget(wanted, async (target, place) => {
        for (const { files } of changes) requireFileNames([...files.keys()]);
        await publishing.startOver(target);
        const { large, filtered } =
          changes.length > 0
            ? await commitChanges({ git, heads, blobs, identity }, changes, target, place)
            : { large: [], filtered: new Map<string, string>() };
        if (target.remote !== null && large.length > 0)
          await sendLargeFiles(git, large, { remote: target.remote, env: await remoteVariables(git) });
        const { prefix } = place;
        const published = await publishing.publish(target, prefix);
        return {
          ...published,
          filtered: new Map([...filtered].map(([file, hash]) => [file.slice(prefix.length), hash])),
        };
      }),
  };
}

const unusedWords = (names: readonly string[]) =>
  `Porchlight doesn’t use what the folder’s own git configuration says about connections (${names.slice(0, 3).join(', ')}). If the push needs it, set it in your own configuration (git config --global).`;

/**
 * Checks that the file names are valid, and that one repository can contain all the files on every operating system.
 * @throws GitTrouble `conflict`, with the invalid or conflicting files
 */
export function requireFileNames(files: readonly string[]): void {
  const wrong = files.filter((file) => !isFileName(file));
  if (wrong.length > 0) {
    const words = `“${wrong.join('”, “')}” isn’t a file below the folder. Check where posts and media go.`;
    throw new GitTrouble('conflict', words, { files: wrong });
  }
  const names = new Set<string>();
  for (const file of files) {
    const name = folded(file);
    if (names.has(name)) throw together(file);
    names.add(name);
  }
  for (const file of files) {
    const parts = folded(file).split('/').slice(0, -1);
    if (parts.some((_, index) => names.has(parts.slice(0, index + 1).join('/')))) throw together(file);
  }
}

const together = (file: string) =>
  new GitTrouble(
    'conflict',
    `“${file}” has the same name as another file on Macs and on Windows. Rename it.`,
    {
      files: [file],
    },
  );

/** The repository that contains a folder. */
interface GitFacts {
  /** The name of the current branch; null if no branch is checked out. */
  readonly branch: string | null;
  /** The remotes that Porchlight pushes to. */
  readonly remotes: readonly string[];
  /**
   * The remote that is configured for the branch, or `origin` if none is configured. If the repository doesn't have
   * that remote, this is the repository's only remote. Null if there is none, or if Porchlight doesn't push to it.
   */
  readonly remote: string | null;
  /** Why commits or pushes aren't possible, as a message for the owner. Null if they are possible. */
  readonly problem: string | null;
}

/**
 * Returns facts about the repository that contains the folder. Returns null if the folder doesn't exist or is in no
 * repository, or if git isn't installed.
 */
async function readFacts(git: RunGit, read: ReadRepository, program: GitProgram): Promise<GitFacts | null> {
  const { folder } = program;
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return null;
  try {
    await requireGit(program);
    const found = await read(folder);
    if (found === null) return null;
    const { settings } = found;
    const branch = await branchOf(found);
    const names = [...settings.remotes.keys()];
    const own = settings.upstreams.get(`branch.${branch ?? ''}.remote`) ?? 'origin';
    const remote = names.includes(own) ? own : names.length === 1 ? (names[0] ?? null) : null;
    const notPushed = remote === null ? undefined : notPushedWords(settings, remote);
    return {
      branch,
      remotes: names.filter((name) => settings.remotes.get(name)?.isUsable === true),
      remote: notPushed === undefined ? remote : null,
      problem: branchProblem(branch, settings) ?? (await ignoredProblem(git)) ?? notPushed ?? null,
    };
  } catch (error) {
    if (!(error instanceof GitTrouble)) throw error;
    if (error.kind === 'no_git') return null;
    return { branch: null, remotes: [], remote: null, problem: error.words };
  }
}

/** Returns why Porchlight doesn't push to a remote of the folder, as a message for the owner; undefined if it does. */
function notPushedWords({ remotes }: FolderSettings, remote: string): string | undefined {
  if (remotes.get(remote)?.isUsable !== false) return undefined;
  return `Porchlight commits, but doesn’t push to “${remote}”: it pushes only to addresses by https or ssh. Push yourself, or change the address (git remote set-url).`;
}

/** Returns the name of the branch that is checked out; null if there is none. */
async function branchOf({ place }: Repository): Promise<string | null> {
  return /^ref: *refs\/heads\/(.+)$/.exec(await lineIn(path.join(place.gitDir, 'HEAD')))?.[1] ?? null;
}

function branchProblem(branch: string | null, { upstreams }: FolderSettings): string | null {
  if (branch === null) return 'No branch is checked out. Check out a branch (git switch).';
  const merge = upstreams.get(`branch.${branch}.merge`);
  if (merge === undefined || merge === `refs/heads/${branch}`) return null;
  return `The branch ${branch} is called ${merge.replace('refs/heads/', '')} at the remote. Porchlight needs the same name for both.`;
}

async function ignoredProblem(git: RunGit): Promise<string | null> {
  const { code } = await git(['check-ignore', '-q', '.'], { accept: /^$|outside repository|empty string/ });
  return code === 0 ? 'The repository ignores this folder. Remove it from .gitignore.' : null;
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
