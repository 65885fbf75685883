import { constants } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type FileChange,
  filterTrouble,
  foldersOf,
  isSameEntry,
  type PartialTree,
  pointersAmong,
  readChanges,
  readObjects,
  readTree,
} from './git-objects.ts';
import type { RunGit } from './git-run.ts';
import type { GitTrouble } from './git-trouble.ts';

/** The author and committer of a commit, as environment variables for git. */
export type Identity = Readonly<Record<string, string>>;

/** The content of a file: text, or the path of a local file to copy. */
export type FileContent = { readonly text: string } | { readonly copyOf: string };

/** A temporary index and folder for preparing commits, separate from the owner's index and files. */
type Workbench = Awaited<ReturnType<typeof openWorkbench>>;

const prefix = 'porchlight-';
/**
 * The age, in ms, at which a temporary folder is removed even if the program that created it still seems to be running.
 * No program uses such a folder for this long.
 */
const staleAfter = 3_600_000;
/**
 * These options override the owner's git settings, which are meant for the owner's own index and files, not for the
 * temporary index of a commit.
 */
const plain = [
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.ignoreCase=false',
  'core.fileMode=false',
  'core.sparseCheckout=false',
  'index.sparse=false',
].flatMap((setting) => ['-c', setting]);

/**
 * Creates a workbench (a temporary index and folder) in the repository's git folder, runs `work` with it, and removes
 * it afterward.
 */
export async function withWorkbench<T>(
  git: RunGit,
  gitDir: string,
  work: (bench: Workbench) => Promise<T>,
): Promise<T> {
  await removeStale(gitDir);
  const dir = await mkdtemp(path.join(gitDir, `${prefix}${process.pid}-`));
  try {
    return await work(await openWorkbench(git, gitDir, dir));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function openWorkbench(git: RunGit, gitDir: string, dir: string) {
  const files = path.join(dir, 'files');
  await mkdir(files);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: files, GIT_INDEX_FILE: path.join(dir, 'index') };
  const here: RunGit = (args, options) => git(args, { ...options, env, cwd: files });
  const run = (args: string[], input?: string) => here([...plain, ...args], { input });

  return {
    /** Fills the index with the files of a commit; empties it if `commit` is null. */
    async start(commit: string | null): Promise<void> {
      await run(commit === null ? ['read-tree', '--empty'] : ['read-tree', commit]);
    },
    /**
     * Adds files to the index. A null value deletes the file. Applies the filters of .gitattributes, as `git add` does.
     * Returns the SHA-256 (hex) of the files that belong in Git LFS.
     */
    async put(changes: ReadonlyMap<string, FileContent | null>): Promise<string[]> {
      for (const [name, content] of changes) {
        const file = path.join(files, name);
        if (content === null) {
          // An earlier call to `put` may have written this file. Git removes a file from the index only if the file
          // isn't on disk.
          await rm(file, { force: true });
          continue;
        }
        await mkdir(path.dirname(file), { recursive: true });
        if ('text' in content) await writeFile(file, content.text);
        else await copyFile(content.copyOf, file, constants.COPYFILE_FICLONE);
      }
      const names = [...changes.keys()];
      // For each name on stdin, git adds the file to the index, or removes it from the index if it isn't on disk.
      const update = ['update-index', '--add', '--remove', '-z', '--stdin'];
      await run(update, names.map((name) => `${name}\0`).join(''));
      const written = names.filter((name) => changes.get(name) !== null);
      return pointersAmong(here, written);
    },
    /** Returns the error if files need filters that the owner's own configuration doesn't have; otherwise undefined. */
    filterTrouble: (names: readonly string[]) => filterTrouble(here, names),
    /** Sets each changed file in the index to its new state. */
    async apply(changes: readonly FileChange[]): Promise<void> {
      const lines = changes.map(({ file, before, after }) =>
        after === null ? `0 ${before?.oid ?? ''}\t${file}\0` : `${after.mode} ${after.oid}\t${file}\0`,
      );
      await run(['update-index', '-z', '--index-info'], lines.join(''));
    },
    /** Writes the index as a tree, and returns the tree's id. */
    async tree(): Promise<string> {
      const { stdout } = await run(['write-tree']);
      return stdout.toString('utf8').trim();
    },
  };
}

/**
 * Returns the error if files of a commit need filters that the owner's own configuration doesn't have; otherwise
 * undefined. Without its filter, a file of the owner's checkout would get the content that is meant for the repository.
 */
export async function missingFilter(
  git: RunGit,
  gitDir: string,
  { commit, files }: { commit: string; files: readonly string[] },
): Promise<GitTrouble | undefined> {
  const names = [...new Set(files.flatMap(foldersOf))].map((dir) => path.posix.join(dir, '.gitattributes'));
  const tree = await readTree(git, commit, names);
  const attributes = names.map((file) => ({ file, before: null, after: tree.entry(file) }));
  const found = attributes.filter(({ after }) => after !== null);
  if (found.length === 0) return undefined;
  return withWorkbench(git, gitDir, async (bench) => {
    await bench.apply(found);
    return bench.filterTrouble(files);
  });
}

/** Creates a commit without adding it to a branch. Returns the commit's id. */
export async function makeCommit(
  git: RunGit,
  commit: { tree: string; parent: string | null; message: string; identity: Identity },
): Promise<string> {
  const parent = commit.parent === null ? [] : ['-p', commit.parent];
  const { stdout } = await git(['commit-tree', '--no-gpg-sign', '-F', '-', ...parent, commit.tree], {
    input: commit.message.replaceAll('\0', ''),
    env: commit.identity,
  });
  return stdout.toString('utf8').trim();
}

/** A commit to be rebased: the content of its commit object, and its changes. */
interface KeptCommit {
  readonly text: Buffer;
  readonly changes: readonly FileChange[];
}

/** A temporary ref for the commits that are being rebased. */
export const remade = 'refs/porchlight/remade';

/**
 * Rebases commits onto `onto`. Keeps their authors, author dates and messages. A single git call creates all commits,
 * because a slower method would leave more time for somebody else to push first.
 * Returns the ids of the new commits, and sets the ref `remade` to the last commit.
 */
async function remadeCommits(
  git: RunGit,
  { kept, onto, committer }: { kept: readonly KeptCommit[]; onto: string; committer: string },
): Promise<string[]> {
  if (kept.length === 0) return [];
  const parts: Buffer[] = [];
  for (const [index, { text, changes }] of kept.entries()) {
    const headEnd = text.indexOf('\n\n');
    const [author = ''] = /^author .*$/m.exec(text.toString('utf8', 0, headEnd)) ?? [];
    const message = text.subarray(headEnd + 2);
    const from = index === 0 ? `from ${onto}\n` : '';
    const head = `commit ${remade}\nmark :${index + 1}\n${author}\ncommitter ${committer}\n`;
    const lines = changes.map(({ file, after }) =>
      after === null ? `D ${file}\n` : `M ${after.mode} ${after.oid} ${file}\n`,
    );
    parts.push(
      Buffer.from(`${head}data ${message.length}\n`),
      message,
      Buffer.from(`\n${from}${lines.join('')}\n`),
    );
  }
  const marks = kept.map((_, index) => `get-mark :${index + 1}\n`);
  parts.push(Buffer.from(`${marks.join('')}done\n`));
  const { stdout } = await git(['fast-import', '--quiet', '--force', '--done'], {
    input: Buffer.concat(parts),
  });
  return stdout.toString('utf8').split('\n').filter(Boolean);
}

/** Removes the temporary folders left behind by programs that were killed. */
async function removeStale(gitDir: string): Promise<void> {
  for (const name of await readdir(gitDir)) {
    const [, pid] = /^porchlight-(\d+)-/.exec(name) ?? [];
    if (pid === undefined) continue;
    const dir = path.join(gitDir, name);
    const age = Date.now() - ((await stat(dir).catch(() => undefined))?.mtimeMs ?? 0);
    if (isRunning(Number(pid)) && age < staleAfter) continue;
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

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

/**
 * Reads Porchlight's unpublished commits: `tip` and those before it that `onto` and `base` don't contain. `base`: the
 * published commit that they build on; null if there is none. `onto`: the commit to rebase them onto.
 */
export async function readChain(
  git: RunGit,
  identity: Identity,
  { tip, base, onto }: { tip: string; base: string | null; onto: string },
): Promise<Chain> {
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
    files,
    before: await readTree(git, parent, files),
    committer: by.toString('utf8').trim(),
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
