import type { MediaKind } from '../contract/media.ts';
import type { Cause } from '../platform/cause.ts';

/** A file in the media store: an upload, or a copy of a file from another server. */
export interface MediaFile {
  /** The unguessable path below the public origin: `/media/2026/11/<random>-<name>.<extension>`. */
  readonly path: string;
  /** The file name that the sender gave, cleaned, with the extension that matches the content. */
  readonly name: string;
  /** The media type of the content, without parameters. */
  readonly type: string;
  readonly kind: MediaKind;
  readonly bytes: number;
  /** The size of the picture in pixels, with its orientation applied; null if the file is not a readable picture. */
  readonly width: number | null;
  readonly height: number | null;
  /** The time of the upload (ISO 8601, UTC). */
  readonly uploadedAt: string;
  /** The URL from which the file was copied; null for an upload. */
  readonly copyOf: string | null;
  /** The app that uploaded the file (see Bearer.app). Absent for the owner's own files, and if the app is unknown. */
  readonly uploadedBy?: string;
}

/** The longest URL of which there can be a copy, in characters. */
export const longestCopyOf = 10_000;

/** Information about a new file. Values that come from the sender are not trusted. */
export interface NewMedia {
  /** The file name that the sender gave. */
  readonly name?: string | undefined;
  /** The media type that the sender gave. A file whose content has a very different type is rejected. */
  readonly claimedType?: string | undefined;
  readonly copyOf?: string | undefined;
  /** Whether Porchlight stored the file before, so that it is in an export. Such a file is not converted. */
  readonly wasStored?: boolean | undefined;
  /** The app that uploads the file, as identified by the server. */
  readonly uploadedBy?: string | undefined;
  /** Called with the file's path before the file is stored there. If the promise rejects, the file isn't stored. */
  readonly placing?: ((path: string) => Promise<void>) | undefined;
}

export interface MediaFilter {
  readonly kind?: MediaKind | undefined;
  /** A media type such as `image/png`, or its first part, such as `image` for all pictures. */
  readonly type?: string | undefined;
  /** Text that the file's name must contain, regardless of case. */
  readonly text?: string | undefined;
  /** Only files that were uploaded by this app. */
  readonly uploadedBy?: string | undefined;
}

export interface MediaPage {
  /** The files, newest first. */
  readonly items: MediaFile[];
  /** An opaque cursor for the next page; absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Stores media files on disk. A change is on disk when its promise resolves. A failed operation leaves no files behind.
 */
export interface MediaStore {
  /**
   * Stores a file, streamed to disk. A picture that most browsers can't show (HEIC) is converted to JPEG first.
   * @throws PorchlightError `invalid_request`: 413 if the file is larger than the limit, 415 if its type is not
   * accepted, differs from the claimed type or can't be converted, 400 if the file is empty or damaged;
   * `temporarily_unavailable` if a picture can't be converted at the moment; `storage_full`, `storage_unwritable`.
   */
  add(content: AsyncIterable<Uint8Array>, about: NewMedia): Promise<MediaFile>;
  get(path: string): Promise<MediaFile | undefined>;
  /** Returns the newest copy of the picture, video or audio file at a URL; undefined if there is none. */
  copyOf(url: string): Promise<MediaFile | undefined>;
  /** Returns whether a copy of the file at a URL was deleted. */
  wasCopyDeleted(url: string): Promise<boolean>;
  /** Returns whether a file once existed and was deleted. */
  isDeleted(path: string): Promise<boolean>;
  list(options: {
    limit: number;
    offset?: number | undefined;
    cursor?: string | undefined;
    filter?: MediaFilter;
  }): Promise<MediaPage>;
  /**
   * Deletes a file and what was derived from it permanently.
   * @throws PorchlightError `invalid_request` if there is no such file.
   */
  delete(path: string): Promise<MediaFile>;
  /** Returns the path of a file's content on disk, for streaming. */
  fileOf(file: MediaFile): string;
  /**
   * Returns a picture's thumbnail, which fits into 480 by 480 pixels and is not animated. Returns null if none can be
   * made.
   */
  thumbnail(path: string): Promise<Thumbnail | null>;
  /** Accepts no more changes, and waits for changes in progress. */
  close(): Promise<void>;
}

interface Thumbnail {
  readonly bytes: Uint8Array;
  /** The media type: `image/webp`. */
  readonly type: string;
}

/**
 * Returns the `from` option for reading a picture file. For a copied picture, `from` contains the URL of the original.
 * Pictures with `from` are processed with stricter limits and in a separate lane, so the owner's own pictures never
 * wait for them.
 */
export function causeOf({ copyOf }: { readonly copyOf?: string | null | undefined }): { from?: Cause } {
  return typeof copyOf === 'string' && URL.canParse(copyOf) ? { from: { address: copyOf } } : {};
}
