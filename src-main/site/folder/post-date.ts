import type { Post } from '../../contract/posts.ts';
import { publishedOf } from '../../post/published.ts';

/**
 * Returns a post's publication date in the author's time zone, with seconds and an offset. This is the only form of ISO
 * 8601 that all generators read.
 */
export function postDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): string {
  const { at, text } = publishedOf(properties, Date.parse(createdAt));
  const [, sign = '+', hours = '00', minutes = '00'] = /:\d\d.*([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return `${new Date(at + offset).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}
