import { momentOf, isoDate } from '../formats/reader.ts';
import { isWebUrl, slugIn, type FoundPost } from '../found-post.ts';
import { responseProperties } from '../../contract/post-kinds.ts';
import { isRecord } from '../../storage/json-value.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The publication date of a post, and its slug. */
export interface PostPlaceInSite {
  /** As in `FoundPost.published`. */
  readonly published: string | undefined;
  readonly slug: string | undefined;
  /** The name of the post's file, its slug and its date, which are part of its key (see `FoundPost.key`). */
  readonly key: string;
}

/** Returns a post's date and slug: from its front matter, from its path, or from its original URL. */
export function placeInSite(path: string, fields: Fields): PostPlaceInSite {
  const [, day, named = ''] = /^(\d{4}-\d\d-\d\d)?-?(.*)\.\w+$/.exec(fileNameOf(path)) ?? [];
  const address = addressIn(fields);
  const own = dateText(first(fields, 'date', 'published', 'publishDate', 'pubDate', 'created') ?? day);
  const dates = [own, day, dayInPath(path), dayInPath(address ?? ''), dayInPath(pathIn(fields) ?? '')];
  const date = dates.find((text) => isoDate(text) !== undefined);
  const published = isoDate(date);
  const slug = fieldText(fields['slug']) ?? slugIn(address);
  const byFile = slugIn(`/${encodeURIComponent(named)}`);
  return {
    published,
    slug: slug ?? slugIn(pathIn(fields)) ?? folderOfTranslation(path) ?? byFile,
    key: `${fileNameOf(path)} ${slug ?? byFile ?? ''} ${keyDate(date, published)}`,
  };
}

/** Returns the original URL of a post, or its path. */
export const addressIn = (fields: Fields) => fieldText(first(fields, 'url', 'permalink', 'canonical'));

/** Returns the path of a post in Zola, which has no slash at its start. */
function pathIn(fields: Fields): string | undefined {
  const path = fieldText(fields['path']);
  return path === undefined || path.startsWith('/') ? path : `/${path}`;
}

/** Returns the day in the path of a file or URL, such as `2020/01/02` or `2020-01-02-title`. */
function dayInPath(path: string): string | undefined {
  const [, ...parts] = /(?:^|\/)(\d{4})[/-](\d\d)[/-](\d\d)(?=[/.-]|$)/.exec(path) ?? [];
  return parts.length === 0 ? undefined : parts.join('-');
}

/** Returns the name of a post's file. If the post has a folder of its own, returns the folder's name. */
function fileNameOf(path: string): string {
  const [name = '', folder = ''] = path.split('/').reverse();
  return /^index\.\w+$/.test(name) && folder !== '' ? `${folder}.md` : name;
}

/** Returns the name of a post's own folder, if its file is named after a language: `hello/index.fr.md`. */
const folderOfTranslation = (path: string): string | undefined =>
  slugIn(/([^/]+)\/index\.[a-z]{2,3}(?:-[a-z]{2,8})?\.\w+$/i.exec(path)?.[1]);

/** Returns the text of a date in front matter; undefined if there is none. */
function dateText(value: unknown): string | undefined {
  const text = fieldText(value);
  if (text === undefined || /^\d+$/.test(text)) return undefined; // a number
  // YAML allows a space before the offset, and Jekyll writes one.
  const plain = text.replace(/ (?=(?:Z|[+-]\d\d:?\d\d)$)/, '');
  return isoDate(plain) === undefined ? (wordedDate(text) ?? plain) : plain;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName = /(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?/;
const dayNumber = /(\d{1,2})(?:st|nd|rd|th)?/;
const timeOfDay = /(?:(?:,|T|\s+at)?\s*(\d{1,2}:\d\d(?::\d\d)?)\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?/;
const worded = new RegExp(
  `^(?:[a-z]{3,9}\\.?,?\\s+)?(?:${monthName.source}\\s+${dayNumber.source},?|${dayNumber.source}\\s+${monthName.source},?)\\s+(\\d{4})${timeOfDay.source}$`,
  'i',
);
const numbered = new RegExp(`^(\\d{4})[/-](\\d{1,2})[/-](\\d{1,2})${timeOfDay.source}$`, 'i');

/**
 * Reads a date that JavaScript's Date reads too and that can mean one day only, and returns it in ISO 8601:
 * `Jul 08 2022`, `8 July 2022 10:00`, `2022/7/8`. Returns undefined for any other, such as `07/08/2022`.
 */
function wordedDate(text: string): string | undefined {
  const [, before, day, otherDay, after, itsYear, itsTime, itsOffset] = worded.exec(text) ?? [];
  const [, year = itsYear, number, date, time = itsTime, offset = itsOffset] = numbered.exec(text) ?? [];
  if (year === undefined) return undefined;
  const month = number ?? String(months.indexOf((before ?? after ?? '').slice(0, 3).toLowerCase()) + 1);
  const ofMonth = date ?? day ?? otherDay ?? '';
  const at = time === undefined ? '' : `T${time.padStart(time.length + (time.indexOf(':') % 2), '0')}`;
  const zone = /^(?:utc|gmt)$/i.test(offset ?? '') ? 'Z' : (offset ?? '');
  return `${year}-${month.padStart(2, '0')}-${ofMonth.padStart(2, '0')}${at}${zone}`;
}

/**
 * Returns the date in a post's key. It is the same as in the keys of earlier versions of Porchlight, so that a second
 * import recognizes the post.
 */
function keyDate(text: string | undefined, published: string | undefined): string {
  const isComplete = text === published && /(?:Z|[+-]\d\d:\d\d)$/.test(text ?? '');
  return (isComplete ? text : momentOf(text ?? '')) ?? '';
}

/** Returns the categories of a post. Zola has them in a table of their own. */
export function categoriesIn(fields: Fields): string[] {
  const { taxonomies } = fields;
  const own = [...listOf(fields['tags']), ...listOf(fields['categories']), ...listOf(fields['category'])];
  return isRecord(taxonomies)
    ? [...own, ...listOf(taxonomies['tags']), ...listOf(taxonomies['categories'])]
    : own;
}

export function visibilityIn(fields: Fields): FoundPost['visibility'] {
  if (fields['visibility'] === 'private' || fields['private'] === true) return 'private';
  return fields['visibility'] === 'unlisted' ? 'unlisted' : 'public';
}

/** The properties that say something about a response. */
const answers = ['rsvp', 'read-status'];

/** Returns what a post responds to. Zola has such fields in `extra`. */
export function responsesIn(fields: Fields): Record<string, string[]> {
  const extra = isRecord(fields['extra']) ? fields['extra'] : {};
  const valueOf = (name: string) => {
    const other = name.replaceAll('-', '_');
    return fields[name] ?? fields[other] ?? extra[name] ?? extra[other];
  };
  const found = responseProperties.map(({ name, mayBeName = false }): [string, string[]] => [
    name,
    citedIn(valueOf(name), mayBeName),
  ]);
  const responses = found.filter(([, values]) => values.length > 0);
  if (responses.length === 0) return {};
  const more = answers.map((name): [string, string[]] => [name, listOf(valueOf(name)).slice(0, 1)]);
  return Object.fromEntries([...responses, ...more.filter(([, values]) => values.length > 0)]);
}

/** Returns the URLs in a value of a response property, or the name in it. `value`: text, a list or a citation. */
function citedIn(value: unknown, mayBeName: boolean): string[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => citedIn(one, mayBeName));
  if (isRecord(value)) return citedIn(value['url'] ?? value['name'] ?? value['title'], mayBeName);
  const urls = listOf(value).filter(isWebUrl);
  const name = fieldText(value);
  const isName = mayBeName && name !== undefined && !URL.canParse(name);
  return urls.length === 0 && isName ? [name] : urls;
}

/** Returns the first of some fields that has a value. */
export const first = (fields: Fields, ...names: string[]) =>
  names
    .map((name) => fields[name])
    .find((value) => value !== undefined && value !== null && typeof value !== 'boolean');

/**
 * Returns a value as a string; undefined if the value is empty or has another type. Accepts numbers, because front
 * matter may contain unquoted numbers.
 */
export function fieldText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/**
 * Returns a value as a list of strings. Splits a single string at commas or, if it has none, at spaces (as in Jekyll). A
 * list may contain lists, as the categories of Hexo do.
 */
export function listOf(value: unknown): string[] {
  if (Array.isArray(value))
    return value.flatMap((one: unknown) => (Array.isArray(one) ? one.flatMap(textIn) : textIn(one)));
  const text = fieldText(value);
  if (text === undefined) return [];
  return text.split(text.includes(',') ? ',' : /\s+/).map((part) => part.trim());
}

const textIn = (value: unknown): string[] => [fieldText(value)].flatMap((text) => text ?? []);
