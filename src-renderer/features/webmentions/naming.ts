import { IconAt, type Icon } from '../../ui/icons.ts';
import { type MentionType, mentionTypes, onlyFileOf } from '../../../src-main/contract/mention-types.ts';
import { rsvpAnswerIn, rsvpAnswers } from '../../../src-main/contract/post-kinds.ts';
import type { MentionRecord, MentionStatus } from '../../../src-main/contract/webmentions.ts';
import { kindIcons } from '../posts/kind-icons.ts';
import { hostIn, plainText } from '../../ui/plain-text.ts';

/** The icon of each type of mention. */
export const typeIcons: Readonly<Record<MentionType, Icon>> = {
  ...kindIcons,
  mention: IconAt,
};

export const statusWords: Record<MentionStatus, string> = {
  approved: 'Approved',
  held: 'Waiting',
  hidden: 'Hidden',
  deleted: 'Deleted',
  removed: 'Removed',
};

/** Returns what somebody did with the page: "liked". */
export function deedOf({ type, rsvp }: Pick<MentionRecord, 'type' | 'rsvp'>): string {
  const answer = type === 'rsvp' ? rsvpAnswerIn(rsvp) : undefined;
  return answer === undefined ? mentionTypes[type].deed : rsvpAnswers[answer].deed;
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

/** Returns what a page is called: the title of the post in quotation marks, or the short name of any other page. */
export function pageName(target: string, title?: string): string {
  return title === undefined ? plainText(pathOf(target)) : `“${plainText(title)}”`;
}

/**
 * Returns the page that a reply to a mention answers: the original, if a service passed the mention on. Undefined if it
 * has no web address, or if the mention was withdrawn or deleted.
 */
export function replyAddressOf({ url = '', source, status }: MentionRecord): string | undefined {
  if (status === 'deleted' || status === 'removed') return undefined;
  return [url, source].find((address) => /^https?:\/\//i.test(address));
}

/** Returns the beginning of the text as one line, cut at a length that fills any row. Without text, names the file. */
export function beginningOf(mention: MentionRecord): string {
  const file = onlyFileOf(mention);
  if (file) return file.alt === '' ? file.words : `${file.words}: ${plainText(file.alt.slice(0, 400))}`;
  return plainText((mention.content?.value ?? mention.name ?? '').slice(0, 400));
}

/** Returns a count with its type: "3 likes", "1 reply". */
export function countWords(type: MentionType, count: number): string {
  return `${numberWords(count)} ${count === 1 ? mentionTypes[type].one : mentionTypes[type].many}`;
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
