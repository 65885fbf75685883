import { blobId, openGitBlobs, readTree } from './git-objects.ts';
import { type FileContent, type Identity, makeCommit, withWorkbench } from './git-commits.ts';
import { type GitTarget, moveRefs, type openHeads } from './git-branches.ts';
import type { GitPlace } from './git-place.ts';
import type { RunGit } from './git-run.ts';
import { belowFolder, GitTrouble } from './git-trouble.ts';

/**
 * Files that are changed together, with git in one commit. Each file's name is its path relative to the folder, with `/`
 * as the separator. A file whose content is null is removed.
 */
export interface FolderChange {
  readonly files: ReadonlyMap<string, FileContent | null>;
  /**
   * The SHA-256 (hex) that each file must have before the change; null if the file must not exist. Files that aren't
   * listed here aren't checked.
   */
  readonly expected?: ReadonlyMap<string, string | null>;
  /** A description of the change, for the git history. */
  readonly message: string;
}

export interface Committed {
  /** The SHA-256 (hex) of the files that belong in Git LFS. */
  readonly large: readonly string[];
  /** The texts that a filter of the repository has changed, with the SHA-256 (hex) of what was committed instead. */
  readonly filtered: ReadonlyMap<string, string>;
}

/** What commits are made with. */
interface CommitTools {
  readonly git: RunGit;
  readonly heads: ReturnType<typeof openHeads>;
  readonly blobs: ReturnType<typeof openGitBlobs>;
  readonly identity: () => Promise<Identity>;
}

/**
 * Makes a commit for each item of `changes` that has an effect. All commits share one temporary index, because
 * filling an index with a large site's file names is slow. Returns undefined if another program has changed the
 * unpublished commits in the meantime.
 */
async function commitOnce(
  { git, heads, blobs, identity }: CommitTools,
  changes: readonly FolderChange[],
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

/**
 * Makes a commit for each item of `changes` that has an effect.
 * @throws GitTrouble `locked` if another program keeps changing the repository
 */
export async function commitChanges(
  tools: CommitTools,
  changes: readonly FolderChange[],
  target: GitTarget,
  place: GitPlace,
): Promise<Committed> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const committed = await commitOnce(tools, changes, target, place);
    if (committed) return committed;
  }
  throw new GitTrouble('locked', 'Another program keeps changing the repository. Porchlight tries again.');
}

/** Compares what a commit has of texts with what was to be written. */
async function filteredAmong(
  git: RunGit,
  tip: string | null,
  changes: readonly Pick<FolderChange, 'files'>[],
): Promise<Map<string, string>> {
  const last = new Map(changes.flatMap(({ files }) => [...files]));
  const texts = [...last].flatMap(([file, content]) =>
    content !== null && 'text' in content ? [{ file, content: Buffer.from(content.text) }] : [],
  );
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
