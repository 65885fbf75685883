import type { MediaKind } from '../contract/media.ts';

/** A file that is kept. */
export interface MediaFile {
  /** Below the public origin, unguessable: `/media/2026/11/<random>-<name>.<ending>`. */
  readonly path: string;
  /** As its sender called it, cleaned, with the ending that its content has. */
  readonly name: string;
  /** The media type that its content has, without parameters. */
  readonly type: string;
  readonly kind: MediaKind;
  readonly bytes: number;
  /** Pixels as it is shown (orientation applied), where it is a picture that can be read. */
  readonly width: number | null;
  readonly height: number | null;
  /** ISO 8601, UTC. */
  readonly uploadedAt: string;
  /** Where it was copied from; null for an upload. */
  readonly copyOf: string | null;
  /** The app that uploaded it (see Bearer.app); absent for the owner's own files, and where it is not known. */
  readonly uploadedBy?: string;
}

/** What is told of a file that comes in. Nothing that its sender says is believed. */
export interface NewMedia {
  /** The file's name, as its sender says. */
  readonly name?: string | undefined;
  /** The media type, as its sender says; a file that is something quite different is refused. */
  readonly claimedType?: string | undefined;
  readonly copyOf?: string | undefined;
  /** The app that uploads it, as the server knows it. */
  readonly uploadedBy?: string | undefined;
}

export interface MediaFilter {
  readonly kind?: MediaKind | undefined;
  /** `image/png`, or `image` for all of them. */
  readonly type?: string | undefined;
  /** Case-insensitive part of the name. */
  readonly text?: string | undefined;
  /** Only what this app uploaded. */
  readonly uploadedBy?: string | undefined;
}

export interface MediaPage {
  /** Newest first. */
  readonly items: MediaFile[];
  /** Opaque: for the page after this one; absent on the last. */
  readonly nextCursor?: string;
}

/** The files on disk. What it acknowledges is durable; what fails leaves nothing behind. */
export interface MediaStore {
  /**
   * Takes a file in, streamed to disk. @throws PorchlightError `invalid_request`: 413 where it is larger than the
   * limit, 415 where it is of a type that is not taken or not what it claims to be, 400 where it is empty or damaged;
   * `storage_full`, `storage_unwritable`.
   */
  add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile>;
  get(path: string): Promise<MediaFile | undefined>;
  /** True where a file was and has been deleted. */
  isDeleted(path: string): Promise<boolean>;
  list(options: {
    limit: number;
    offset?: number | undefined;
    cursor?: string | undefined;
    filter?: MediaFilter;
  }): Promise<MediaPage>;
  /** Removes file and thumbnail for good. @throws PorchlightError `invalid_request` where there is no such file. */
  delete(path: string): Promise<MediaFile>;
  /** Where the content lies, for whoever streams it. */
  fileOf(file: MediaFile): string;
  /** A still picture that fits into 480 by 480 pixels; null where none can be made. */
  thumbnail(path: string): Promise<Thumbnail | null>;
}

export interface Thumbnail {
  readonly bytes: Uint8Array;
  /** `image/webp` */
  readonly type: string;
}
