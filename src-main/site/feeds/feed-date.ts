import type { Post } from '../../contract/posts.ts';
import { publishedOf } from '../../post/published.ts';

/** A time in ms, and the offset of the author's clock from UTC in minutes. */
export interface FeedDate {
  readonly at: number;
  readonly offset: number;
}

/** Returns when a post was published, with the UTC offset in the post's date. */
export function publishedDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): FeedDate {
  const { at, text } = publishedOf(properties, Date.parse(createdAt));
  const [, sign, hours, minutes] = /T.*([+-])(\d{2}):?(\d{2})$/i.exec(text) ?? [];
  const offset = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return { at, offset: sign === '-' ? -offset : offset };
}

/** Returns a time (ISO 8601, UTC) as a feed date. */
export const editedDate = (moment: string): FeedDate => ({ at: Date.parse(moment), offset: 0 });

/** Returns a date in the format of RFC 3339, which Atom and JSON Feed use. */
export function rfc3339({ at, offset }: FeedDate): string {
  const local = new Date(at + offset * 60_000).toISOString();
  return offset === 0 ? local : local.replace('Z', zone(offset, ':'));
}

/** Returns a date in the format of RFC 822 with a four-digit year, which RSS uses. */
export function rfc822({ at, offset }: FeedDate): string {
  return new Date(at + offset * 60_000).toUTCString().replace('GMT', zone(offset, ''));
}

function zone(offset: number, separator: string): string {
  const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${separator}${minutes}`;
}
