import type { Properties } from '../contract/posts.ts';
import { visibleText } from '../untrusted/pages/html-scan.ts';

/**
 * Returns a post's plain text: its first nonempty `content`, or else its `summary`. The text is not escaped, so it must
 * not be inserted as HTML.
 */
export function postText({ content = [], summary = [] }: Properties): string {
  return firstText(content) || firstText(summary);
}

function firstText(values: readonly unknown[]): string {
  for (const value of values) {
    const text = textOf(value).trim();
    if (text !== '') return text;
  }
  return '';
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('value' in value && typeof value.value === 'string') return value.value;
  if ('html' in value && typeof value.html === 'string') return visibleText(value.html);
  return '';
}
