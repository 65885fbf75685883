import type { Properties } from '../contract/posts.ts';
import { contentText } from './content-text.ts';

const longest = 80;
/** File systems allow 255 bytes a name; what storage adds to it (`.json.broken-...`) needs the rest. */
const longestBytes = 200;
const words = 8;

/** Names that a folder uses itself, and those that Windows refuses whatever their ending. */
const reserved = /^(?:index|feed|page|con|prn|aux|nul|com\d|lpt\d)$/;

/** Latin letters that Unicode does not decompose. */
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
 * Makes any text fit for a path and a file name: lower-case letters (of any script, Latin ones without their
 * accents), digits and single hyphens, at most 80 characters. Empty where nothing usable is left. Cleaning what is
 * clean changes nothing.
 */
export function cleanSlug(text: string): string {
  const slug = shortened(
    // A short slug never needs more than this; a megabyte of mp-slug costs no time.
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

/** True for what cleanSlug may have made: nothing else ever becomes part of a file's path. */
export const isSlug = (text: string): boolean => text !== '' && cleanSlug(text) === text;

/** The `turn`-th try for a slug that others have: `slug`, `slug-2`, `slug-3`, still short enough. */
export function numberedSlug(slug: string, turn: number): string {
  if (turn === 1) return slug;
  const suffix = `-${turn}`;
  return shortened(slug, longest - suffix.length) + suffix;
}

/** A slug from what the post says: its name, else its first words, else `time` (HHMMSS). */
export function slugOf(properties: Properties, time: string): string {
  const name = properties.name?.find((value) => typeof value === 'string') ?? '';
  const text = contentText(properties).slice(0, 1000);
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
