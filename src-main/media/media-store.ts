import type { MediaKind } from '../contract/media.ts';

/** A stored file. */
export interface MediaFile {
  /** The unguessable path below the public origin: `/media/2026/11/<random>-<name>.<extension>`. */
  readonly path: string;
  /** The sender's name for the file, cleaned, with the extension that matches its content. */
  readonly name: string;
  /** The media type of the content, without parameters. */
  readonly type: string;
  readonly kind: MediaKind;
  readonly bytes: number;
  /** The size in pixels as shown (with orientation applied); null if the file is not a readable picture. */
  readonly width: number | null;
  readonly height: number | null;
  /** ISO 8601, UTC. */
  readonly uploadedAt: string;
  /** The URL from which the file was copied; null for an upload. */
  readonly copyOf: string | null;
  /** The app that uploaded the file (see Bearer.app); absent for the owner's own files, and if unknown. */
  readonly uploadedBy?: string;
}

/** What is known about a new file. Nothing that its sender says is trusted. */
export interface NewMedia {
  /** The file's name, according to its sender. */
  readonly name?: string | undefined;
  /** The media type, according to its sender; a file of a very different type is refused. */
  readonly claimedType?: string | undefined;
  readonly copyOf?: string | undefined;
  /** The app that uploads the file, as the server identified it. */
  readonly uploadedBy?: string | undefined;
  /** Called with the file's path before the file is there. If it rejects, the file isn't stored. */
  readonly placing?: ((path: string) => Promise<void>) | undefined;
}

export interface MediaFilter {
  readonly kind?: MediaKind | undefined;
  /** `image/png`, or `image` for all pictures. */
  readonly type?: string | undefined;
  /** Case-insensitive part of the name. */
  readonly text?: string | undefined;
  /** Only files that this app uploaded. */
  readonly uploadedBy?: string | undefined;
}

export interface MediaPage {
  /** Newest first. */
  readonly items: MediaFile[];
  /** An opaque cursor for the next page; absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Stores media files on disk. A change is durable when its promise resolves, and a failed operation leaves nothing
 * behind.
 */
export interface MediaStore {
  /**
   * Stores a file, streamed to disk.
   * @throws PorchlightError `invalid_request`: 413 if it is larger than the limit, 415 if its type is not accepted or
   * differs from the claimed type, 400 if it is empty or damaged; `storage_full`, `storage_unwritable`.
   */
  add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile>;
  get(path: string): Promise<MediaFile | undefined>;
  /** Returns whether a file once existed and was deleted. */
  isDeleted(path: string): Promise<boolean>;
  list(options: {
    limit: number;
    offset?: number | undefined;
    cursor?: string | undefined;
    filter?: MediaFilter;
  }): Promise<MediaPage>;
  /**
   * Deletes a file and its thumbnail for good.
   * @throws PorchlightError `invalid_request` if there is no such file.
   */
  delete(path: string): Promise<MediaFile>;
  /** Returns the path of the content on disk, for streaming. */
  fileOf(file: MediaFile): string;
  /** Returns a still picture that fits into 480 by 480 pixels, or null if none can be made. */
  thumbnail(path: string): Promise<Thumbnail | null>;
  /** Waits for changes in progress, and accepts no more. */
  close(): Promise<void>;
}

export interface Thumbnail {
  readonly bytes: Uint8Array;
  /** `image/webp` */
  readonly type: string;
}
