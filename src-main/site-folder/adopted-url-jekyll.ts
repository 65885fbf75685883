import { isRecord, own } from '../storage/json-value.ts';
import { notPost, unknownUrl, type PathOrProblem } from './adopted-path.ts';

/** The permalink styles of Jekyll, except those with week numbers or days of the year. */
const styles: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  none: '/:categories/:title:output_ext',
};

/** Returns the path that Jekyll gives a post. */
export function jekyllPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  config: Readonly<Record<string, unknown>>,
): PathOrProblem {
  const name = /^(.*?)_(?:posts|drafts)\/(?:.*\/)?([^/]+)\.\w+$/.exec(file);
  if (name === null) return notPost;
  const [, folders = '', base = ''] = name;
  const [, dayInName, stem = base] = /^(\d{4}-\d\d-\d\d)-(.+)$/.exec(base) ?? [];
  const given = own(values, 'permalink');
  const collections = own(config, 'collections');
  const posts = isRecord(collections) ? own(collections, 'posts') : undefined;
  const ofPosts = isRecord(posts) ? own(posts, 'permalink') : undefined;
  if (typeof given !== 'string' && JSON.stringify(own(config, 'defaults') ?? '').includes('"permalink"'))
    return unknownUrl;
  const pattern = [given, ofPosts, own(config, 'permalink')].find((one) => typeof one === 'string') ?? 'date';
  if (typeof pattern !== 'string') return unknownUrl;
  const categories = categoriesOf(values, folders, config);
  const day = dayOf(published ?? dayInName, own(config, 'timezone'));
  const needsDay = /:(?!title|slug|categories|output_ext)|^(date|pretty)$/.test(pattern);
  if ((day === undefined && needsDay) || categories === undefined) return unknownUrl;
  const [year = '', month = '', date = ''] = (day ?? '').split('-');
  const slug = own(values, 'slug');
  const wished = typeof slug === 'string' && slug !== '' ? slug : stem;
  if (!/^[\w.~-]+$/.test(wished)) return unknownUrl;
  const title = wished.replace(/-+/g, '-').replace(/^-|-$/g, '');
  const tokens: Readonly<Record<string, string>> = {
    ...{ year, month, day: date, title, slug: title.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase() },
    ...{ short_year: year.slice(2), i_month: String(Number(month)), i_day: String(Number(date)) },
    ...{ categories: categories.join('/'), output_ext: '.html' },
  };
  const unknown: string[] = [];
  const path = (styles[pattern] ?? pattern).replace(/:([a-z_]+)/g, (_token, token: string) => {
    const value = tokens[token];
    if (value === undefined) unknown.push(token);
    return value ?? '';
  });
  if (unknown.length > 0 || /[:*]/.test(path) || !path.includes('/')) return unknownUrl;
  return path.replace(/\/{2,}/g, '/').replace(/(^|\/)index\.html$/, '$1');
}

/** Returns the categories in a post's path; undefined if Jekyll would change their names. */
function categoriesOf(
  values: Readonly<Record<string, unknown>>,
  folders: string,
  config: Readonly<Record<string, unknown>>,
): string[] | undefined {
  const root = own(config, 'collections_dir');
  const inner =
    typeof root === 'string' && folders.startsWith(`${root}/`) ? folders.slice(root.length + 1) : folders;
  const listed = own(values, 'categories');
  const one = own(values, 'category');
  const given = Array.isArray(listed)
    ? (listed as unknown[])
    : typeof listed === 'string'
      ? listed.split(/\s+/)
      : one === undefined || one === null
        ? []
        : [one];
  const names = [...inner.split('/'), ...given.map(String)].filter((name) => name !== '');
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  return lower.every((name) => /^[a-z0-9_-]+$/.test(name)) ? lower : undefined;
}

/**
 * Returns a post's day in the time zone in which the site is built; undefined if that time zone matters but is unknown.
 */
function dayOf(date: string | undefined, timezone: unknown): string | undefined {
  if (date === undefined) return undefined;
  const day = date.slice(0, 10);
  if (date.length === 10) return day;
  const at = new Date(date);
  if (Number.isNaN(at.getTime())) return undefined;
  if (typeof timezone === 'string') {
    try {
      return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' }).format(at);
    } catch {
      return undefined;
    }
  }
  return at.toISOString().slice(0, 10) === day ? day : undefined;
}
