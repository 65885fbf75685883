import { createHash } from 'node:crypto';
import { sha256 } from '../../storage/file-facts.ts';
import { folded } from '../../platform/folder-files.ts';
import { readConfig, type RunGit } from './git-run.ts';
import { GitTrouble, type GitTroubleKind, lfsWords } from './git-trouble.ts';

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

interface TreeEntry {
  /**
   * The type of the entry. `100644` and `100755`: a file; `120000`: a symlink; `040000`: a folder; `160000`: a
   * submodule.
   */
  readonly mode: string;
  readonly oid: string;
}

/**
 * The change that a commit makes to one file. `before` is null if the commit creates the file, and `after` is null if
 * the commit deletes it.
 */
export interface FileChange {
  readonly file: string;
  readonly before: TreeEntry | null;
  readonly after: TreeEntry | null;
}

/** Reads git objects by id, or by a name such as `commit:path`. Returns null for each object that doesn't exist. */
export async function readObjects(git: RunGit, names: readonly string[]): Promise<(GitObject | null)[]> {
  if (names.length === 0) return [];
  const { stdout } = await git(['cat-file', '--batch'], { input: `${names.join('\n')}\n` });
  let at = 0;
  return names.map(() => {
    const lineEnd = stdout.indexOf(0x0a, at);
    const header = stdout.toString('utf8', at, lineEnd);
    at = lineEnd + 1;
    const [, oid = '', type = '', size = ''] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(header) ?? [];
    if (oid === '') return null;
    const content = stdout.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return { oid, type, content };
  });
}

/** Parses a git tree object. Each of its entries has the form `<mode> <name>\0<id>`. */
function entriesOf(tree: Buffer, idBytes: number): Map<string, TreeEntry> {
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(0x20, at);
    const zero = tree.indexOf(0, space);
    const mode = tree.toString('latin1', at, space).padStart(6, '0');
    const name = tree.toString('utf8', space + 1, zero);
    at = zero + 1 + idBytes;
    entries.set(name, { mode, oid: tree.toString('hex', zero + 1, at) });
  }
  return entries;
}

/** The part of a commit's tree that contains certain files and their folders. */
export interface PartialTree {
  /** Returns the tree entry of one of the requested files; null if the commit doesn't contain the file. */
  entry(file: string): TreeEntry | null;
  /**
   * Returns an error if `file` can't be written, otherwise undefined. Possible reasons: a symlink, file or submodule is
   * in the way, a folder already has this path, or macOS and Windows can't distinguish a name in the path from an
   * existing name.
   */
  obstacle(file: string): GitTrouble | undefined;
}

/** Reads the folders that contain `files` from a commit's tree. `commit`: null for an empty tree. */
export async function readTree(
  git: RunGit,
  commit: string | null,
  files: Iterable<string>,
): Promise<PartialTree> {
  const folders = [...new Set([...files].flatMap(foldersOf))];
  const trees =
    commit === null
      ? []
      : await readObjects(
          git,
          folders.map((dir) => `${commit}:${dir}`),
        );
  const read = new Map<string, Map<string, TreeEntry>>();
  const spellings = new Map<string, Map<string, string>>();
  folders.forEach((dir, index) => {
    const tree = trees[index];
    if (tree?.type === 'tree') read.set(dir, entriesOf(tree.content, tree.oid.length / 2));
  });
  const entry = (file: string) => read.get(folderOf(file))?.get(nameOf(file)) ?? null;
  const spelling = (file: string): string | undefined => {
    const dir = folderOf(file);
    let names = spellings.get(dir);
    if (names === undefined) {
      names = new Map([...(read.get(dir)?.keys() ?? [])].map((name) => [folded(name), name]));
      spellings.set(dir, names);
    }
    return names.get(folded(nameOf(file)));
  };
  return {
    entry,
    obstacle(file) {
      const blocked = (words: string, kind: GitTroubleKind = 'conflict') =>
        new GitTrouble(kind, words, { files: [file] });
      for (const part of [...foldersOf(file).slice(1), file]) {
        const found = entry(part);
        const similar = found === null ? spelling(part) : undefined;
        if (similar !== undefined)
          return blocked(
            `The repository already has “${similar}”, and Macs and Windows don’t tell it from “${nameOf(part)}”. Rename one of them.`,
          );
        if (found?.mode === '160000')
          return blocked(
            `${part} is a submodule, which is a repository of its own. Choose a folder inside that repository instead.`,
            'submodule',
          );
        if (found?.mode === '120000') return blocked(inTheWay(file, part, 'a symlink'));
        if (found !== null && (part === file) === (found.mode === '040000'))
          return blocked(inTheWay(file, part, part === file ? 'a folder' : 'a file'));
      }
      return undefined;
    },
  };
}

/** Lists the changes of each commit compared with its first parent, in the order of `commits`. */
export async function readChanges(git: RunGit, commits: readonly string[]): Promise<FileChange[][]> {
  const flags = ['-r', '-z', '--raw', '--root', '--no-renames', '--no-abbrev', '--no-ext-diff', '-m'];
  const input = commits.map((commit) => `${commit}\n`).join('');
  const { stdout } = await git(['diff-tree', '--stdin', ...flags], { input });
  const changes = new Map<string, FileChange[]>(commits.map((commit) => [commit, []]));
  let current: FileChange[] = [];
  const fields = stdout.toString('utf8').split('\0');
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? '';
    if (field.startsWith(':')) current.push(changeIn(field, fields[(at += 1)] ?? ''));
    else if (field !== '') current = changes.get(field.trim().slice(0, 64)) ?? [];
  }
  return commits.map((commit) => changes.get(commit) ?? []);
}

/** Lists the changes between two commits or trees. */
export async function readDifference(git: RunGit, from: string, to: string): Promise<FileChange[]> {
  const flags = ['-r', '-z', '--raw', '--no-renames', '--no-abbrev', '--no-ext-diff'];
  const { stdout } = await git(['diff-tree', ...flags, from, to]);
  const fields = stdout.toString('utf8').split('\0');
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    changes.push(changeIn(fields[at] ?? '', fields[at + 1] ?? ''));
  return changes;
}

function changeIn(line: string, file: string): FileChange {
  const [, from = '', to = '', before = '', after = ''] =
    /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+)/.exec(line) ?? [];
  const side = (mode: string, oid: string) => (Number(mode) === 0 ? null : { mode, oid });
  return { file, before: side(from, before), after: side(to, after) };
}

/** Returns whether two tree entries have the same content and mode. */
export const isSameEntry = (one: TreeEntry | null, other: TreeEntry | null) =>
  one?.oid === other?.oid && one?.mode === other?.mode;

const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1);
const folderOf = (file: string) => file.slice(0, Math.max(file.lastIndexOf('/'), 0));

/** Returns the folders on the path to a file, starting with the root (an empty string). */
export function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

const inTheWay = (file: string, part: string, what: string) =>
  `${part} is ${what} in the repository, so Porchlight cannot write ${file}. Rename it, or choose another place for posts.`;

/** Returns the id that git gives to a file's content. `length`: that of the repository's ids, 40 (SHA-1) or 64 (SHA-256). */
export const blobId = (content: Buffer, length: number): string =>
  createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${content.length}\0`)
    .update(content)
    .digest('hex');

/** The maximum number of ids per git call, to limit the length of its arguments. */
const idsAtOnce = 200;

/** Returns the SHA-256 (hex) of the content that a Git LFS pointer refers to; undefined if `blob` isn't a pointer. */
function pointedAt(blob: Buffer | undefined): string | undefined {
  if (blob === undefined || blob.length > 1024) return undefined;
  const pattern = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;
  return pattern.exec(blob.toString('latin1'))?.[1];
}

/**
 * Returns the error if the attributes in an index select filters that the owner's own configuration doesn't have;
 * undefined if it has all of them, or if they select none.
 */
export const filterTrouble = async (git: RunGit, names: readonly string[]) =>
  troubleWith(git, await filtersOf(git, names));

async function troubleWith(
  git: RunGit,
  filters: ReadonlyMap<string, string>,
): Promise<GitTrouble | undefined> {
  if (filters.size === 0) return undefined;
  const known = new Set([...(await readConfig(git)).keys()].map((key) => /^filter\.(.*)\./s.exec(key)?.[1]));
  const missing = [...filters].filter(([, filter]) => !known.has(filter));
  const [first] = missing;
  if (first === undefined) return undefined;
  const files = missing.map(([file]) => file);
  if (first[1] === 'lfs') return new GitTrouble('lfs', lfsWords, { files });
  return new GitTrouble(
    'filter',
    `${files.join(', ')} can’t be committed or updated, because .gitattributes selects the filter “${first[1]}” and Porchlight doesn’t run the folder’s programs. Use git yourself for this, or add the filter to your own settings (git config --global) if you trust it.`,
    { files },
  );
}

/** Returns the names of the filters that the attributes in an index select, keyed by file. */
async function filtersOf(git: RunGit, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const input = names.map((name) => `${name}\0`).join('');
  const { stdout } = await git(['check-attr', '-z', '--cached', '--stdin', 'filter'], { input });
  const fields = stdout.toString('utf8').split('\0');
  const found = new Map<string, string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [file = '', , filter = ''] = fields.slice(at, at + 3);
    // These aren't names of filters, but the states of the attribute.
    if (!['unspecified', 'unset', 'set', ''].includes(filter)) found.set(file, filter);
  }
  return found;
}

/**
 * Finds the Git LFS pointers among files of the index, and returns the SHA-256 (hex) of the contents that they refer
 * to. `git` must run in the working tree of the index.
 * @throws GitTrouble `lfs` if git stored the full content of a file that belongs in Git LFS, `filter` if a file needs
 * another filter that the owner's own configuration doesn't have
 */
export async function pointersAmong(git: RunGit, names: readonly string[]): Promise<string[]> {
  const filters = await filtersOf(git, names);
  const trouble = await troubleWith(git, filters);
  if (trouble !== undefined) throw trouble;
  const tracked = names.filter((name) => filters.get(name) === 'lfs');
  const blobs = await readObjects(
    git,
    tracked.map((name) => `:${name}`),
  );
  // Git LFS stores empty files without a pointer.
  const isEmpty = (index: number) => blobs[index]?.content.length === 0;
  const found = tracked.map((_, index) => pointedAt(blobs[index]?.content));
  const missing = tracked.filter((_, index) => found[index] === undefined && !isEmpty(index));
  if (missing.length > 0) throw new GitTrouble('lfs', lfsWords, { files: missing });
  return found.filter((hash) => hash !== undefined);
}

/**
 * Uploads files to the Git LFS server of the remote `to`, because pointers without their contents would break the site.
 * The pre-push hook of Git LFS doesn't run. `env`: see remoteVariables.
 * @throws GitTrouble
 */
export async function sendLargeFiles(
  git: RunGit,
  hashes: readonly string[],
  to: { readonly remote: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  for (let at = 0; at < hashes.length; at += idsAtOnce)
    await git(['lfs', 'push', '--object-id', to.remote, ...hashes.slice(at, at + idsAtOnce)], {
      env: to.env,
    });
}

/**
 * Returns the content of a file. If `blob` is a Git LFS pointer, fetches the content that the pointer refers to.
 * @throws GitTrouble if the content can't be fetched
 */
export async function withoutPointer(git: RunGit, blob: Buffer): Promise<Buffer> {
  if (pointedAt(blob) === undefined) return blob;
  return (await git(['lfs', 'smudge'], { input: blob })).stdout;
}

/** How many bytes of files are read at a time. Larger files are read one by one. */
const bytesAtOnce = 16_000_000;

/** Creates a reader for the contents of a repository's files. */
export function openGitBlobs(git: RunGit) {
  async function sizesOf(oids: readonly string[]): Promise<Map<string, number>> {
    if (oids.length === 0) return new Map();
    const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
      input: `${oids.join('\n')}\n`,
    });
    const lines = stdout.toString('utf8').split('\n').filter(Boolean);
    return new Map(
      lines.map((line): [string, number] => {
        const [oid = '', size = ''] = line.split(' ');
        return [oid, Number(size)];
      }),
    );
  }

  return {
    /**
     * Returns the SHA-256 (hex) of each file; null for entries that aren't files. For a Git LFS pointer, returns the
     * SHA-256 of the content that the pointer refers to. Reads the files in small groups, because media files are
     * large.
     */
    async hashes(entries: readonly (TreeEntry | null)[]): Promise<(string | null)[]> {
      const files = entries.filter((entry) => entry?.mode.startsWith('100') === true);
      const oids = [...new Set(files.flatMap((entry) => entry?.oid ?? []))];
      const sizes = await sizesOf(oids);
      const hashes = new Map<string, string>();
      for (const group of inGroups(oids, (oid) => sizes.get(oid) ?? 0, bytesAtOnce))
        for (const blob of await readObjects(git, group))
          if (blob) hashes.set(blob.oid, pointedAt(blob.content) ?? sha256(blob.content));
      return entries.map((entry) =>
        entry?.mode.startsWith('100') === true ? (hashes.get(entry.oid) ?? null) : null,
      );
    },
  };
}

/**
 * Splits items into groups, and keeps their order. The sizes in a group add up to at most `most`. An item that is
 * larger than `most` gets its own group.
 */
function inGroups<T>(items: readonly T[], sizeOf: (item: T) => number, most: number): T[][] {
  const groups: T[][] = [];
  let left = -1;
  for (const item of items) {
    const size = sizeOf(item);
    if (size > left || groups.length === 0) {
      groups.push([]);
      left = most;
    }
    groups.at(-1)?.push(item);
    left -= size;
  }
  return groups;
}
