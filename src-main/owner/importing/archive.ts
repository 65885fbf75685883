import { PorchlightError } from '../../contract/error.ts';
import type { SkippedPart } from '../../contract/post-import.ts';

/** A file of an archive. */
export interface ArchiveFile {
  /** Its path in the archive, with `/` as the separator. */
  readonly path: string;
  /** Its size according to the archive, which reading checks. */
  readonly bytes: number;
  /**
   * Opens the file and reads it, piece by piece. Fails with `cancelled` once the import is cancelled, unless the file is
   * read to its end.
   */
  content(options?: { readonly toEnd: boolean }): AsyncIterable<Uint8Array>;
}

/** A file, zip or folder on the owner's disk. Nothing in it is trusted, and nothing outside it can be read through it. */
export interface Archive {
  readonly files: ReadonlyMap<string, ArchiveFile>;
  /** Entries that are not files, such as symbolic links. */
  readonly refused: readonly SkippedPart[];
  close(): void;
}

/** The most files that an archive may have: their names are in memory. */
export const mostFiles = 300_000;

/** Creates the error for an archive that is damaged or hostile. `why`: one sentence. */
export const brokenArchive = (why: string, cause?: unknown) =>
  new PorchlightError('archive_broken', `The archive can’t be imported. ${why}`, 400, { cause });

/** Creates the error for a file that is none of the known archives. */
export const notAnArchive = (
  what = 'Choose a Mastodon, Twitter, WordPress or micro.blog archive, or a folder of Markdown files.',
) => new PorchlightError('archive_unknown', `Porchlight can’t import this. ${what}`);

/** @throws PorchlightError `cancelled` */
export function checkCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw new PorchlightError('cancelled', 'Cancelled.', 409);
}
