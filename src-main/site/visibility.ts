import type { Post } from '../contract/posts.ts';
import type { ReadFilter } from './reader.ts';

/** What lists and feeds show: never drafts, private or unlisted posts. */
export const listed = { status: 'published', visibility: 'public' } as const satisfies ReadFilter;

/** True where the post's own page may be read by whoever knows its address. */
export function isReadable(post: Post): boolean {
  return isOpen(post) && post.deletedAt === null;
}

/** True where the post was for the public and is gone: its page says so with 410 (Webmention 3.1.5). */
export function isTombstone(post: Post): boolean {
  return isOpen(post) && post.deletedAt !== null;
}

/** Checked here too, whatever the reader answers: a post that slips into a list can not be called back. */
export function isListed(post: Post): boolean {
  return isReadable(post) && post.visibility === 'public';
}

function isOpen({ status, visibility }: Post): boolean {
  return status === 'published' && visibility !== 'private';
}
