import type { Properties } from '../contract/posts.ts';
import { namesIn } from '../storage/file-facts.ts';
import { postText } from './content-text.ts';

/** The location of a stored post: its month, and its slug in that month. */
export interface PostPlace {
  /** The year and the month, such as `2026/11`. */
  readonly month: string;
  readonly slug: string;
}

/** Returns the URL path of a post, in ASCII: `/posts/2026/11/slug`. */
export const postPath = ({ month, slug }: PostPlace) => `/posts/${month}/${encodeURIComponent(slug)}`;

/**
 * Returns the location of the post with the given path, percent-encoded or not; undefined if no post can have this
 * path.
 */
export function postPlace(path: string): PostPlace | undefined {
  const [, month, encoded] = /^\/posts\/(\d{4}\/(?:0[1-9]|1[0-2]))\/([^/?#]{1,2000})\/?$/.exec(path) ?? [];
  if (month === undefined || encoded === undefined) return undefined;
  const slug = percentDecoded(encoded);
  return slug !== undefined && isSlug(slug) ? { month, slug } : undefined;
}

/** Returns a text without percent-encoding; undefined if the encoding isn't valid. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const longest = 80;
/**
 * The maximum length of a slug in bytes. File systems allow 255 bytes per name, and suffixes (`.json.broken-...`) need
 * the rest.
 */
const longestBytes = 200;
const words = 8;

/** Names that usually have a special meaning in a folder or URL, and names that Windows refuses with any extension. */
const reserved = /^(?:index|feed|page|con|prn|aux|nul|com\d|lpt\d)$/;

/** Replacements for Latin letters that Unicode normalization does not decompose. */
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
 * Turns any text into a slug for paths and file names: lower-case letters of any script, digits and single hyphens, at
 * most 80 characters. Latin letters lose their accents. Returns an empty string if nothing is left. A valid slug stays
 * unchanged.
 */
export function cleanSlug(text: string): string {
  const slug = shortened(
    // A client may send a slug that is a megabyte long, so use only the beginning.
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

/** Returns whether `text` is a possible result of cleanSlug. No other string ever becomes part of a file path. */
export const isSlug = (text: string): boolean =>
  plainSlug.test(text) ? !reserved.test(text) : text !== '' && cleanSlug(text) === text;

/** Most slugs. `cleanSlug` changes only those that are reserved, and takes long to find that out. */
const plainSlug = /^(?=.{1,80}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Returns a slug with a number: `slug` for 1, `slug-2` for 2, and so on, within the length limit. */
export function numberedSlug(slug: string, turn: number): string {
  if (turn === 1) return slug;
  const suffix = `-${turn}`;
  return shortened(slug, longest - suffix.length) + suffix;
}

/**
 * The slug of the owner's drafts, with a number if it is taken (`draft-2`). Such a draft gets another slug when it is
 * published, or when the owner chooses one.
 */
export const draftSlug = 'draft';
export const isDraftSlug = (slug: string): boolean => /^draft(?:-\d+)?$/.test(slug);

/** Returns a slug made from a post's name or its first words; `time` (HHMMSS) if it has neither. */
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

interface MonthFolder {
  /** The slugs of the documents in the folder. */
  documents: Set<string>;
  /** All slugs in use, including those of broken documents that were moved aside. */
  taken: Set<string>;
  /** The names of the files in which a program that synchronizes the folder kept another version of a document. */
  conflicts: string[];
}

/** The names that Dropbox, Nextcloud (`conflicted copy`) and Syncthing (`sync-conflict`) give such files. */
const conflicted = /\(.*conflicted copy.*\)|\.sync-conflict-\d{8}-\d{6}/i;

/**
 * Returns whether a name is that of a document with something added that no document's name contains, as programs add it
 * that say nothing of a conflict: iCloud (`dinner 2.json`), Google Drive (`dinner (1).json`) and OneDrive
 * (`dinner-DESKTOP-4F2A.json`, with the computer's name).
 */
function isAnotherVersion(name: string, documents: ReadonlySet<string>): boolean {
  const [, stem] = /^(.+)\.json$/.exec(name) ?? [];
  if (stem === undefined || isSlug(stem)) return false;
  return [...stem.matchAll(/[\s([_-]/g)].some(({ index }) => documents.has(stem.slice(0, index).trimEnd()));
}

/** Returns the slugs in a month's folder. A missing folder counts as empty. */
export async function readMonthFolder(dir: string): Promise<MonthFolder> {
  const documents = new Set<string>();
  const taken = new Set<string>();
  const names = await namesIn(dir);
  for (const name of names) {
    const [, slug, rest] = /^(.+?)\.json(|\..+)$/.exec(name) ?? [];
    if (slug === undefined || !isSlug(slug) || rest === '.tmp') continue;
    taken.add(slug);
    if (rest === '') documents.add(slug);
  }
  const conflicts = names.filter((name) => conflicted.test(name) || isAnotherVersion(name, documents));
  return { documents, taken, conflicts };
}
