import { Type, type Static } from 'typebox';
import { Address, choice, closed, method, Moment, orNull } from './shapes.ts';

/** The kinds of posts: those of post type discovery (ptd.spec.indieweb.org), and other kinds that clients post. */
export const PostKind = choice(
  'note',
  'article',
  'photo',
  'video',
  'audio',
  'reply',
  'like',
  'repost',
  'bookmark',
  'rsvp',
  'event',
  'checkin',
);
export type PostKind = Static<typeof PostKind>;

/** The names of the post kinds, most common first. */
export const postKindNames: Readonly<Record<PostKind, string>> = {
  note: 'Note',
  article: 'Article',
  photo: 'Photo',
  video: 'Video',
  audio: 'Audio',
  reply: 'Reply',
  like: 'Like',
  repost: 'Repost',
  bookmark: 'Bookmark',
  rsvp: 'RSVP',
  event: 'Event',
  checkin: 'Check-in',
};

/** Microformats2 properties. Each is a list of values, as posted (Micropub 3.3.2). */
export const Properties = Type.Record(Type.String(), Type.Array(Type.Unknown()));
export type Properties = Static<typeof Properties>;

export const PostStatus = choice('published', 'draft');
export const Visibility = choice('public', 'unlisted', 'private');

/** Where a post is on the owner's own site, which is built from a folder. */
export const PostHome = closed({
  /** The post's own URL. It stays the same if the owner stops publishing to the folder. */
  url: Type.String(),
  /** The post's file, relative to the folder, with `/`. */
  file: Type.String(),
  /** The URLs on that site that the post had before, newest first. */
  former: Type.Array(Type.String()),
  /**
   * The files that Porchlight has written for the post (its own and its media files), with their SHA-256 in hex. Empty
   * until they are published.
   */
  written: Type.Record(Type.String(), Type.String()),
  /** When the post's page was first seen at its URL; null until then. */
  liveAt: orNull(Moment),
});
export type PostHome = Static<typeof PostHome>;

/** A post as the rest of the program sees it. */
export const Post = closed({
  /** The path below the public origin, such as `/posts/2026/11/slug`. */
  path: Type.String(),
  type: Type.Array(Type.String()),
  properties: Properties,
  /** Other Micropub commands from the client (mp-syndicate-to, mp-channel, ...), without the `mp-` prefix. */
  commands: Properties,
  status: PostStatus,
  visibility: Visibility,
  createdAt: Moment,
  updatedAt: Moment,
  deletedAt: orNull(Moment),
  /** When the content last changed after it was public; absent if it never did. */
  editedAt: Type.Optional(Moment),
  /** The Markdown from which `content` was made; absent if the text was not written in Markdown. */
  markdown: Type.Optional(Type.String()),
  /** The app that created the post (see Bearer.app); absent if the owner created it, or if the app is unknown. */
  createdBy: Type.Optional(Type.String()),
  /** Absent if the post is only on the built-in site. */
  home: Type.Optional(PostHome),
});
export type Post = Static<typeof Post>;

/** Identifies the content of a post at one moment. */
export const PostVersion = Type.String({ minLength: 1, maxLength: 100 });

/** A post as shown in a list. */
export const PostItem = closed({
  path: Post.properties.path,
  url: Type.String(),
  kind: PostKind,
  /** Empty if the post has no name of its own. */
  name: Type.String(),
  /** The start of the post's text. If it has no text: what the post responds to. */
  summary: Type.String(),
  /** `scheduled`: published, with a date in the future. */
  status: Type.Union([PostStatus, Type.Literal('scheduled')]),
  visibility: Visibility,
  /** The publication date as the author gave it, with its UTC offset. Without one: when the post was created. */
  published: Type.String(),
  deletedAt: Post.properties.deletedAt,
});
export type PostItem = Static<typeof PostItem>;

const PostUrl = closed({ url: Address });

export const PostChange = closed({
  url: Type.String(),
  change: choice('created', 'updated', 'deleted', 'undeleted'),
});
export type PostChange = Static<typeof PostChange>;

export const postMethods = {
  /**
   * Lists posts, newest first. Includes deleted posts only if `status` asks for them. `query`: part of a name, a text
   * or a category. `cursor`: the previous page's nextCursor.
   */
  'posts.list': method(
    closed({
      query: Type.Optional(Type.String({ maxLength: 500 })),
      kind: Type.Optional(PostKind),
      status: Type.Optional(Type.Union([PostStatus, Type.Literal('scheduled'), Type.Literal('deleted')])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
      cursor: Type.Optional(Type.String({ maxLength: 1000 })),
    }),
    closed({ items: Type.Array(PostItem), nextCursor: Type.Optional(Type.String()) }),
  ),
  /** Returns a post. `html`: its content as the site shows it, sanitized and without pictures. `version`: for changes. */
  'posts.get': method(
    PostUrl,
    closed({ item: PostItem, post: Post, html: Type.String(), version: PostVersion }),
  ),
  /** Deletes a post. `posts.undelete` restores it. */
  'posts.delete': method(PostUrl, PostItem),
  'posts.undelete': method(PostUrl, PostItem),
};
