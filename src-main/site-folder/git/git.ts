import { oneAtATime } from '../../storage/pacing.ts';
import { folded, isFileName } from '../../platform/folder-files.ts';
import {
  blobId,
  openGitBlobs,
  readObjects,
  readTree,
  sendLargeFiles,
  withoutPointer,
} from './git-objects.ts';
import { type GitContent, type Identity, makeCommit, remade, withWorkbench } from './git-commits.ts';
import { type GitFacts, identityFrom, notPushedWords, readFacts } from './git-facts.ts';
import { type GitTarget, moveRefs, openHeads, refsOf, remoteVariables } from './git-branches.ts';
import { type GitPlace, requirePlainRefs } from './git-place.ts';
import { openGitPublishing, type Published } from './git-publish.ts';
import { createGitRunner, createRepositoryReader, requireRepository } from './git-repository.ts';
import { type GitProgram, readConfig, type RunGit } from './git-run.ts';
import { belowFolder, GitTrouble } from './git-trouble.ts';

export interface GitOptions extends GitProgram {
  /** Returns the author name to use for commits if git's settings contain none; `Porchlight` by default. */
  readonly ownerName?: () => string;
  /** How long a fetched branch counts as current, in ms. */
  readonly freshFor?: number;
}

/** The changes for one commit. */
interface GitChanges {
  /** The new content of each file, keyed by the path relative to the folder. A null value deletes the file. */
  readonly files: ReadonlyMap<string, GitContent | null>;
  /**
   * The SHA-256 (hex) that the current content of each file must have; null if the file must not exist. Files that
   * aren't listed may have any content.
   */
  readonly expected?: ReadonlyMap<string, string | null>;
  readonly message: string;
}

/**
 * The owner's repository. A call that fails rejects with a GitTrouble. File names are relative to the folder, with
 * slashes.
 */
export interface Git {
  /**
   * Returns facts about the repository. Returns null if there is no repository, or if git isn't installed. Changes
   * nothing.
   */
  inspect(): Promise<GitFacts | null>;
  /**
   * Returns why Porchlight can't use git in the folder, or doesn't push to the target's remote, as a message for the
   * owner; undefined if neither is the case. Reports no other problems.
   */
  warning(target: GitTarget): Promise<string | undefined>;
  /**
   * Returns the SHA-256 (hex) of the published version of each file; null for unpublished files. For a Git LFS pointer,
   * returns the SHA-256 of the content that the pointer refers to.
   */
  hashes(files: readonly string[], target: GitTarget): Promise<Map<string, string | null>>;
  /** Returns the published content of a file; null if the file isn't published. */
  read(file: string, target: GitTarget): Promise<Buffer | null>;
  /**
   * Lists the files below the folder in the newest known commit. `isFresh`: whether to ask the remote now, even if it
   * was asked recently.
   */
  list(target: GitTarget, isFresh?: boolean): Promise<Set<string>>;
  /**
   * Commits the changes on top of the published commits and publishes them, by pushing or, without a remote, by moving
   * the branch. Commits without pushing if Porchlight doesn't push to the remote's address (see `warning`). Then updates the owner's checkout, unless the owner's own changes are in the way. Discards commits that
   * an earlier call could not publish, because the owner may have withdrawn the posts in them.
   */
  publish(
    changes: readonly GitChanges[],
    target: GitTarget,
  ): Promise<Published & Pick<Committed, 'filtered'>>;
}

interface Committed {
  /** The SHA-256 (hex) of the files that belong in Git LFS. */
  readonly large: readonly string[];
  /** The texts that a filter of the repository has changed, with the SHA-256 (hex) of what was committed instead. */
  readonly filtered: ReadonlyMap<string, string>;
}

/** Opens the repository that contains `folder`. This call itself reads and changes nothing. */
export function openGit(options: GitOptions): Git {
  const { log, ownerName = () => 'Porchlight', freshFor = 30_000 } = options;
  const read = createRepositoryReader(options);
  const { git, operation } = createGitRunner(options, read);
  const inTurn = oneAtATime();
  const repository = () => requireRepository(read, options.folder);
  const identity = async (): Promise<Identity> => identityFrom(await readConfig(git), ownerName());
  const heads = openHeads(git, { log, freshFor });
  const blobs = openGitBlobs(git);
  const publishing = openGitPublishing(git, { heads, identity, repository });

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

  /**
   * Makes a commit for each item of `changes` that has an effect. All commits share one temporary index, because
   * filling an index with a large site's file names is slow. Returns undefined if another program has changed the
   * unpublished commits in the meantime.
   */
  async function commitOnce(
    changes: readonly GitChanges[],
    target: GitTarget,
    { prefix, gitDir }: GitPlace,
  ): Promise<Committed | undefined> {
    const { head, at, refs } = await heads.find(target);
    const all = changes.map(({ files, expected = new Map<string, string | null>(), message }) => ({
      files: new Map([...files].map(([file, content]) => [prefix + file, content])),
      expected: new Map([...expected].map(([file, hash]) => [prefix + file, hash])),
      message,
    }));
    const names = all.flatMap(({ files, expected }) => [...files.keys(), ...expected.keys()]);
    const tree = await readTree(git, head, names);
    /** The expected content of each file before its first change, as SHA-256 (hex). */
    const expected = new Map<string, string | null>();
    const written = new Set<string>();
    for (const one of all) {
      for (const [file, content] of one.files) {
        const obstacle = content === null ? undefined : tree.obstacle(file);
        if (obstacle) throw belowFolder(obstacle, prefix);
      }
      for (const [file, hash] of one.expected)
        if (!written.has(file) && !expected.has(file)) expected.set(file, hash);
      for (const file of one.files.keys()) written.add(file);
    }
    const found = await blobs.hashes([...expected.keys()].map((file) => tree.entry(file)));
    const different = [...expected].filter(([, hash], index) => hash !== found[index]);
    if (different.length > 0) throw changedByOthers(different.map(([file]) => file.slice(prefix.length)));

    const by = await identity();
    const large: string[] = [];
    const tip = await withWorkbench(git, gitDir, async (bench) => {
      await bench.start(head);
      let [parent, before] = [head, await bench.tree()];
      for (const { files, message } of all) {
        large.push(...(await bench.put(files)));
        const after = await bench.tree();
        if (after === before) continue;
        parent = await makeCommit(git, { tree: after, parent, message, identity: by });
        before = after;
      }
      return parent;
    });
    const filtered = await filteredAmong(git, tip, all);
    if (tip === head || tip === null) return { large: [], filtered };
    const base = head === null ? [] : [{ ref: refs.base, to: head, from: null }];
    const hasMoved = await moveRefs(git, [{ ref: refs.tip, to: tip, from: at.tip }, ...base]);
    return hasMoved ? { large, filtered } : undefined;
  }

  async function commit(
    changes: readonly GitChanges[],
    target: GitTarget,
    place: GitPlace,
  ): Promise<Committed> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const committed = await commitOnce(changes, target, place);
      if (committed) return committed;
    }
    throw new GitTrouble('locked', 'Another program keeps changing the repository. Porchlight tries again.');
  }

  return {
    inspect: () => readFacts(createGitRunner(options, read).git, read, options),
    async warning(target) {
      try {
        const { settings } = await repository();
        return target.remote === null ? undefined : notPushedWords(settings, target.remote);
      } catch (error) {
        if (!(error instanceof GitTrouble)) throw error;
        return error.kind === 'files_only' ? error.words : undefined;
      }
    },
    hashes: (files, wanted) =>
      onTarget(wanted, async (target, { prefix }) => {
        requireFileNames(files);
        await publishing.startOver(target);
        const { head } = await heads.find(target);
        const names = files.map((file) => prefix + file);
        const tree = await readTree(git, head, names);
        const hashes = await blobs.hashes(names.map((file) => tree.entry(file)));
        return new Map(files.map((file, index) => [file, hashes[index] ?? null]));
      }),
    read: (file, wanted) =>
      onTarget(wanted, async (target, { prefix }) => {
        requireFileNames([file]);
        await publishing.startOver(target);
        const { head } = await heads.find(target);
        const name = prefix + file;
        const found = (await readTree(git, head, [name])).entry(name);
        const [blob] = found?.mode.startsWith('100') === true ? await readObjects(git, [found.oid]) : [];
        return blob ? withoutPointer(git, blob.content) : null;
      }),
    list: (wanted, isFresh) =>
      onTarget(wanted, async (target, { prefix }) => {
        const { head } = await heads.find(target, isFresh);
        const place = `${head ?? ''}:${prefix.replace(/\/$/, '')}`;
        const [folderTree] = head === null ? [] : await readObjects(git, [place]);
        if (folderTree?.type !== 'tree') return new Set();
        const { stdout } = await git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', folderTree.oid]);
        return new Set(stdout.toString('utf8').split('\0').filter(Boolean));
      }),
    publish: (changes, wanted) =>
      onTarget(wanted, async (target, place) => {
        for (const { files } of changes) requireFileNames([...files.keys()]);
        await publishing.startOver(target);
        const { large, filtered } =
          changes.length > 0
            ? await commit(changes, target, place)
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

/** Compares what a commit has of texts with what was to be written. */
async function filteredAmong(
  git: RunGit,
  tip: string | null,
  changes: readonly Pick<GitChanges, 'files'>[],
): Promise<Map<string, string>> {
  const last = new Map(changes.flatMap(({ files }) => [...files]));
  const texts = [...last].flatMap(([file, content]) => (Buffer.isBuffer(content) ? [{ file, content }] : []));
  const tree = await readTree(
    git,
    tip,
    texts.map(({ file }) => file),
  );
  const entries = texts.flatMap(({ file, content }) => {
    const entry = tree.entry(file);
    return entry && entry.oid !== blobId(content, entry.oid.length) ? [{ file, entry }] : [];
  });
  const hashes = await openGitBlobs(git).hashes(entries.map(({ entry }) => entry));
  return new Map(entries.map(({ file }, index) => [file, hashes[index] ?? '']));
}

const changedByOthers = (files: readonly string[]) =>
  new GitTrouble(
    'conflict',
    `${files.join(', ')} was changed by somebody else. Decide which version stays.`,
    {
      files,
    },
  );

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
