import { PorchlightError } from '../contract/error.ts';
import type { SkippedPart } from '../contract/post-import.ts';

/** A file of an archive, by its path in the archive, with `/` as the separator. */
export interface FileInArchive {
  readonly path: string;
}

export interface ArchiveFile extends FileInArchive {
  /** The file's size in bytes, as stated in the archive. Reading a file from a zip fails if its real size differs. */
  readonly bytes: number;
  /** Reads the file piece by piece. */
  content(): AsyncIterable<Uint8Array>;
}

/**
 * An archive on the owner's disk: a file, a zip or a folder. Its content is untrusted, and can't give access to files
 * outside the archive.
 */
export interface Archive {
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** The entries that Porchlight refuses to read, such as symbolic links and encrypted files. */
  readonly refused: readonly SkippedPart[];
  close(): void;
}

/**
 * Counts the files of an archive, including those that Porchlight refuses to read. There is a limit on their number and
 * on the length of their names, because all names are kept in memory.
 * @throws PorchlightError `archive_broken` if there are too many
 */
export function fileCounter(): (path: string) => void {
  let [files, characters] = [0, 0];
  return (path) => {
    files += 1;
    characters += path.length;
    if (files > mostFilesInArchive || characters > mostCharacters) throw tooManyFiles();
  };
}

export const mostFilesInArchive = 300_000;
const mostCharacters = 50_000_000;
export const tooManyFiles = () => brokenArchive('It has too many files.');

/** Creates the error for an archive that is damaged or hostile. `why`: the reason, as one sentence. */
export const brokenArchive = (why: string, cause?: unknown) =>
  new PorchlightError('archive_broken', `The archive can’t be imported. ${why}`, 400, { cause });

/**
 * Yields the content of a file. `open`: opens the file.
 * @throws PorchlightError `archive_broken` if it can't be read
 */
export async function* contentOf(
  path: string,
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* await open();
  } catch (error) {
    if (error instanceof PorchlightError) throw error;
    throw brokenArchive(`“${path}” can’t be read.`, error);
  }
}

/** Creates the error for a file that isn't an archive in a known format. */
export const notAnArchive = (
  what = 'Choose an export of Porchlight, a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files.',
) => new PorchlightError('archive_unknown', `Porchlight can’t import this. ${what}`);
