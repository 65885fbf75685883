import { createHash } from 'node:crypto';
import type { Post } from '../contract/posts.ts';

/**
 * Returns a string that identifies the current content of a post. Editors compare it to detect changes by somebody
 * else.
 */
export function versionOf(post: Omit<Post, 'path'>): string {
  const { type, properties, commands, status, visibility, markdown, deletedAt } = post;
  const content = [type, properties, commands, status, visibility, markdown ?? null, deletedAt];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
