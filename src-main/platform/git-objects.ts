import { folded } from './file-names.ts';
import type { RunGit } from './git-run.ts';
import { GitTrouble } from './git-trouble.ts';

interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface TreeEntry {
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
      for (const part of [...foldersOf(file).slice(1), file]) {
        const found = entry(part);
        const similar = found === null ? spelling(part) : undefined;
        if (similar !== undefined) return sameName(file, part, similar);
        if (found?.mode === '160000') return submodule(file, part);
        if (found?.mode === '120000') return inTheWay(file, part, 'a symlink');
        if (found !== null && (part === file) === (found.mode === '040000'))
          return inTheWay(file, part, part === file ? 'a folder' : 'a file');
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
function foldersOf(file: string): string[] {
  const parts = file.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

const inTheWay = (file: string, part: string, what: string) =>
  new GitTrouble(
    'conflict',
    `${part} is ${what} in the repository, so Porchlight cannot write ${file}. Rename it, or choose another place for posts.`,
    { files: [file] },
  );
const sameName = (file: string, part: string, similar: string) =>
  new GitTrouble(
    'conflict',
    `The repository already has “${similar}”, and Macs and Windows don’t tell it from “${nameOf(part)}”. Rename one of them.`,
    { files: [file] },
  );
const submodule = (file: string, part: string) =>
  new GitTrouble(
    'submodule',
    `${part} is a submodule, which is a repository of its own. Choose a folder inside that repository instead.`,
    { files: [file] },
  );
