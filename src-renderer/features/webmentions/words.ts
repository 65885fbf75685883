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
import { hostOf, plainText } from '../../ui/plain-text.ts';

/** Each type of mention, in words and as a sign; in the order in which they are counted. */
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

/** What became of a mention, in words. */
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

/** What somebody did with the page: "liked". */
export function deedOf({ type, rsvp = '' }: Pick<MentionRecord, 'type' | 'rsvp'>): string {
  return type === 'rsvp' ? (answered.get(rsvp.trim().toLowerCase()) ?? 'answered') : did[type];
}

/** Who it was: the name, or else the site. */
export function personOf({ author, source }: Pick<MentionRecord, 'author' | 'source'>): string {
  return plainText(author?.name ?? '') || hostOf(author?.url === '' ? source : (author?.url ?? source));
}

/** How the page is called where there is little room: its path, or its host where it is a home page. */
export function pathOf(target: string): string {
  if (!URL.canParse(target)) return target;
  const { pathname, search, host } = new URL(target);
  return pathname === '/' && search === '' ? host : `${readable(pathname)}${search}`;
}

/** How the text begins, as one line; longer than any line needs is not even looked at. */
export function beginningOf({ content, name = '' }: Pick<MentionRecord, 'content' | 'name'>): string {
  return plainText((content?.value ?? name).slice(0, 400));
}

/** "3 likes", "1 reply". */
export function countWords(type: MentionType, count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? types[type].one : types[type].many}`;
}

/** A path as people write it. */
function readable(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
