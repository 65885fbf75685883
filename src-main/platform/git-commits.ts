import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readObjects, type FileChange } from './git-objects.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble, lfsWords } from './git-trouble.ts';

/** Who a commit is by; without one, git takes the owner's name from its configuration. */
export type Identity = Readonly<Record<string, string>>;

/** A place beside the owner's index in which commits are made. */
export interface Workbench {
  /** Starts from the files of a commit; null for none. */
  start(commit: string | null): Promise<void>;
  /** Puts files into the tree; null deletes a file. Applies the filters of .gitattributes, as `git add` does. */
  put(files: ReadonlyMap<string, Buffer | null>): Promise<void>;
  /** Puts the results of changes into the tree. */
  apply(changes: readonly FileChange[]): Promise<void>;
  /** Returns the id of the current tree. */
  tree(): Promise<string>;
}

const prefix = 'porchlight-';
/** No call takes this long (ms), so an older folder is from a program that was killed. */
const staleAfter = 3_600_000;
/** The owner's settings for their own index and files don't apply to ours. */
const plain = [
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  'core.ignoreCase=false',
  'core.fileMode=false',
  'core.sparseCheckout=false',
  'index.sparse=false',
].flatMap((setting) => ['-c', setting]);

/** Runs `work` with a workbench in the repository's git folder, and removes the workbench. */
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

async function openWorkbench(git: RunGit, gitDir: string, dir: string): Promise<Workbench> {
  const files = path.join(dir, 'files');
  await mkdir(files);
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: files, GIT_INDEX_FILE: path.join(dir, 'index') };
  const run = (args: string[], input?: string) => git([...plain, ...args], { env, cwd: files, input });

  /** Git LFS stores a pointer in place of the content. Without it, git would store the content itself. */
  async function requirePointers(names: string[]): Promise<void> {
    const input = names.map((name) => `${name}\0`).join('');
    const { stdout } = await run(['check-attr', '-z', '--cached', '--stdin', 'filter'], input);
    const fields = stdout.toString('utf8').split('\0');
    const tracked = fields.filter((_, index) => index % 3 === 0 && fields[index + 2] === 'lfs');
    if (tracked.length === 0) return;
    const blobs = await readObjects(
      (args, options) => git(args, { ...options, env }),
      tracked.map((name) => `:${name}`),
    );
    const missing = tracked.filter((_, index) => pointedAt(blobs[index]?.content) === undefined);
    if (missing.length > 0) throw new GitTrouble('lfs', lfsWords, { files: missing });
  }

  return {
    async start(commit) {
      await run(commit === null ? ['read-tree', '--empty'] : ['read-tree', commit]);
    },
    async put(changes) {
      for (const [name, content] of changes) {
        if (content === null) continue;
        const file = path.join(files, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, content);
      }
      const names = [...changes.keys()];
      // A listed file that doesn't exist is removed from the index.
      const update = ['update-index', '--add', '--remove', '-z', '--stdin'];
      await run(update, names.map((name) => `${name}\0`).join(''));
      await requirePointers(names.filter((name) => changes.get(name) !== null));
    },
    async apply(changes) {
      const lines = changes.map(({ file, before, after }) =>
        after === null ? `0 ${before?.oid ?? ''}\t${file}\0` : `${after.mode} ${after.oid}\t${file}\0`,
      );
      await run(['update-index', '-z', '--index-info'], lines.join(''));
    },
    async tree() {
      const { stdout } = await run(['write-tree']);
      return stdout.toString('utf8').trim();
    },
  };
}

/** Returns the SHA-256 of the content that a Git LFS pointer stands for; undefined if `blob` is no pointer. */
export function pointedAt(blob: Buffer | undefined): string | undefined {
  if (blob === undefined || blob.length > 1024) return undefined;
  const pattern = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;
  // Git LFS stores empty files as they are.
  if (blob.length === 0) return emptySha256;
  return pattern.exec(blob.toString('utf8'))?.[1];
}

const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Makes a commit that no branch contains yet. Returns its id. */
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

/** A commit that is made again, with the changes that it makes. */
export interface KeptCommit {
  readonly original: string;
  readonly changes: readonly FileChange[];
}

/** A branch that exists only while commits are made again. */
const remade = 'refs/porchlight/remade';

/**
 * Makes commits again, each on top of the one before it and the first on top of `onto`. Their authors, dates and messages
 * stay. One call of git makes all of them, because others may push meanwhile. Returns the last commit's id.
 */
export async function remadeCommits(
  git: RunGit,
  { kept, onto, identity }: { kept: readonly KeptCommit[]; onto: string; identity: Identity },
): Promise<string> {
  if (kept.length === 0) return onto;
  const objects = await readObjects(
    git,
    kept.map(({ original }) => original),
  );
  const { stdout: by } = await git(['var', 'GIT_COMMITTER_IDENT'], { env: identity });
  const parts: Buffer[] = [];
  for (const [index, { changes }] of kept.entries()) {
    const text = objects[index]?.content ?? Buffer.alloc(0);
    const headEnd = text.indexOf('\n\n');
    const [author = ''] = /^author .*$/m.exec(text.toString('utf8', 0, headEnd)) ?? [];
    const message = text.subarray(headEnd + 2);
    const from = index === 0 ? `from ${onto}\n` : '';
    const head = `commit ${remade}\nmark :${index + 1}\n${author}\ncommitter ${by.toString('utf8').trim()}\n`;
    const lines = changes.map(({ file, after }) =>
      after === null ? `D ${file}\n` : `M ${after.mode} ${after.oid} ${file}\n`,
    );
    parts.push(
      Buffer.from(`${head}data ${message.length}\n`),
      message,
      Buffer.from(`\n${from}${lines.join('')}\n`),
    );
  }
  parts.push(Buffer.from(`get-mark :${kept.length}\ndone\n`));
  const { stdout } = await git(['fast-import', '--quiet', '--force', '--done'], {
    input: Buffer.concat(parts),
  });
  await git(['update-ref', '-d', remade]);
  return stdout.toString('utf8').trim();
}

/** Removes the workbenches of programs that were killed. */
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
