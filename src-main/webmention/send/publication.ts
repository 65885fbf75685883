import type { Post } from '../../contract/posts.ts';

/** True where the page of a post can be read by whoever knows its address: others may be told of it. */
export function isReadable({ status, visibility, deletedAt }: Post): boolean {
  return status === 'published' && visibility !== 'private' && deletedAt === null;
}
