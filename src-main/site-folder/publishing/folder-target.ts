import type { Outcome } from './publisher.ts';

/** The content of a file: text, or the path of a local file to copy. */
export type FileContent = { readonly text: string } | { readonly copyOf: string };

/**
 * Files that are changed together. Each file's name is its path relative to the folder, with `/` as the separator. A
 * file whose content is null is removed.
 */
export interface FolderChange {
  readonly files: ReadonlyMap<string, FileContent | null>;
  /**
   * The SHA-256 (hex) that each file must have before the change; null if the file must not exist. Files that aren't
   * listed here aren't checked.
   */
  readonly expected?: ReadonlyMap<string, string | null>;
  /** A description of the change, for the git history. */
  readonly message: string;
}

/** The owner's folder, with or without git. */
export interface FolderTarget {
  /** Returns the current SHA-256 of files, in hex; null for files that don't exist. */
  hashes(files: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Returns the current text of a file; null if the file doesn't exist. */
  text(file: string): Promise<string | null>;
  /**
   * Returns the names of all files in the folder. `isFresh`: whether to ask a git remote now, even if it was asked
   * recently.
   */
  names(isFresh?: boolean): Promise<ReadonlySet<string>>;
  /**
   * Makes changes in the given order, and publishes them. Repeating a change has no further effect.
   * @throws PublishingTrouble
   */
  write(changes: readonly FolderChange[]): Promise<void>;
}

/** Thrown when Porchlight can't publish to the folder. In that case, nothing was written. */
export class PublishingTrouble extends Error {
  /** A message for the owner: what happened, and what they can do. */
  readonly words: string;
  /** The conflicting files, which were changed outside Porchlight; empty if the problem concerns the whole folder. */
  readonly files: readonly string[];

  constructor(words: string, files: readonly string[] = []) {
    super(words);
    this.words = words;
    this.files = files;
  }
}

/** Returns the outcome for files that were changed outside Porchlight. */
export function conflictWith(files: readonly string[]): Outcome {
  const [file = ''] = files;
  const words = `You changed ${file} in the folder, so Porchlight left it as it is. Replace it with Porchlight’s version, or take your change over into the post.`;
  return { kind: 'conflict', words };
}
