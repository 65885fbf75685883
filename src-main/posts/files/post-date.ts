import type { Post } from '../../contract/posts.ts';
import { offsetText } from '../date.ts';
import { publishedOf } from '../published.ts';

/**
 * Returns a post's publication date in the author's time zone, with seconds and an offset. This is the only form of ISO
 * 8601 that all generators read.
 */
export function postDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): string {
  const { at, offset } = publishedOf(properties, Date.parse(createdAt));
  return `${new Date(at + offset * 60_000).toISOString().slice(0, 19)}${offsetText(offset)}`;
}
