import type { Post } from '../contract/posts.ts';
import { contentMarkup } from './rich-text.ts';
import { valuesOf } from './values.ts';

/**
 * What a post says as the site shows it, sanitized, for a window that fetches nothing: pictures, video and sound are
 * links, or the words that stand for them. Empty where it says nothing.
 */
export function contentHtml({ properties }: Post, base: string): string {
  return contentMarkup(valuesOf(properties, 'content')[0], base)?.markup ?? '';
}
