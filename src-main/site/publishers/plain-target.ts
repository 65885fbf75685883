import { readFile } from 'node:fs/promises';
import { FolderTrouble, openFolderFiles } from '../../platform/folder-files.ts';
import { openFolderReader } from '../../platform/folder-reader.ts';
import { sha256 } from '../../storage/sha256.ts';
import { PublishingTrouble, type FolderTarget } from './folder-target.ts';

/** Creates a folder target that writes files directly, without git. */
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

  async function currentHash(file: string): Promise<string | null> {
    const content = await files.read(file);
    return content && sha256(content);
  }

  return {
    hashes: (names) =>
      trying(async () => {
        const found = new Map<string, string | null>();
        for (const name of names) found.set(name, await currentHash(name));
        return found;
      }),
    text: (file) => trying(async () => (await files.read(file))?.toString('utf8') ?? null),
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
              expected?.has(file) ? (expected.get(file) ?? null) : await currentHash(file),
            );
          }
      }),
  };
}
