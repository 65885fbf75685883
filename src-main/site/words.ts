import { visibleText } from '../http/strangers/html-scan.ts';
import { asText, htmlOf } from '../post/values.ts';
import { oneLine } from '../post/content-text.ts';

/**
 * How many characters to read for a title or excerpt, so that a page that lists long posts does not read them to the
 * end.
 */
const readForWords = 20_000;

/** Returns the text of a post's content on one line; for very long content, the text of its beginning. */
export function contentLine(content: unknown): string {
  const rich = htmlOf(content);
  const text =
    rich === undefined
      ? (asText(content) ?? '').slice(0, readForWords)
      : visibleText(rich.slice(0, readForWords));
  return oneLine(text);
}

/** Returns the beginning of a text, at most `length` characters long and cut between words. */
export function excerpt(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  const cut = characters.slice(0, length).join('');
  return `${cut.replace(/\s+\S{0,30}$/, '')}…`;
}
