import type { Post } from '../../contract/posts.ts';

/** Returns whether anyone who knows a post's URL can read the post, so that other sites may be notified of it. */
export function isReadable({ status, visibility, deletedAt }: Post): boolean {
  return status === 'published' && visibility !== 'private' && deletedAt === null;
}
