import { PorchlightError } from '../../contract/error.ts';
import type { SkippedPart } from '../../contract/post-import.ts';

export interface ArchiveFile {
  /** The file's path in the archive, with `/` as the separator. */
  readonly path: string;
  /** The file's size in bytes, as stated in the archive. Reading a file from a zip fails if its real size differs. */
  readonly bytes: number;
  /** Reads the file piece by piece. Fails with `cancelled` once the import is cancelled, unless `toEnd` is true. */
  content(options?: { readonly toEnd: boolean }): AsyncIterable<Uint8Array>;
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

/** The maximum number of files in an archive. There is a limit because all file names are kept in memory. */
export const mostFilesInArchive = 300_000;

/** Creates the error for an archive that is damaged or hostile. `why`: the reason, as one sentence. */
export const brokenArchive = (why: string, cause?: unknown) =>
  new PorchlightError('archive_broken', `The archive can’t be imported. ${why}`, 400, { cause });

/** Creates the error for a file that isn't an archive in a known format. */
export const notAnArchive = (
  what = 'Choose a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files.',
) => new PorchlightError('archive_unknown', `Porchlight can’t import this. ${what}`);

/**
 * Throws if the signal is aborted.
 * @throws PorchlightError `cancelled`
 */
export function checkCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled.', 409);
}
