import type { Post } from '../contract/posts.ts';
import { publishedAt } from './published.ts';

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
