import { createHash } from 'node:crypto';
import type { Post } from '../contract/posts.ts';

/** Returns a string that identifies a post's current content. Editors use it to notice changes made elsewhere. */
export function versionOf(post: Omit<Post, 'path'>): string {
  const { type, properties, commands, status, visibility, markdown, deletedAt } = post;
  const content = [type, properties, commands, status, visibility, markdown ?? null, deletedAt];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
