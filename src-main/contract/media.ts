import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { PostItem } from './posts.ts';
import { Maybe, Moment, closed } from './shapes.ts';

/** What a file is, roughly. */
export const MediaKind = Type.Union([
  Type.Literal('image'),
  Type.Literal('video'),
  Type.Literal('audio'),
  Type.Literal('document'),
]);
export type MediaKind = Static<typeof MediaKind>;

/** An uploaded file, as a list shows it. */
export const MediaItem = closed({
  url: Type.String(),
  /** As its sender called it, cleaned. */
  name: Type.String(),
  /** The media type that its content has. */
  type: Type.String(),
  kind: MediaKind,
  bytes: Type.Number(),
  /** Pixels as it is shown, where the file is a picture that can be read. */
  width: Type.Union([Type.Number(), Type.Null()]),
  height: Type.Union([Type.Number(), Type.Null()]),
  uploadedAt: Moment,
  /** Where the file was copied from, for a picture that a post named by its address. */
  copyOf: Maybe(),
});
export type MediaItem = Static<typeof MediaItem>;

/** A post that shows or links a file. */
export const MediaUse = closed({
  post: PostItem,
  /** The words that stand for it there; empty where the post gives none. */
  alt: Type.String(),
});
export type MediaUse = Static<typeof MediaUse>;

export const MediaChange = closed({
  url: Type.String(),
  change: Type.Union([Type.Literal('added'), Type.Literal('deleted')]),
});
export type MediaChange = Static<typeof MediaChange>;

const MediaUrl = closed({ url: Type.String({ minLength: 1, maxLength: 4096 }) });

/** 20 MB: what the window sends in one piece. Apps may send more, to the media endpoint. */
export const windowUploadBytes = 20_000_000;

export const mediaMethods = {
  /** Newest first. `query`: part of a name. `cursor`: the nextCursor of the page before. */
  'media.list': method(
    closed({
      query: Type.Optional(Type.String({ maxLength: 500 })),
      kind: Type.Optional(MediaKind),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({ items: Type.Array(MediaItem), nextCursor: Type.Optional(Type.String()) }),
  ),
  /** A file and where it is used. */
  'media.get': method(MediaUrl, closed({ item: MediaItem, uses: Type.Array(MediaUse) })),
  /** A small picture of it as a data URL; null where there is none. */
  'media.thumbnail': method(MediaUrl, closed({ dataUrl: Maybe(1_000_000) })),
  /** Adds a file that the owner chose in the window. `data`: its bytes in base64. */
  'media.upload': method(
    closed({
      name: Type.String({ minLength: 1, maxLength: 500 }),
      data: Type.String({ minLength: 1, maxLength: Math.ceil(windowUploadBytes / 3) * 4 }),
    }),
    MediaItem,
  ),
  /** It can not be undone. */
  'media.delete': method(MediaUrl, MediaItem),
};
