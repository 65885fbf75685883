import { Type, type Static } from 'typebox';
import { method } from './method.ts';
import { Moment, closed } from './shapes.ts';

/** The kinds that post type discovery tells apart (ptd.spec.indieweb.org, and the types that clients post beside it). */
export const PostKind = Type.Union([
  Type.Literal('note'),
  Type.Literal('article'),
  Type.Literal('photo'),
  Type.Literal('video'),
  Type.Literal('audio'),
  Type.Literal('reply'),
  Type.Literal('like'),
  Type.Literal('repost'),
  Type.Literal('bookmark'),
  Type.Literal('rsvp'),
  Type.Literal('event'),
  Type.Literal('checkin'),
]);
export type PostKind = Static<typeof PostKind>;

/** What the kinds are called, the most usual first. */
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

/** Microformats2 properties: each a list of values, as they were posted (Micropub 3.3.2). */
export const Properties = Type.Record(Type.String(), Type.Array(Type.Unknown()));
export type Properties = Static<typeof Properties>;

const PostStatus = Type.Union([Type.Literal('published'), Type.Literal('draft')]);
const Visibility = Type.Union([Type.Literal('public'), Type.Literal('unlisted'), Type.Literal('private')]);

/** A post as the rest of the house sees it. */
export const Post = closed({
  /** Below the public origin: `/posts/2026/11/slug`. */
  path: Type.String(),
  type: Type.Array(Type.String()),
  properties: Properties,
  /** What clients commanded besides (mp-syndicate-to, mp-channel, ...), without their `mp-`. */
  commands: Properties,
  status: PostStatus,
  visibility: Visibility,
  createdAt: Moment,
  updatedAt: Moment,
  deletedAt: Type.Union([Moment, Type.Null()]),
  /** The app that created it (see Bearer.app); absent for the owner's own posts, and where it is not known. */
  createdBy: Type.Optional(Type.String()),
});
export type Post = Static<typeof Post>;

/** A post as a list shows it. */
export const PostItem = closed({
  path: Post.properties.path,
  url: Type.String(),
  kind: PostKind,
  /** Empty where the post has no name of its own. */
  name: Type.String(),
  /** How its text begins; where it has none, what it responds to. */
  summary: Type.String(),
  /** `scheduled`: it is published, on a date that is still to come. */
  status: Type.Union([PostStatus, Type.Literal('scheduled')]),
  visibility: Visibility,
  /** As its author gave it, offset included, else when it was made. */
  published: Type.String(),
  deletedAt: Post.properties.deletedAt,
});
export type PostItem = Static<typeof PostItem>;

const PostUrl = closed({ url: Type.String({ minLength: 1, maxLength: 4096 }) });

export const PostChange = closed({
  url: Type.String(),
  change: Type.Union([
    Type.Literal('created'),
    Type.Literal('updated'),
    Type.Literal('deleted'),
    Type.Literal('undeleted'),
  ]),
});
export type PostChange = Static<typeof PostChange>;

export const postMethods = {
  /**
   * Newest first. Deleted posts come only where `status` asks for them. `query`: part of a name, a text or a category.
   * `cursor`: the nextCursor of the page before.
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
  /** `html`: its content as the site shows it, sanitized, without pictures. */
  'posts.get': method(PostUrl, closed({ item: PostItem, post: Post, html: Type.String() })),
  /** A note that the owner writes in the window. `photos`: files of media.upload, with the words that stand for them. */
  'posts.create': method(
    closed({
      content: Type.String({ maxLength: 200_000 }),
      photos: Type.Array(
        closed({
          url: Type.String({ minLength: 1, maxLength: 4096 }),
          alt: Type.String({ maxLength: 5000 }),
        }),
        { maxItems: 50 },
      ),
      categories: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
      visibility: Visibility,
      status: PostStatus,
    }),
    PostItem,
  ),
  /** It can be undone: `posts.undelete`. */
  'posts.delete': method(PostUrl, PostItem),
  'posts.undelete': method(PostUrl, PostItem),
};
