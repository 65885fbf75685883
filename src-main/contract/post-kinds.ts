/**
 * The kinds of posts, and the properties that link a post to the pages that it responds to. The site, the window, apps,
 * imports, exports and the owner's own site all read these two tables.
 */

/** A property that names what a post responds to: a page, or something without a web address, such as a book. */
interface ResponseProperty {
  readonly name: string;
  /** The text before the link on the site and in the window. */
  readonly words: string;
  /** What the change history calls the property. */
  readonly part: string;
  /** Whether a file may have a name instead of a web address, such as a book's title. */
  readonly mayBeName?: true;
  /** The editor's field; absent if the owner can't set the property in the editor. */
  readonly field?: string;
}

/** The properties with which a post responds. An RSVP uses in-reply-to. */
const responses = [
  {
    name: 'in-reply-to',
    words: 'In reply to',
    part: 'the page it replies to',
    field: 'inReplyTo',
  },
  {
    name: 'repost-of',
    words: 'Reposted',
    part: 'the reposted page',
    field: 'repostOf',
  },
  {
    name: 'like-of',
    words: 'Liked',
    part: 'the liked page',
    field: 'likeOf',
  },
  {
    name: 'bookmark-of',
    words: 'Bookmarked',
    part: 'the bookmarked page',
    field: 'bookmarkOf',
  },
  { name: 'quotation-of', words: 'Quoted', part: 'the quoted page' },
  { name: 'read-of', words: 'Read', part: 'what you read', mayBeName: true },
  { name: 'watch-of', words: 'Watched', part: 'what you watched', mayBeName: true },
  { name: 'listen-of', words: 'Listened to', part: 'what you listened to', mayBeName: true },
  { name: 'jam-of', words: 'Jammed to', part: 'the song', mayBeName: true },
  { name: 'follow-of', words: 'Followed', part: 'whom you follow' },
  { name: 'ate', words: 'Ate', part: 'what you ate', mayBeName: true },
  { name: 'drank', words: 'Drank', part: 'what you drank', mayBeName: true },
] as const satisfies readonly ResponseProperty[];

export const responseProperties: readonly ResponseProperty[] = responses;

/** The editor's fields for the page that a post responds to. */
type WithField = Extract<(typeof responses)[number], { readonly field: string }>;
export type ResponseField = WithField['field'];
export const responseFields = responses.filter((row): row is WithField => 'field' in row);

/**
 * The properties whose values are files, in the order in which pages show them, each with what the change history calls
 * it.
 */
export const mediaParts = {
  featured: 'the cover picture',
  photo: 'the photos',
  video: 'the video',
  audio: 'the audio',
} as const;

export type MediaProperty = keyof typeof mediaParts;
export const mediaProperties = Object.keys(mediaParts) as readonly MediaProperty[];

/** Returns whether a property's values are files. */
export const isMediaProperty = (name: string): name is MediaProperty => Object.hasOwn(mediaParts, name);

/** The properties of events, check-ins and RSVPs, which the site shows above a post's text. */
export const factProperties = ['rsvp', 'start', 'end', 'organizer', 'checkin', 'location'] as const;

/**
 * The answers to an invitation (indieweb.org/rsvp), each as the site and the editor show it. `heading`: above the people
 * who gave it. `deed`: what they did, to be followed by the page.
 */
export const rsvpAnswers = {
  yes: {
    shown: 'Yes, I am going',
    choice: 'Yes, I’m going',
    heading: 'Going',
    deed: 'answered yes to',
  },
  no: {
    shown: 'No, I am not going',
    choice: 'No, I’m not going',
    heading: 'Not going',
    deed: 'answered no to',
  },
  maybe: { shown: 'I might go', choice: 'Maybe', heading: 'Might go', deed: 'answered maybe to' },
  interested: {
    shown: 'I am interested',
    choice: 'I’m interested',
    heading: 'Interested',
    deed: 'is interested in',
  },
} as const;

export type RsvpAnswer = keyof typeof rsvpAnswers;
export const rsvpAnswerList = Object.keys(rsvpAnswers) as readonly RsvpAnswer[];

/** Returns the answer to an invitation in the value of a property; undefined if the value isn't one. */
export function rsvpAnswerIn(value: unknown): RsvpAnswer | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return rsvpAnswerList.find((answer) => answer === text);
}

/** A field of the editor that only some kinds of posts have. */
export type KindField = ResponseField | 'rsvp' | 'name' | 'summary' | 'text' | 'photos' | 'categories';

interface KindRow {
  /** The name of the kind and, as the title of a list, of several posts. */
  readonly name: string;
  readonly plural: string;
  /** One post within a sentence, with its article, and the word for several. */
  readonly one: string;
  readonly many: string;
  /** The microformats type that makes a post this kind; h-entry if absent. */
  readonly type?: 'h-event';
  /**
   * The property that makes a post this kind, and what its value must be. The rule with the lowest `rank` comes first
   * (Post Type Discovery 3.1). Absent for kinds that depend on the post's type or title.
   */
  readonly rule?: {
    readonly rank: number;
    readonly property: string;
    readonly value: 'address' | 'answer' | 'anything';
  };
  /** The fields of the editor, the most important one first; absent if only apps create such posts. */
  readonly fields?: readonly KindField[];
  /** The properties of a sample post. */
  readonly example: Readonly<Record<string, readonly unknown[]>>;
}

const page = 'https://example.com/a-page';
const text = { content: ['This is an example.'] };
const files = 'https://example.com/media/2026/01';

const rows = {
  note: {
    name: 'Note',
    plural: 'Notes',
    one: 'a note',
    many: 'notes',
    fields: ['text', 'photos', 'categories'],
    example: text,
  },
  article: {
    name: 'Article',
    plural: 'Articles',
    one: 'an article',
    many: 'articles',
    fields: ['name', 'summary', 'text', 'photos', 'categories'],
    example: { name: ['An example'], ...text },
  },
  photo: {
    name: 'Photo',
    plural: 'Photos',
    one: 'a photo',
    many: 'photos',
    rule: { rank: 8, property: 'photo', value: 'address' },
    fields: ['photos', 'text', 'categories'],
    example: { photo: [{ value: `${files}/photo.jpg`, alt: 'What the photo shows' }], ...text },
  },
  video: {
    name: 'Video',
    plural: 'Videos',
    one: 'a video',
    many: 'videos',
    rule: { rank: 7, property: 'video', value: 'address' },
    example: { video: [`${files}/video.mp4`], ...text },
  },
  audio: {
    name: 'Audio',
    plural: 'Audio',
    one: 'an audio post',
    many: 'audio posts',
    rule: { rank: 9, property: 'audio', value: 'address' },
    example: { audio: [`${files}/audio.mp3`], ...text },
  },
  reply: {
    name: 'Reply',
    plural: 'Replies',
    one: 'a reply',
    many: 'replies',
    rule: { rank: 4, property: 'in-reply-to', value: 'address' },
    fields: ['inReplyTo', 'text', 'photos', 'categories'],
    example: { 'in-reply-to': [page], ...text },
  },
  like: {
    name: 'Like',
    plural: 'Likes',
    one: 'a like',
    many: 'likes',
    rule: { rank: 3, property: 'like-of', value: 'address' },
    fields: ['likeOf'],
    example: { 'like-of': [page] },
  },
  repost: {
    name: 'Repost',
    plural: 'Reposts',
    one: 'a repost',
    many: 'reposts',
    rule: { rank: 2, property: 'repost-of', value: 'address' },
    fields: ['repostOf'],
    example: { 'repost-of': [page] },
  },
  // Bookmarks and check-ins often have a photo, so their rules come before the photo's.
  bookmark: {
    name: 'Bookmark',
    plural: 'Bookmarks',
    one: 'a bookmark',
    many: 'bookmarks',
    rule: { rank: 5, property: 'bookmark-of', value: 'address' },
    fields: ['bookmarkOf', 'name', 'text', 'categories'],
    example: { 'bookmark-of': [page], ...text },
  },
  rsvp: {
    name: 'RSVP',
    plural: 'RSVPs',
    one: 'an RSVP',
    many: 'RSVPs',
    rule: { rank: 1, property: 'rsvp', value: 'answer' },
    fields: ['inReplyTo', 'rsvp', 'text'],
    example: { 'in-reply-to': [page], rsvp: ['yes'] },
  },
  event: {
    name: 'Event',
    plural: 'Events',
    one: 'an event',
    many: 'events',
    type: 'h-event',
    example: {
      name: ['An example'],
      start: ['2026-01-01T19:00:00Z'],
      end: ['2026-01-01T21:00:00Z'],
      ...text,
    },
  },
  checkin: {
    name: 'Check-in',
    plural: 'Check-ins',
    one: 'a check-in',
    many: 'check-ins',
    rule: { rank: 6, property: 'checkin', value: 'anything' },
    example: { checkin: [{ type: ['h-card'], properties: { name: ['A place'] } }], ...text },
  },
} as const satisfies Readonly<Record<string, KindRow>>;

/** A kind of post. */
type PostKind = keyof typeof rows;
/** The property that makes a post this kind. */
export type KindProperty<Kind extends PostKind> = (typeof rows)[Kind] extends {
  readonly rule: { readonly property: infer Property };
}
  ? Property
  : never;

/**
 * The kinds of posts, most common first: the types that post type discovery defines (ptd.spec.indieweb.org), and other
 * types that apps send.
 */
export const postKinds: Readonly<Record<PostKind, KindRow>> = rows;

/** The names of the kinds, in the same order. */
export const postKindList = Object.keys(rows) as readonly PostKind[];

/** Returns whether `text` names a kind of post. */
export const isPostKind = (text: string): text is PostKind => Object.hasOwn(rows, text);

/** The kinds of posts that the owner can write in the editor. */
export type WritingKind = {
  [Kind in PostKind]: (typeof rows)[Kind] extends { readonly fields: unknown } ? Kind : never;
}[PostKind];
export const writingKinds = postKindList.filter(
  (kind): kind is WritingKind => postKinds[kind].fields !== undefined,
);

/** A kind that is made by the value of one property. */
export type KindRule = NonNullable<KindRow['rule']> & { readonly kind: PostKind };

/** The kinds that one property makes, in the order in which their rules are tried. */
export const kindRules: readonly KindRule[] = postKindList
  .flatMap((kind) => {
    const { rule } = postKinds[kind];
    return rule ? [{ kind, ...rule }] : [];
  })
  .toSorted((a, b) => a.rank - b.rank);

/**
 * The kinds with which the owner can respond to a page in the editor, each with the field for the page. Links into the
 * editor name the kind (`porchlight:write?reply=...`).
 */
export const responseKinds = writingKinds.flatMap((kind) => {
  const row = responseFields.find(({ field }) => postKinds[kind].fields?.includes(field));
  return row ? [{ kind, field: row.field }] : [];
});
