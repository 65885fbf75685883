import type { Post, Properties } from '../contract/posts.ts';

type Visible = 'status' | 'visibility' | 'deletedAt';

/** Returns whether everyone with a post's URL can read the post's page at the time `now` (ms). */
export function isReadable(post: Post, now: number): boolean {
  return post.deletedAt === null && wasOpen(post, now);
}

/**
 * Returns whether a post was deleted, and had been readable by everyone with its URL until its deletion. The page of
 * such a post responds with the HTTP status 410 (Webmention 3.1.5).
 */
export function isTombstone(post: Post): boolean {
  return post.deletedAt !== null && wasOpen(post, Date.parse(post.deletedAt));
}

/**
 * Returns whether lists show a post. Lists check each post with this function even though their posts are already
 * filtered, because a post that was shown by mistake can't be taken back.
 */
export function isListed(post: Post, now: number): boolean {
  return isReadable(post, now) && post.visibility === 'public';
}

/** Returns whether a post is meant for everyone with its URL, now or from its publication date on. */
export function isOpen({ status, visibility, deletedAt }: Pick<Post, Visible>): boolean {
  return deletedAt === null && status === 'published' && visibility !== 'private';
}

/** Returns whether a post's files on the owner's own site may be out of date, or its page was never seen there. */
export function isBehind({ home, ...post }: Pick<Post, Visible | 'updatedAt' | 'home'>): boolean {
  if (home === undefined) return false;
  const isWritten = Object.keys(home.written).length > 0;
  if (!isOpen(post)) return isWritten;
  return !isWritten || home.liveAt === null || (home.writtenFrom ?? post.updatedAt) !== post.updatedAt;
}

/**
 * Returns whether everyone who has a post's URL could read the post at a given time (ms). Until its publication date, a
 * post is as private as a draft.
 */
function wasOpen(post: Post, at: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= at;
}

/** The date of a post's publication, and the month in which the post is filed. */
interface Published {
  /** The moment of publication, in ms since 1970. */
  readonly at: number;
  /** The month in the author's time zone, such as `2026/11`. */
  readonly month: string;
  /** The time of day in the author's time zone, without colons, such as `093000`. */
  readonly time: string;
  /** The offset of the author's clock from UTC, in minutes; 0 if the date has none. */
  readonly offset: number;
  /** The publication date as the post states it. If that date is missing or invalid: the fallback date in ISO 8601. */
  readonly text: string;
}

// Reads dates as every version has, so that stored posts keep their date and address. New dates are read by date.ts.
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Returns a post's date of publication: the post's own ISO 8601 date (UTC if the date has no offset), or `fallback`
 * (ms) if the post has no such date.
 */
export function publishedOf(properties: Properties, fallback: number): Published {
  return dateIn(properties.published?.[0]) ?? fallenBack(fallback);
}

/** Returns the time (ms) from which a stored post counts as published, for lists, pages and queries. */
export function publishedAt({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): number {
  return publishedOf(properties, Date.parse(createdAt)).at;
}

/** Returns whether a post has a publication date in ISO 8601. */
export const hasDate = ({ published }: Properties) => dateIn(published?.[0]) !== undefined;

function dateIn(value: unknown): Published | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  const found = dateTime.exec(text);
  if (found === null) return undefined;
  const [, year = '', month = '', date = '', hour = '00', minute = '00', second = '00'] = found;
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})$/.exec(found[8] ?? '') ?? [];
  const at = Date.parse(
    `${year}-${month}-${date}T${hour}:${minute}:${second}${found[7] ?? ''}${sign}${hours}:${minutes}`,
  );
  if (Number.isNaN(at)) return undefined;
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return { at, month: `${year}/${month}`, time: hour + minute + second, offset, text };
}

function fallenBack(at: number): Published {
  const text = new Date(at).toISOString();
  return {
    at,
    month: text.slice(0, 7).replace('-', '/'),
    time: text.slice(11, 19).replaceAll(':', ''),
    offset: 0,
    text,
  };
}
