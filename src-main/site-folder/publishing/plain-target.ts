import { readFile } from 'node:fs/promises';
import { FolderTrouble, openFolderFiles } from '../../platform/folder-files.ts';
import { openFolderReader } from '../../platform/folder-reader.ts';
import { sha256 } from '../../storage/sha256.ts';
import { PublishingTrouble, type FolderTarget } from './folder-target.ts';

/** Returns whether a problem concerns only a single file, not the whole folder. */
const concernsFile = ({ kind }: FolderTrouble) => kind === 'conflict' || kind === 'invalid_name';

/**
 * Creates a folder target that writes files directly, without git. `mayBeEmpty`: whether the folder may still be empty.
 * If it is false, an empty folder is taken for the mount point of a disk that isn't connected.
 */
export function plainTarget(folder: string, { mayBeEmpty }: { mayBeEmpty: boolean }): FolderTarget {
  const files = openFolderFiles(folder);
  const reader = openFolderReader(folder);

  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      // Hidden files don't count, because operating systems create them on their own.
      if (!mayBeEmpty && (await reader.list('')).every((name) => name.startsWith('.'))) throw empty(folder);
      return await work();
    } catch (error) {
      if (!(error instanceof FolderTrouble)) throw error;
      throw new PublishingTrouble(error.words, concernsFile(error) ? [error.file] : []);
    }
  }

  async function currentHash(file: string): Promise<string | null> {
    const content = await files.read(file);
    return content && sha256(content);
  }

  /**
   * Returns the hash of a file, or null if the path is obstructed, for example by a symlink. Writing the file then
   * reports the problem, so that only the changes to this file fail.
   */
  async function hashUnlessObstructed(file: string): Promise<string | null> {
    try {
      return await currentHash(file);
    } catch (error) {
      if (error instanceof FolderTrouble && concernsFile(error)) return null;
      throw error;
    }
  }

  return {
    hashes: (names) =>
      trying(async () => {
        const found = new Map<string, string | null>();
        for (const name of names) found.set(name, await hashUnlessObstructed(name));
        return found;
      }),
    text: (file) => trying(async () => (await files.read(file))?.toString('utf8') ?? null),
    names: () => trying(() => reader.all()),
    write: (changes) =>
      trying(async () => {
        for (const change of changes)
          for (const [file, wanted] of change.files) {
            const content =
              wanted && ('text' in wanted ? Buffer.from(wanted.text) : await readFile(wanted.copyOf));
            const { expected } = change;
            await files.write(
              file,
              content,
              expected?.has(file) ? (expected.get(file) ?? null) : await currentHash(file),
            );
          }
      }),
  };
}

const empty = (folder: string) =>
  new PublishingTrouble(
    `The folder ${folder} is empty. If your site is on another disk, connect the disk. Otherwise, put your site’s files into the folder first.`,
  );
