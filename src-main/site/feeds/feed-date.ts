import type { Post } from '../../contract/posts.ts';
import { offsetText } from '../../posts/date.ts';
import { publishedOf } from '../../posts/published.ts';

/** A time in ms, and the offset of the author's clock from UTC in minutes. */
export interface FeedDate {
  readonly at: number;
  readonly offset: number;
}

/** Returns when a post was published, with the UTC offset in the post's date. */
export function publishedDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): FeedDate {
  const { at, offset } = publishedOf(properties, Date.parse(createdAt));
  return { at, offset };
}

/** Returns a time (ISO 8601, UTC) as a feed date. */
export const editedDate = (moment: string): FeedDate => ({ at: Date.parse(moment), offset: 0 });

/** Returns a date in the format of RFC 3339, which Atom and JSON Feed use. */
export function rfc3339({ at, offset }: FeedDate): string {
  const local = new Date(at + offset * 60_000).toISOString();
  return offset === 0 ? local : local.replace('Z', offsetText(offset));
}

/** Returns a date in the format of RFC 822 with a four-digit year, which RSS uses. */
export function rfc822({ at, offset }: FeedDate): string {
  return new Date(at + offset * 60_000).toUTCString().replace('GMT', offsetText(offset, ''));
}
