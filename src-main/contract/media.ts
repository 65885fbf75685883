import { Type, type Static } from 'typebox';
import { PostItem } from './posts.ts';
import { Address, choice, closed, Maybe, method, Moment, orNull } from './shapes.ts';

/** The broad category of a file. */
export const MediaKind = choice('image', 'video', 'audio', 'document');
export type MediaKind = Static<typeof MediaKind>;

/** An uploaded file, as shown in a list. */
export const MediaItem = closed({
  url: Type.String(),
  /** The name under which the file was uploaded, sanitized. */
  name: Type.String(),
  /** The media type of the file's content. */
  type: Type.String(),
  kind: MediaKind,
  bytes: Type.Number(),
  /** The width and height in pixels, as displayed; null if the file isn't a readable picture. */
  width: orNull(Type.Number()),
  height: orNull(Type.Number()),
  uploadedAt: Moment,
  /** If Porchlight copied this picture, the URL of the original, as a post references it; otherwise null. */
  copyOf: Maybe(),
});
export type MediaItem = Static<typeof MediaItem>;

/**
 * The state of the smaller versions of a picture, which pages show instead of the original. `made`: all versions that
 * the picture needs exist. `failed`: the picture can't be converted, so visitors get the original.
 */
export const PictureVersionState = choice('made', 'waiting', 'failed');
export type PictureVersionState = Static<typeof PictureVersionState>;

/** A post that shows a file or links to it. */
export const MediaUse = closed({
  post: PostItem,
  /** The post's alt text for the file; empty if the post has none. */
  alt: Type.String(),
});
export type MediaUse = Static<typeof MediaUse>;

export const MediaChange = closed({
  url: Type.String(),
  /** `converted`: the smaller versions of a picture were made, or can't be made. */
  change: choice('added', 'deleted', 'converted'),
});
export type MediaChange = Static<typeof MediaChange>;

const MediaUrl = closed({ url: Address });

/**
 * The maximum size of a file that the window can upload, in bytes. The media endpoint accepts larger files from apps.
 */
export const windowUploadBytes = 20_000_000;

export const mediaMethods = {
  /** Lists files, newest first. `query`: part of a file's name. `cursor`: the `nextCursor` of the previous page. */
  'media.list': method(
    closed({
      query: Type.Optional(Type.String({ maxLength: 500 })),
      kind: Type.Optional(MediaKind),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({
      items: Type.Array(MediaItem),
      nextCursor: Type.Optional(Type.String()),
      /** The number of pictures for which Porchlight has not made smaller versions yet. */
      converting: Type.Integer({ minimum: 0 }),
    }),
  ),
  /** Returns a file and the posts that use it. */
  'media.get': method(
    MediaUrl,
    closed({ item: MediaItem, versions: PictureVersionState, uses: Type.Array(MediaUse) }),
  ),
  /** Returns a thumbnail of a file as a data URL; null if the file has no thumbnail. */
  'media.thumbnail': method(MediaUrl, closed({ dataUrl: Maybe(1_000_000) })),
  /** Adds a file that the owner chose in the window. `data`: the file's bytes in base64. */
  'media.upload': method(
    closed({
      name: Type.String({ minLength: 1, maxLength: 500 }),
      data: Type.String({ minLength: 1, maxLength: Math.ceil(windowUploadBytes / 3) * 4 }),
    }),
    MediaItem,
  ),
  /** Deletes a file. This cannot be undone. */
  'media.delete': method(MediaUrl, MediaItem),
};
