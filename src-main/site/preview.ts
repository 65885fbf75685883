import type { Post } from '../contract/posts.ts';
import { contentMarkup } from './rich-text.ts';
import { propertyValues } from '../post/values.ts';

/**
 * Returns a post's content as the site shows it, sanitized, for a window that fetches nothing from the web: pictures,
 * video and audio become links or their alt text. Empty if the post has no content.
 */
export function contentHtml({ properties }: Post, base: string): string {
  return contentMarkup(propertyValues(properties, 'content')[0], base)?.markup ?? '';
}
