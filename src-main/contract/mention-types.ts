import type { Static } from 'typebox';
import type { KindProperty } from './post-kinds.ts';
import { choice } from './shapes.ts';

/**
 * The types of mentions. The site, the window, notifications, the activity list, the import and webmention.io's formats
 * all read this table.
 */
interface MentionTypeRow {
  /** The name of one mention of the type, and of several. */
  readonly one: string;
  readonly many: string;
  /** What its author did, to be followed by the page. */
  readonly deed: string;
  /** The same, told to the owner of the page. */
  readonly toOwner: string;
  /** The property with which the source links to its target: `wm-property` in webmention.io's formats. */
  readonly property: string;
  /** The `activity.type` in webmention.io's json format. */
  readonly activity: string;
  /** The property of the mentioned entry in the site's microformats. */
  readonly shownAs: `u-${string}`;
}

const rows = {
  reply: {
    one: 'reply',
    many: 'replies',
    deed: 'replied to',
    toOwner: 'replied to you',
    property: 'in-reply-to',
    activity: 'reply',
    shownAs: 'u-comment',
  },
  like: {
    one: 'like',
    many: 'likes',
    deed: 'liked',
    toOwner: 'liked your post',
    property: 'like-of',
    activity: 'like',
    shownAs: 'u-like',
  },
  repost: {
    one: 'repost',
    many: 'reposts',
    deed: 'reposted',
    toOwner: 'reposted your post',
    property: 'repost-of',
    activity: 'repost',
    shownAs: 'u-repost',
  },
  bookmark: {
    one: 'bookmark',
    many: 'bookmarks',
    deed: 'bookmarked',
    toOwner: 'bookmarked your post',
    property: 'bookmark-of',
    activity: 'bookmark',
    shownAs: 'u-bookmark',
  },
  // In microformats, an RSVP is a comment that has an RSVP value. It links to the event with in-reply-to.
  rsvp: {
    one: 'RSVP',
    many: 'RSVPs',
    deed: 'answered',
    toOwner: 'answered your invitation',
    property: 'rsvp',
    activity: 'rsvp',
    shownAs: 'u-comment',
  },
  mention: {
    one: 'mention',
    many: 'mentions',
    deed: 'mentioned',
    toOwner: 'mentioned you',
    property: 'mention-of',
    activity: 'link',
    shownAs: 'u-mention',
  },
} as const satisfies {
  readonly [Kind in ResponseKind]: MentionTypeRow & { property: KindProperty<Kind> };
} & {
  readonly mention: MentionTypeRow;
};

/** The kinds of posts that are mentions of the page that they respond to. A row has the property of its kind. */
type ResponseKind = 'reply' | 'like' | 'repost' | 'bookmark' | 'rsvp';

/** The types, in the order in which they are listed. */
export const mentionTypeList = ['reply', 'like', 'repost', 'bookmark', 'rsvp', 'mention'] as const;

/** How a mention relates to the mentioned page, according to the response type algorithm of post type discovery. */
export const MentionType = choice(...mentionTypeList);
export type MentionType = Static<typeof MentionType>;

/** The property with which a source links to its target; `mention-of` for a plain link. */
export const ResponseProperty = choice(
  rows.reply.property,
  rows.like.property,
  rows.repost.property,
  rows.bookmark.property,
  rows.rsvp.property,
  rows.mention.property,
);
export type ResponseProperty = Static<typeof ResponseProperty>;

export const mentionTypes: Readonly<
  Record<MentionType, MentionTypeRow & { readonly property: ResponseProperty }>
> = rows;

/** The files that a mention may have, in the order in which one is shown for all, each with what it is called. */
const fileWords = { photo: 'A photo', video: 'A video', audio: 'A recording' } as const;

/** The first of the files of a mention that says nothing else. `alt`: may be empty. `count`: how many files there are. */
export interface OnlyFile {
  readonly kind: keyof typeof fileWords;
  readonly words: string;
  readonly url: string;
  readonly alt: string;
  readonly count: number;
}

interface Said extends Partial<Readonly<Record<keyof typeof fileWords, readonly string[]>>> {
  readonly name?: string;
  readonly content?: { readonly html?: string; readonly value: string };
  readonly photoAlt?: string;
}

/**
 * Returns the file that stands for a mention that has neither text nor a title; undefined if it has either, or no file.
 * The alt text of its photo doesn't count as a title, although it may be the implied name of the entry.
 */
export function onlyFileOf({ name = '', content, photoAlt = '', ...files }: Said): OnlyFile | undefined {
  const hasText = content !== undefined && (content.value.trim() !== '' || (content.html ?? '') !== '');
  const kind = (['photo', 'video', 'audio'] as const).find((one) => (files[one]?.length ?? 0) > 0);
  const [url, ...more] = (kind && files[kind]) ?? [];
  if (hasText || kind === undefined || url === undefined) return undefined;
  const alt = kind === 'photo' ? photoAlt : '';
  if (name !== '' && !alt.startsWith(name.replace(/…$/, ''))) return undefined;
  return { kind, words: fileWords[kind], url, alt, count: 1 + more.length };
}

/** Returns the type of the mentions that have a property. */
export const mentionTypeOf = (property: ResponseProperty): MentionType =>
  mentionTypeList.find((type) => rows[type].property === property) ?? 'mention';
