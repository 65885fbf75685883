import { hostIn, plainText } from './plain-text.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const letter = /[\p{L}\p{N}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
/** Code units. A family of four with skin tones has 25; longer sequences are made to disturb. */
const longestEmoji = 32;
/** Characters of a name that are searched for its first letter or emoji. No name needs more. */
const longestName = 500;

/**
 * Returns what stands for a person or app without a picture: the first letter or emoji of the name, else of the host of
 * `address`, "?" where neither has one. A name that is an address counts as its host, so that nobody becomes an H.
 */
export function initialOf(name: string, address = ''): string {
  return firstOf(withoutScheme(name)) ?? firstOf(withoutScheme(address)) ?? '?';
}

function withoutScheme(text: string): string {
  const plain = text.trim().slice(0, longestName);
  return /^https?:\/\//i.test(plain) ? hostIn(plain).replace(/^www\./i, '') : plain;
}

function firstOf(text: string): string | undefined {
  for (const { segment } of graphemes.segment(text)) {
    if (emoji.test(segment) && segment.length <= longestEmoji) return segment;
    const plain = plainText(segment);
    if (letter.test(plain)) return upper(plain);
  }
  return undefined;
}

/** A letter that becomes two in capitals (ß) stays as it is. */
function upper(text: string): string {
  const large = text.toLocaleUpperCase();
  return [...graphemes.segment(large)].length === 1 ? large : text;
}
