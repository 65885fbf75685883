import type { Post } from '../contract/posts.ts';
import { publishedAt } from '../contract/published.ts';
import type { ReadFilter } from './reader.ts';

/** What lists and feeds show at `now` (ms): never drafts, private or unlisted posts, nor those still to come. */
export function listedBy(now: number): ReadFilter {
  return { status: 'published', visibility: 'public', publishedBy: now };
}

/** True where the post's own page may be read at `now` (ms) by whoever knows its address. */
export function isReadable(post: Post, now: number): boolean {
  return post.deletedAt === null && wasOpen(post, now);
}

/** True where the post was for the public and is gone: its page says so with 410 (Webmention 3.1.5). */
export function isTombstone(post: Post): boolean {
  return post.deletedAt !== null && wasOpen(post, Date.parse(post.deletedAt));
}

/** Checked here too, whatever the reader answers: a post that slips into a list can not be called back. */
export function isListed(post: Post, now: number): boolean {
  return isReadable(post, now) && post.visibility === 'public';
}

/** A post whose date is still to come is as private as a draft. */
function wasOpen(post: Post, at: number): boolean {
  return post.status === 'published' && post.visibility !== 'private' && publishedAt(post) <= at;
}
