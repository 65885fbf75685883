import type { Properties } from '../contract/posts.ts';
import { postText } from '../post/content-text.ts';

const longest = 80;
/** In bytes. File systems allow 255 bytes per name; the rest is for suffixes that storage adds (`.json.broken-...`). */
const longestBytes = 200;
const words = 8;

/** Names that a folder of posts uses itself, and names that Windows refuses with any extension. */
const reserved = /^(?:index|feed|page|con|prn|aux|nul|com\d|lpt\d)$/;

/** Latin letters that Unicode normalization does not decompose, with their replacements. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * Turns any text into a slug for a path and a file name: lower-case letters (of any script; Latin letters lose their
 * accents), digits and single hyphens, at most 80 characters. Returns an empty string if nothing usable is left. A
 * clean slug stays unchanged.
 */
export function cleanSlug(text: string): string {
  const slug = shortened(
    // Only the beginning of the text is needed for a slug. Without this limit, a megabyte of mp-slug would take a long
    // time.
    text
      .slice(0, 1000)
      .normalize('NFKD')
      .toLowerCase()
      .normalize('NFKD')
      .replace(/['’\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Me}]/gu, '')
      .replace(/(\p{Script=Latin})[\u0300-\u036f]+/gu, '$1')
      .replace(/[ßæœøđðłþı]/g, (letter) => plain[letter] ?? letter)
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replace(/(?<=^|-)\p{M}+/gu, '')
      .normalize('NFC')
      .replace(/-+/g, '-'),
  );
  return reserved.test(slug) ? `post-${slug}` : slug;
}

/** Returns whether a text is a possible result of cleanSlug. No other text ever becomes part of a file path. */
export const isSlug = (text: string): boolean => text !== '' && cleanSlug(text) === text;

/**
 * Returns the candidate with the number `turn` for a slug that may be taken: `slug` for 1, `slug-2` for 2, and so on,
 * shortened to the length limit.
 */
export function numberedSlug(slug: string, turn: number): string {
  if (turn === 1) return slug;
  const suffix = `-${turn}`;
  return shortened(slug, longest - suffix.length) + suffix;
}

/** The owner's draft has this slug, or this slug with a number, until it is published or the owner chooses another. */
export const draftSlug = 'draft';
export const isDraftSlug = (slug: string): boolean => /^draft(?:-\d+)?$/.test(slug);

/** Returns a slug for a post: from its name, or else its first words, or else `time` (HHMMSS). */
export function slugOf(properties: Properties, time: string): string {
  const name = properties.name?.find((value) => typeof value === 'string') ?? '';
  const text = postText(properties).slice(0, 1000);
  return cleanSlug(name) || cleanSlug(firstWords(text)) || time;
}

function firstWords(text: string): string {
  const said = text.replace(/\bhttps?:\/\/\S+/gi, ' ').match(/[\p{L}\p{M}\p{N}'’]+/gu) ?? [];
  return said.slice(0, words).join(' ');
}

function shortened(slug: string, length = longest): string {
  let short = '';
  let bytes = 0;
  for (const character of slug.replace(/^-+/, '')) {
    bytes += Buffer.byteLength(character);
    if (short.length + character.length > length || bytes > longestBytes) break;
    short += character;
  }
  return short.replace(/-+$/, '');
}
