import { jsonIn } from '../storage/json-value.ts';
import { brokenArchive } from './archive.ts';

/** The maximum length of an item, in characters, if the caller states no other, and its maximum nesting depth. */
const usualLongest = 2_000_000;
const deepestItem = 100;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Reads the items of a JSON list one by one, even if the list is very long. The list is either the whole JSON value or
 * its top-level property `key`. Ignores text before the JSON, such as an assignment. Yields undefined for an item that
 * is invalid or too long.
 * @throws PorchlightError `archive_broken` if the text ends within the JSON
 */
export async function* jsonItems(
  chunks: AsyncIterable<string>,
  key: string,
  longestItem = usualLongest,
): AsyncGenerator {
  let depth = 0;
  /** The nesting depth of the list's items; 0 outside the list. */
  let listDepth = 0;
  let isInString = false;
  let isEscaped = false;
  let topKey = '';
  let text = '';
  let hasBegun = false;
  let isRefused = false;
  let hasEnded = false;

  for await (const chunk of chunks) {
    let start = 0;
    /** Adds the characters before `end` to the item or the top-level key that is being read. */
    const collect = (end: number) => {
      const isItem = listDepth > 0;
      if (isItem && hasBegun) {
        if (text.length + end - start > longestItem) isRefused = true;
        text = isRefused ? '' : text + chunk.slice(start, end);
      } else if (!isItem && depth === 1 && isInString && text.length < 1000) text += chunk.slice(start, end);
      start = end;
    };
    // Quoted strings make up most of an archive. `indexOf` skips them faster than a loop would.
    let [nextQuote, nextBackslash] = [-1, -1];
    const found = (character: string, from: number) => {
      const place = chunk.indexOf(character, from);
      return place === -1 ? chunk.length : place;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      if (isInString && !isEscaped) {
        if (nextQuote < at) nextQuote = found('"', at);
        if (nextBackslash < at) nextBackslash = found('\\', at);
        at = Math.min(nextQuote, nextBackslash);
        if (at === chunk.length) break;
      }
      const code = chunk.charCodeAt(at);
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) {
          collect(at);
          isInString = false;
        }
        continue;
      }
      if (code === comma || code === colon || code <= 0x20) {
        if (code === comma && depth === listDepth && hasBegun) {
          collect(at);
          yield isRefused ? undefined : jsonIn(text);
          [text, hasBegun, isRefused] = ['', false, false];
        } else if (code === colon && depth === 1 && listDepth === 0) topKey = text;
        continue;
      }
      if (depth === 0 && (hasEnded || (code !== openList && code !== openObject))) continue;
      if (code === closeList || code === closeObject) {
        if (listDepth > 0 && depth === listDepth) {
          collect(at);
          if (hasBegun) yield isRefused ? undefined : jsonIn(text);
          [text, hasBegun, isRefused, listDepth] = ['', false, false, 0];
        }
        depth -= 1;
        hasEnded ||= depth === 0;
        continue;
      }
      if (listDepth > 0 && depth === listDepth && !hasBegun) [hasBegun, start] = [true, at];
      if (code === quote) {
        isInString = true;
        if (listDepth === 0) [text, start] = ['', at + 1];
      } else if (code === openList || code === openObject) {
        const isWanted = code === openList && (depth === 0 || (depth === 1 && topKey === key));
        depth += 1;
        if (listDepth === 0 && isWanted) [listDepth, text] = [depth, ''];
        if (depth - listDepth > deepestItem) isRefused = true;
      }
    }
    collect(chunk.length);
  }
  if (!hasEnded) throw brokenArchive('A file in it ends too early. Download the archive again.');
}
