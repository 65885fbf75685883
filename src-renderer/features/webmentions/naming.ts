import {
  IconAt,
  IconBookmark,
  IconCalendarCheck,
  IconHeart,
  IconMessageReply,
  IconRepeat,
  type Icon,
} from '@tabler/icons-react';
import type { MentionRecord, MentionStatus, MentionType } from '../../../src-main/contract/webmentions.ts';
import { hostIn, plainText } from '../../ui/plain-text.ts';

/** The name and the icon of each type of mention, in the order in which they are listed. */
export const types: Record<
  MentionType,
  { readonly one: string; readonly many: string; readonly Icon: Icon }
> = {
  reply: { one: 'reply', many: 'replies', Icon: IconMessageReply },
  like: { one: 'like', many: 'likes', Icon: IconHeart },
  repost: { one: 'repost', many: 'reposts', Icon: IconRepeat },
  bookmark: { one: 'bookmark', many: 'bookmarks', Icon: IconBookmark },
  rsvp: { one: 'RSVP', many: 'RSVPs', Icon: IconCalendarCheck },
  mention: { one: 'mention', many: 'mentions', Icon: IconAt },
};
export const typeNames = Object.keys(types) as MentionType[];

export const statusWords: Record<MentionStatus, string> = {
  approved: 'Approved',
  held: 'Waiting',
  hidden: 'Hidden',
  deleted: 'Deleted',
  removed: 'Removed',
};

const did: Record<Exclude<MentionType, 'rsvp'>, string> = {
  reply: 'replied to',
  like: 'liked',
  repost: 'reposted',
  bookmark: 'bookmarked',
  mention: 'mentioned',
};
const answered = new Map([
  ['yes', 'answered yes to'],
  ['no', 'answered no to'],
  ['maybe', 'answered maybe to'],
  ['interested', 'is interested in'],
]);

/** Returns what somebody did with the page: "liked". */
export function deedOf({ type, rsvp = '' }: Pick<MentionRecord, 'type' | 'rsvp'>): string {
  return type === 'rsvp' ? (answered.get(rsvp.trim().toLowerCase()) ?? 'answered') : did[type];
}

/** Returns who mentioned the page: "You", a name, or else the site. */
export function personOf({ author, source, own }: Pick<MentionRecord, 'author' | 'source' | 'own'>): string {
  if (own === true) return 'You';
  return plainText(author?.name ?? '') || hostIn(author?.url === '' ? source : (author?.url ?? source));
}

/** Returns a short name of a page: its path, or the host of a home page. */
export function pathOf(target: string): string {
  if (!URL.canParse(target)) return target;
  const { pathname, search, host } = new URL(target);
  return pathname === '/' && search === '' ? host : `${readable(pathname)}${search}`;
}

/**
 * Returns the page that a reply to a mention answers: the original, if a service passed the mention on. Undefined if it
 * has no web address, or if the mention was withdrawn or deleted.
 */
export function replyAddressOf({ url = '', source, status }: MentionRecord): string | undefined {
  if (status === 'deleted' || status === 'removed') return undefined;
  return [url, source].find((address) => /^https?:\/\//i.test(address));
}

/** Returns the beginning of the text as one line, cut at a length that fills any row. */
export function beginningOf({ content, name = '' }: Pick<MentionRecord, 'content' | 'name'>): string {
  return plainText((content?.value ?? name).slice(0, 400));
}

/** Returns a count with its type: "3 likes", "1 reply". */
export function countWords(type: MentionType, count: number): string {
  return `${numberWords(count)} ${count === 1 ? types[type].one : types[type].many}`;
}

/** Returns a number as people write it: "4,901". */
export const numberWords = (count: number) => count.toLocaleString('en');

/** Returns "1 mention" or "4,901 mentions". */
export const mentionsWords = (count: number) =>
  `${numberWords(count)} ${count === 1 ? 'mention' : 'mentions'}`;

/** Decodes a path. One that cannot be decoded stays as it is. */
function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
