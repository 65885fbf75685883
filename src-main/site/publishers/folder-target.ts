import type { Outcome } from './publisher.ts';

/** The content of a file: a text, or a copy of a file on this computer. */
export type FileContent = { readonly text: string } | { readonly copyOf: string };

/** Files that change together. Names are relative to the folder, with `/`; null removes a file. */
export interface FolderChange {
  readonly files: ReadonlyMap<string, FileContent | null>;
  /** The SHA-256 (hex) that files must still have; null: the file must not exist. Other files may have any content. */
  readonly expected?: ReadonlyMap<string, string | null>;
  /** What the change does, for the history. */
  readonly message: string;
}

/** The owner's folder, with or without git. */
export interface FolderTarget {
  /** Returns the SHA-256 of files as they are now, in hex; null for those that don't exist. */
  hashes(files: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Returns the names of all files in the folder. */
  names(): Promise<ReadonlySet<string>>;
  /**
   * Makes changes, in their order, and publishes them. A repetition changes nothing.
   * @throws PublishingTrouble
   */
  write(changes: readonly FolderChange[]): Promise<void>;
}

/** Why nothing could be written. */
export class PublishingTrouble extends Error {
  /** What happened, and what the owner can do. */
  readonly words: string;
  /** The files that somebody else has changed; empty if the reason concerns the whole folder. */
  readonly files: readonly string[];

  constructor(words: string, files: readonly string[] = []) {
    super(words);
    this.words = words;
    this.files = files;
  }
}

/** Returns the outcome for files that somebody else has changed. */
export function conflictWith(files: readonly string[]): Outcome {
  const [file = ''] = files;
  const words = `You changed ${file} in the folder, so Porchlight left it as it is. Replace it with Porchlight’s version, or take your change over into the post.`;
  return { kind: 'conflict', words };
}
