import type { Post } from '../contract/posts.ts';
import { publishedAt } from './published.ts';

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

/** Returns whether a post is meant for everybody who knows its URL, now or from its publication date on. */
export function isOpen({ status, visibility, deletedAt }: Post): boolean {
  return deletedAt === null && status === 'published' && visibility !== 'private';
}

/** Returns whether a post was public at a time (ms). Until its publication date, a post is as private as a draft. */
function wasOpen(post: Post, at: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= at;
}
