import type { Post } from '../../contract/posts.ts';
import { postUrl } from '../address.ts';
import { propertyValues } from '../values.ts';
import { contentMarkup } from './rich-text.ts';

/**
 * Returns a post's content as sanitized HTML, for a window that loads nothing from the web. Pictures, video and audio
 * become links or are replaced by their alt text. Returns an empty string if the post has no content.
 */
export function contentHtml(post: Post, base: string): string {
  const content = propertyValues(post.properties, 'content')[0];
  return contentMarkup(content, base, undefined, postUrl(base, post))?.markup ?? '';
}
