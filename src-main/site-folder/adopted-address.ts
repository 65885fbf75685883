import { isDeepStrictEqual } from 'node:util';
import type { Generator, SiteFolderSettings } from '../contract/site-folder.ts';
import type { Problem } from '../untrusted/front-matter.ts';
import { topField } from './adopted-file.ts';

/** The settings that decide which addresses can belong to a file. */
export type AdoptionSite = Pick<SiteFolderSettings, 'generator' | 'baseUrl' | 'postUrl'>;

/** The problem with a file for which no page or more than one page is online. */
export const notOnline: Problem = {
  problem: 'Your site’s sitemap or feed doesn’t have exactly one address that fits it.',
};

/** What a file says about the address of its page. All words are compared as `plainWord` returns them. */
export interface AddressClaim {
  /** The whole path that the front matter sets; undefined if it sets none. */
  readonly path: string | undefined;
  /** The names that the last part of the path can have, the likeliest first. */
  readonly names: readonly string[];
  readonly folders: readonly string[];
  readonly categories: readonly string[];
  /** The publication date (ISO 8601). */
  readonly published: string | undefined;
  /** Other words that the front matter puts into the path. */
  readonly words: readonly string[];
}

/** Folders that no generator shows in addresses. */
const rootFolders = new Set(['content', 'src', 'source', 'site', 'input', 'pages']);

/** Returns what a file says about the address of its page. `file`: its path, relative to the folder. */
export function addressClaim(
  file: string,
  values: Readonly<Record<string, unknown>>,
  { published, categories }: Pick<AddressClaim, 'published' | 'categories'>,
  generator: Generator,
): AddressClaim {
  const text = (name: string) => {
    const value = topField(values, name, generator);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const parts = file.replace(/\.\w+$/, '').split('/');
  const last = parts.pop() ?? '';
  const stem = last === 'index' ? (parts.pop() ?? '') : last;
  const given = text({ hugo: 'url', zola: 'path' }[generator as string] ?? 'permalink');
  const isPattern = given !== undefined && /[:{]/.test(given);
  const path = given === undefined || isPattern ? undefined : plainPath(given);
  const slug = text('slug');
  const named = [stem, stem.replace(/^\d{4}-\d\d-\d\d[-_](?=.)/, '')];
  // Hugo can make addresses from titles.
  const title = generator === 'hugo' ? text('title') : undefined;
  const names =
    path !== undefined ? [nameIn(given ?? '')] : slug !== undefined ? [slug] : [...named, title ?? ''];
  return {
    path,
    names: [...new Set(names.map(plainWord))].filter((name) => name !== ''),
    folders: parts.filter((part) => !part.startsWith('_')).map(plainWord),
    categories: categories.map(plainWord),
    published,
    words: isPattern && generator === 'jekyll' ? literals(given) : [],
  };
}

/**
 * Returns whether an address can be that of a file's page: the file explains each part of the path, and the path isn't
 * shorter than this site's paths of posts are.
 */
export function fits(
  claim: AddressClaim,
  url: string,
  { generator, baseUrl, postUrl }: AdoptionSite,
): boolean {
  const below = pathBelow(baseUrl, url);
  if (below === undefined) return false;
  if (claim.path !== undefined) return plainPath(below) === claim.path;
  if (!claim.names.includes(nameIn(below))) return false;
  const folders = foldersIn(below);
  const dates = datesOf(claim.published);
  const words = new Set([
    ...claim.folders,
    ...claim.categories,
    ...claim.words,
    ...literals(postUrl),
    ...dates,
  ]);
  if (!folders.every((word) => words.has(word))) return false;
  const isFiled =
    generator !== 'jekyll' && claim.folders.every((word) => folders.includes(word) || rootFolders.has(word));
  const isDated = folders.filter((word) => dates.includes(word)).join('').length >= 3;
  const isUsual = postUrl !== '' && folders.length === foldersIn(postUrl).length;
  return isFiled || isDated || isUsual || claim.words.length > 0;
}

/** Returns whether a change of a file can change the address of its page. */
export function movesPost(before: AddressClaim, after: AddressClaim, url: string, baseUrl: string): boolean {
  const below = pathBelow(baseUrl, url) ?? '';
  const folders = foldersIn(below);
  const used = ({ path, names, categories, published, words }: AddressClaim) => [
    path ?? names.includes(nameIn(below)),
    words,
    datesOf(published).some((word) => folders.includes(word)) && published?.slice(0, 10),
    categories.some((word) => folders.includes(word)) && categories,
  ];
  return !isDeepStrictEqual(used(before), used(after));
}

/** Returns the path of an address below the site's own, without a slash at its start; undefined if it isn't below. */
export function pathBelow(baseUrl: string, url: string): string | undefined {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const { origin, pathname, search } = new URL(url);
  const isBelow = origin === base.origin && pathname.startsWith(base.pathname) && search === '';
  return isBelow ? pathname.slice(base.pathname.length) : undefined;
}

/** Returns the last part of a path in its plain form, without its extension. */
export const nameIn = (path: string): string =>
  plainWord((partsOf(path).at(-1) ?? '').replace(/\.html?$/, ''));

/** Returns the number of parts in the path of a URL. */
export const segmentCount = (url: string): number => partsOf(new URL(url).pathname).length;

const partsOf = (path: string) =>
  path
    .replace(/(^|\/)index\.html$/, '$1')
    .split('/')
    .filter((part) => part !== '');
const foldersIn = (path: string) => partsOf(path).slice(0, -1).map(plainWord);
const plainPath = (path: string) => partsOf(path).map(plainWord).join('/');
const literals = (template: string) =>
  partsOf(template)
    .filter((part) => !/[:{]/.test(part))
    .map(plainWord);

/** Returns a word in the form in which words are compared, because generators change case, accents and signs. */
function plainWord(text: string): string {
  let plain = text;
  try {
    plain = decodeURIComponent(text);
  } catch {
    // A percent sign that encodes nothing stays.
  }
  return plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** Returns the parts of a date as addresses show them. A time can be on the day before or after in another time zone. */
function datesOf(published: string | undefined): string[] {
  const at = Date.parse(published?.slice(0, 10) ?? '');
  if (published === undefined || Number.isNaN(at)) return [];
  const days = published.length > 10 ? [-1, 0, 1] : [0];
  return days.flatMap((day) => {
    const [year = '', month = '', date = ''] = new Date(at + day * 86_400_000)
      .toISOString()
      .slice(0, 10)
      .split('-');
    return [year, year.slice(2), month, date, String(Number(month)), String(Number(date))];
  });
}
