import { Type, type Static } from 'typebox';
import { responseFields, rsvpAnswerList, type ResponseField } from './post-kinds.ts';
import { PostItem, PostStatus, PostVersion, Visibility } from './posts.ts';
import { Address, choice, closed, Id, method, Moment, orNull } from './shapes.ts';

/** The format of a post's text. `html`: HTML that an app sent. The owner edits the HTML source. */
const TextFormat = choice('plain', 'markdown', 'html');

const Photo = closed({ url: Address, alt: Type.String({ maxLength: 5000 }) });
/** A web address. An empty string removes the property from the post. */
const MaybeAddress = Type.Optional(Type.String({ maxLength: 4096 }));

/** The fields for the page that the post responds to (see responseProperties). */
const addressFields = Object.fromEntries(responseFields.map(({ field }) => [field, MaybeAddress])) as Record<
  ResponseField,
  typeof MaybeAddress
>;

const fields = {
  text: Type.String({ maxLength: 200_000 }),
  format: TextFormat,
  /** The title of an article. In every optional field, an empty string removes the property from the post. */
  name: Type.Optional(Type.String({ maxLength: 1000 })),
  summary: Type.Optional(Type.String({ maxLength: 5000 })),
  /** The last part of the post's URL. If it is absent, Porchlight derives it from the post's text. */
  slug: Type.Optional(Type.String({ maxLength: 300 })),
  /** The photos, in the order in which the site shows them. `url`: the URL of an uploaded file (see media.upload). */
  photos: Type.Array(Photo, { maxItems: 100 }),
  /** The covers of an article, usually one. Unlike `photos`, they don't make the post a photo. */
  featured: Type.Optional(Type.Array(Photo, { maxItems: 100 })),
  categories: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
  visibility: Visibility,
  status: PostStatus,
  /** The publication date, in ISO 8601 with a UTC offset. A date in the future schedules the post. */
  published: Type.Optional(Type.String({ maxLength: 40 })),
  ...addressFields,
  /** The answer to the invitation at `inReplyTo`; empty for no answer. */
  rsvp: Type.Optional(Type.Enum([...rsvpAnswerList, ''])),
  /** The `uid` values of the cross-posting targets. */
  syndicateTo: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { maxItems: 100 })),
};

/** A post in the form in which the owner edits it. */
export const PostText = closed(fields);
export type PostText = Static<typeof PostText>;

/** A post that the owner has just changed. `version`: pass it as `ifVersion` with the next change. */
export const SavedPost = closed({ ...PostItem.properties, version: PostVersion });
export type SavedPost = Static<typeof SavedPost>;

/**
 * An earlier version of a post. `by`: the name of the app that replaced this version; null if the owner replaced it.
 */
const EarlierVersion = closed({
  id: Id,
  replacedAt: Moment,
  by: orNull(Type.String()),
  /** The properties that the next version changed, by their microformats names. */
  changes: Type.Array(Type.String()),
  name: Type.String(),
  /** The start of the version's text. */
  summary: Type.String(),
});

const VersionText = closed({ name: Type.String(), text: Type.String() });

/** Edits that the owner has not saved to the post yet. `version`: the version of the post that the owner edited. */
export const UnsavedEdits = closed({ post: PostText, version: PostVersion, savedAt: Moment });
export type UnsavedEdits = Static<typeof UnsavedEdits>;

const { text, format, ...others } = fields;

export const writingMethods = {
  /**
   * Creates a post. `content`: an older name for `text`. The format defaults to plain text. `requestId`: an ID that the
   * caller chooses. If a reply is lost, the caller can repeat the request with the same ID. The server then returns the
   * first reply, without creating a second post. The server forgets the IDs when it stops.
   */
  'posts.create': method(
    closed({
      requestId: Type.Optional(Id),
      text: Type.Optional(text),
      content: Type.Optional(text),
      format: Type.Optional(format),
      ...others,
    }),
    SavedPost,
  ),
  /**
   * Returns a post in the form in which the owner edits it.
   * @throws not_editable if the editor's form can't represent the post's content without changing it
   */
  'posts.source': method(closed({ url: Address }), closed({ ...fields, version: PostVersion })),
  /**
   * Changes the given parts of a post, and discards the post's unsaved edits. Properties that PostText doesn't include
   * stay unchanged. `ifKept`: the `savedAt` of the unsaved edits that the caller has loaded; null if there were none.
   * @throws conflict if the post has changed since `ifVersion`, or if the stored unsaved edits are not the edits that
   * `ifKept` identifies
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
   * Renders a post as the site would show it. Returns the post's markup and the site's style sheet. `url`: the URL of
   * the post that is being edited. Pictures keep their public URLs.
   */
  'posts.preview': method(
    closed({ url: Type.Optional(Address), post: PostText }),
    closed({ html: Type.String(), css: Type.String() }),
  ),
  /**
   * Returns the title and the author of a page that the owner is about to respond to. Fetches the page, unless Porchlight
   * knows it already. Both are empty if the page doesn't name them or can't be read.
   */
  'posts.citedPage': method(
    closed({ url: Address }),
    closed({ title: Type.String(), author: Type.String() }),
  ),
  /** Returns the edits that the owner has not saved to a post yet; null if there are none. */
  'posts.edits': method(closed({ url: Address }), closed({ edits: orNull(UnsavedEdits) })),
  /**
   * Stores a post's unsaved edits on disk without changing the post. If `edits` is null, discards the stored edits.
   * `ifKept`: the `savedAt` of the stored edits that the caller has loaded; null if there were none.
   * @throws conflict if the stored edits are not the edits that `ifKept` identifies
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
   * Returns the title and the text of an earlier version, and of the version that replaced it. The text is Markdown if the
   * version was written in Markdown. A long text is cut.
   * @throws not_found
   */
  'posts.versionTexts': method(
    closed({ url: Address, id: Id }),
    closed({ before: VersionText, after: VersionText }),
  ),
  /**
   * Gives a post the content of an earlier version. The replaced content becomes an earlier version itself. Keeps
   * unsaved edits.
   * @throws conflict if the post has changed since `ifVersion`
   */
  'posts.restoreVersion': method(
    closed({ url: Address, id: Id, ifVersion: Type.Optional(PostVersion) }),
    SavedPost,
  ),
};
