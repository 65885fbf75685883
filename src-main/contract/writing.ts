import { Type, type Static } from 'typebox';
import { PostItem, PostStatus, PostVersion, Visibility } from './posts.ts';
import { Address, choice, closed, Id, method, Moment, orNull } from './shapes.ts';

/** How a post's text is written. `html`: the HTML that an app sent, edited as HTML source. */
const TextFormat = choice('plain', 'markdown', 'html');

/** Answers to an invitation (indieweb.org/rsvp). */
const RsvpAnswer = choice('yes', 'no', 'maybe', 'interested');

const Photo = closed({ url: Address, alt: Type.String({ maxLength: 5000 }) });
/** A web address; empty text removes the property from the post. */
const MaybeAddress = Type.Optional(Type.String({ maxLength: 4096 }));

const fields = {
  text: Type.String({ maxLength: 200_000 }),
  format: TextFormat,
  /** The title of an article. Like all optional fields: empty text removes it from the post. */
  name: Type.Optional(Type.String({ maxLength: 1000 })),
  summary: Type.Optional(Type.String({ maxLength: 5000 })),
  /** The last part of the post's URL. If it is absent, it is made from the post's words. */
  slug: Type.Optional(Type.String({ maxLength: 300 })),
  /** In the order in which the site shows them. `url`: a file from media.upload. */
  photos: Type.Array(Photo, { maxItems: 100 }),
  categories: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
  visibility: Visibility,
  status: PostStatus,
  /** ISO 8601 with an offset. A date in the future schedules the post. */
  published: Type.Optional(Type.String({ maxLength: 40 })),
  inReplyTo: MaybeAddress,
  likeOf: MaybeAddress,
  repostOf: MaybeAddress,
  bookmarkOf: MaybeAddress,
  /** The answer to the invitation at `inReplyTo`. */
  rsvp: Type.Optional(Type.Union([RsvpAnswer, Type.Literal('')])),
  /** The `uid` of each cross-posting target. */
  syndicateTo: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 })),
};

/** A post as the owner writes it. */
export const PostText = closed(fields);
export type PostText = Static<typeof PostText>;

/** A post after a change by the owner, with the version for the next change. */
export const SavedPost = closed({ ...PostItem.properties, version: PostVersion });
export type SavedPost = Static<typeof SavedPost>;

/** An earlier version of a post. `by`: the name of the app that replaced it; null if the owner did. */
const EarlierVersion = closed({
  id: Id,
  replacedAt: Moment,
  by: orNull(Type.String()),
  /** The properties that differ in the version after this one, by their microformats names. */
  changes: Type.Array(Type.String()),
  name: Type.String(),
  /** The start of the version's text. */
  summary: Type.String(),
});

/** Edits that the owner has not saved to the post yet. `version`: the version that they started from. */
export const UnsavedEdits = closed({ post: PostText, version: PostVersion, savedAt: Moment });
export type UnsavedEdits = Static<typeof UnsavedEdits>;

const { text, format, ...others } = fields;

export const writingMethods = {
  /** Creates a post. `content`: the older name of `text`. The format defaults to plain text. */
  'posts.create': method(
    closed({
      text: Type.Optional(text),
      content: Type.Optional(text),
      format: Type.Optional(format),
      ...others,
    }),
    SavedPost,
  ),
  /**
   * Returns a post in the form in which the owner writes it.
   * @throws not_editable if the post has content that the form can't hold without changing it
   */
  'posts.source': method(closed({ url: Address }), closed({ ...fields, version: PostVersion })),
  /**
   * Changes the given parts of a post, and discards its unsaved edits. Properties that PostText doesn't have stay.
   * `ifKept`: the `savedAt` of the edits that the call may discard; null if it may discard none.
   * @throws conflict if the post has changed since `ifVersion`, or has other edits
   */
  'posts.update': method(
    closed({
      url: Address,
      ifVersion: Type.Optional(PostVersion),
      ifKept: Type.Optional(orNull(Moment)),
      ...Type.Partial(PostText).properties,
    }),
    SavedPost,
  ),
  /**
   * Returns a post as the site would show it: its markup and the site's style. `url`: the post that is being edited.
   * Pictures have their public addresses.
   */
  'posts.preview': method(
    closed({ url: Type.Optional(Address), post: PostText }),
    closed({ html: Type.String(), css: Type.String() }),
  ),
  /** Returns the edits of a post that the owner has not saved to it; null if there are none. */
  'posts.edits': method(closed({ url: Address }), closed({ edits: orNull(UnsavedEdits) })),
  /**
   * Keeps edits of a post on disk without changing the post; null discards them. `ifKept`: the `savedAt` of the edits that
   * the call may replace; null if there must be none.
   * @throws conflict if the post has other edits
   */
  'posts.keepEdits': method(
    closed({
      url: Address,
      edits: orNull(closed({ post: PostText, version: PostVersion })),
      ifKept: Type.Optional(orNull(Moment)),
    }),
    closed({ savedAt: orNull(Moment) }),
  ),
  /** Returns the earlier versions of a post, newest first. */
  'posts.history': method(closed({ url: Address }), closed({ items: Type.Array(EarlierVersion) })),
  /**
   * Gives a post the content of an earlier version. The content that it replaces becomes an earlier version. Unsaved edits
   * stay.
   * @throws conflict if the post has changed since `ifVersion`
   */
  'posts.restoreVersion': method(
    closed({ url: Address, id: Id, ifVersion: Type.Optional(PostVersion) }),
    SavedPost,
  ),
};
