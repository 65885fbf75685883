import { constants, type Dirent } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { PorchlightError } from '../../contract/error.ts';
import type { Generator } from '../../contract/site-folder.ts';
import { sha256 } from '../../storage/file-facts.ts';
import { errorCode } from '../../storage/storage-error.ts';
import { bodyKind } from '../adopted-file.ts';
import { type FolderTarget, PublishingTrouble } from '../publishing/folder-target.ts';

/** The maximum number of files that Porchlight reads in search of posts. */
const mostFiles = 50_000;
const deepestFolder = 30;

/** Folders that contain no posts: code, themes and built sites. Hidden folders are skipped as well. */
const otherFolders = new Set([
  'node_modules',
  'vendor',
  'public',
  '_site',
  'dist',
  'themes',
  'layouts',
  'archetypes',
  'resources',
  '_includes',
  '_layouts',
  '_data',
  '_sass',
  'assets',
  'static',
]);

/** The files of a folder that may be posts. */
interface FolderFiles {
  /** The paths of possible posts, relative to the folder, separated by `/`. */
  readonly posts: readonly string[];
  /** Whether the list is incomplete because the folder has more files than Porchlight reads. */
  readonly isCut: boolean;
}

/**
 * Lists the files in a folder that may be posts. Doesn't follow symbolic links. `below`: the subfolder in which to
 * start.
 * @throws Error if the folder can't be read
 */
export async function listFolderFiles(
  folder: string,
  below: string,
  generator: Generator,
): Promise<FolderFiles> {
  const posts: string[] = [];
  let isCut = false;
  let seen = 0;

  async function walk(inner: string, depth: number): Promise<void> {
    const entries = await entriesOf(path.join(folder, inner), inner === below);
    // In Hugo, an index.md makes its whole folder a single page.
    const isBundle =
      generator === 'hugo' && entries.some(({ name }) => /^index\.(md|markdown|html)$/.test(name));
    for (const entry of entries) {
      const { name } = entry;
      const file = inner === '' ? name : `${inner}/${name}`;
      if (entry.isDirectory()) {
        const isOther = name.startsWith('.') || otherFolders.has(name);
        if (!isOther && !isBundle && depth < deepestFolder) await walk(file, depth + 1);
      } else if (entry.isFile()) {
        seen += 1;
        if (seen > mostFiles) {
          isCut = true;
          return;
        }
        const isPart = isBundle && !/^index\./.test(name);
        if (bodyKind(name) !== undefined && !isPart && mayBePost(file, generator)) posts.push(file);
      }
      if (isCut) return;
    }
  }

  await walk(below, 0);
  return { posts, isCut };
}

/**
 * Reads a file in the folder. Returns undefined if the file doesn't exist, isn't a regular file or exceeds `limit`
 * bytes.
 */
export async function readFolderFile(
  folder: string,
  file: string,
  limit: number,
): Promise<Buffer | undefined> {
  try {
    const handle = await open(path.join(folder, file), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const about = await handle.stat();
      return about.isFile() && about.size <= limit ? await handle.readFile() : undefined;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EACCES'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function entriesOf(folder: string, isFirst: boolean): Promise<Dirent[]> {
  try {
    return (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    // A subfolder may have been removed in the meantime, or Porchlight may lack permission to read it.
    if (!isFirst && ['ENOENT', 'ENOTDIR', 'EACCES'].includes(errorCode(error) ?? '')) return [];
    throw error;
  }
}

const mayBePost = (file: string, generator: Generator) =>
  generator === 'jekyll'
    ? /(^|\/)_(posts|drafts)\//.test(file)
    : !/(^|\/)(README|CHANGELOG|LICENSE|_index)\.\w+$/i.test(file);

/** A change to the file of an adopted post (a post that Porchlight didn't publish). */
export interface WriteBack {
  /** The path of the file, relative to the folder. */
  readonly file: string;
  /** The text that the file must still have before the change. */
  readonly before: string;
  readonly after: string;
  /** A description of the change, for the git history. */
  readonly message: string;
}

/**
 * Writes a changed file to the owner's folder, and commits and pushes it as the folder's settings say.
 * @throws PorchlightError `conflict` if the file has other changes, `temporarily_unavailable` if it can't be written
 */
export async function writeBackTo(
  target: () => FolderTarget,
  { file, before, after, message }: WriteBack,
): Promise<void> {
  try {
    const folder = target();
    const found = (await folder.hashes([file])).get(file);
    // An earlier attempt may have written the new text and then failed to push it. So the file may already have that
    // text.
    if (found !== sha256(before) && found !== sha256(after)) throw changedMeanwhile();
    const expected = new Map([[file, found]]);
    await folder.write([{ files: new Map([[file, { text: after }]]), expected, message }]);
  } catch (error) {
    if (error instanceof PublishingTrouble)
      throw new PorchlightError('temporarily_unavailable', error.words, 503, { cause: error });
    throw error;
  }
}

const changedMeanwhile = () =>
  new PorchlightError(
    'conflict',
    'The post’s file in the folder isn’t the published version, or it changed just now. Commit and push your changes and pull the newest version, or try again.',
    409,
  );
