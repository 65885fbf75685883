import { shortTitle } from '../contract/activity.ts';
import { type Properties, withShortAddresses } from '../contract/posts.ts';
import { visibleText } from '../untrusted/pages/html-scan.ts';

/**
 * The maximum number of characters of HTML to read for a title, an excerpt or the kind of a post. Without this limit,
 * each list would read its long posts to the end.
 */
export const readForWords = 20_000;

/**
 * Returns a post's plain text: its first nonempty `content`, or else its `summary`. The text is not escaped, so it must
 * not be inserted as HTML. `most`: how much of HTML to read, in characters.
 */
export function postText({ content = [], summary = [] }: Properties, most = readForWords): string {
  return firstText(content, most) || firstText(summary, most);
}

/** Returns the title of a post for sentences: its name, or else the beginning of its text; empty if it has neither. */
export function titleInWords(properties: Properties): string {
  const name = properties.name?.find((value) => typeof value === 'string') ?? '';
  return shortTitle(name) || shortTitle(withShortAddresses(postText(properties).slice(0, 1000)));
}

function firstText(values: readonly unknown[], most: number): string {
  for (const value of values) {
    const text = shownText(value, most).trim();
    if (text !== '') return text;
  }
  return '';
}

function shownText(value: unknown, most: number): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  if ('value' in value && typeof value.value === 'string') return value.value;
  if ('html' in value && typeof value.html === 'string') return visibleText(value.html.slice(0, most));
  return '';
}
