import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { FolderTrouble, openFolderFiles } from '../../platform/folder-files.ts';
import { openFolderReader } from '../../platform/folder-reader.ts';
import { PublishingTrouble, type FolderTarget } from './folder-target.ts';

/** Writes files to the owner's folder, without git. */
export function plainTarget(folder: string): FolderTarget {
  const files = openFolderFiles(folder);

  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FolderTrouble)) throw error;
      throw new PublishingTrouble(
        error.words,
        ['conflict', 'invalid_name'].includes(error.kind) ? [error.file] : [],
      );
    }
  }

  async function hashOf(file: string): Promise<string | null> {
    const content = await files.read(file);
    return content && createHash('sha256').update(content).digest('hex');
  }

  return {
    hashes: (names) =>
      trying(async () => {
        const found = new Map<string, string | null>();
        for (const name of names) found.set(name, await hashOf(name));
        return found;
      }),
    names: () => trying(() => openFolderReader(folder).all()),
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
              expected?.has(file) ? (expected.get(file) ?? null) : await hashOf(file),
            );
          }
      }),
  };
}
