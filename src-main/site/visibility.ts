import type { Post } from '../contract/posts.ts';
import { publishedAt } from '../contract/published.ts';
import type { ReadFilter } from './reader.ts';

/**
 * Returns the filter for lists and feeds at `now` (ms): no drafts, no private or unlisted posts, and no posts scheduled
 * for later.
 */
export function listedBy(now: number): ReadFilter {
  return { status: 'published', visibility: 'public', publishedBy: now };
}

/** Returns whether everybody who knows a post's URL may read the post's own page at `now` (ms). */
export function isReadable(post: Post, now: number): boolean {
  return post.deletedAt === null && wasOpen(post, now);
}

/** Returns whether a post was public and is deleted. The status of its page is then 410 (Webmention 3.1.5). */
export function isTombstone(post: Post): boolean {
  return post.deletedAt !== null && wasOpen(post, Date.parse(post.deletedAt));
}

/**
 * Returns whether a post may be in a list. Lists check this again after the reader has filtered, because nobody can
 * take back a post that was shown by mistake.
 */
export function isListed(post: Post, now: number): boolean {
  return isReadable(post, now) && post.visibility === 'public';
}

/** Returns whether a post was public at a time (ms). Until its publication date, a post is as private as a draft. */
function wasOpen(post: Post, at: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= at;
}
