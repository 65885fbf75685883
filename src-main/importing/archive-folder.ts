import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SkippedPart } from '../contract/post-import.ts';
import { brokenArchive, contentOf, fileCounter, type Archive, type ArchiveFile } from './archive.ts';

const deepest = 30;

/**
 * Lists the files of a folder and its subfolders. Leaves out hidden files and `node_modules`. Never follows a symbolic
 * link, because the link's target may be anywhere on the disk.
 */
export async function folderFiles(root: string): Promise<Archive> {
  const files = new Map<string, ArchiveFile>();
  const refused: SkippedPart[] = [];
  const count = fileCounter();

  async function walk(folder: string, depth: number): Promise<void> {
    if (depth > deepest) throw brokenArchive('Its folders are nested too deeply.');
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      count(path);
      if (entry.isDirectory()) await walk(path, depth + 1);
      else if (entry.isFile()) {
        const file = join(root, path);
        const { size } = await lstat(file);
        files.set(path, { path, bytes: size, content: () => contentOf(path, () => readPlain(file)) });
      } else
        refused.push({ what: path, why: 'It is a link to another place, which Porchlight doesn’t follow.' });
    }
  }

  await walk('', 0);
  return { files, refused, close: () => undefined };
}

/** Reads a file. Fails if a link has replaced the file since it was listed. */
async function* readPlain(file: string): AsyncGenerator<Uint8Array> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    for await (const chunk of createReadStream('', { fd: handle, autoClose: false })) yield chunk as Buffer;
  } finally {
    await handle.close();
  }
}
