import { visibleText } from '../../untrusted/pages/html-scan.ts';
import { asText, htmlOf } from '../values.ts';
import { oneLine } from '../content-text.ts';

/**
 * The maximum number of characters to read for a title or excerpt. Without this limit, each list would read its long
 * posts to the end.
 */
const readForWords = 20_000;

/** Returns a post's content as text on one line; for very long content, only the beginning. */
export function contentLine(content: unknown): string {
  const rich = htmlOf(content);
  const text =
    rich === undefined
      ? (asText(content) ?? '').slice(0, readForWords)
      : visibleText(rich.slice(0, readForWords));
  return oneLine(text);
}

/** Returns the beginning of a text, with at most `length` characters. If possible, cuts the text between two words. */
export function excerpt(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  const cut = characters.slice(0, length).join('');
  return `${cut.replace(/\s+\S{0,30}$/, '')}…`;
}
