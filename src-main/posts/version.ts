import { createHash } from 'node:crypto';
import type { Post } from '../contract/posts.ts';

/**
 * Returns a string that identifies a post's current content. Editors use it to notice changes made elsewhere. Leaves out
 * the syndication links, because Porchlight adds them by itself and no editor shows them.
 */
export function versionOf(post: Omit<Post, 'path'>): string {
  const { type, properties, commands, status, visibility, markdown, deletedAt } = post;
  const written = Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'syndication'));
  const content = [type, written, commands, status, visibility, markdown ?? null, deletedAt];
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
}
