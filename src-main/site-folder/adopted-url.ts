import type { SiteFolderSettings } from '../contract/site-folder.ts';
import { isRecord, own } from '../storage/json-value.ts';
import type { Problem } from '../untrusted/front-matter.ts';
import { topField } from './adopted-file.ts';

/**
 * Returns the URL of a file's page, or a problem if the URL is uncertain. `published`: the publication date (ISO 8601).
 */
export function adoptedUrl(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  rules: AdoptionRules,
): { readonly url: string } | Problem {
  const path = pathOf(file, values, published, rules);
  if (typeof path !== 'string') return path;
  const base = rules.baseUrl.endsWith('/') ? rules.baseUrl : `${rules.baseUrl}/`;
  // Refuses characters whose meaning in a URL may differ from that in a file name.
  if (/[^\p{L}\p{M}\p{N}/._~!$&'()+,;=@-]/u.test(path) || /(^|\/)\.\.?(\/|$)/.test(path)) return unknownUrl;
  const relative = path.replace(/^\/+/, '');
  if (!URL.canParse(base) || relative.includes('//')) return unknownUrl;
  return { url: new URL(new URL(base).pathname + relative, base).href };
}

function pathOf(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  rules: AdoptionRules,
): PathOrProblem {
  switch (rules.generator) {
    case 'hugo':
      return hugoPath(file, values, published, rules.config);
    case 'jekyll':
      return jekyllPath(file, values, published, rules.config);
    case 'eleventy':
      return eleventyPath(file, values, rules.inputFolder);
    case 'zola':
      return zolaPath(file, values, rules.config);
    default:
      return templatePath(file, values, published, rules);
  }
}

function eleventyPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  inputFolder: string | undefined,
): PathOrProblem {
  const permalink = own(values, 'permalink');
  if (permalink === false) return noPage;
  if (typeof permalink === 'string') {
    if (/\{[{%#]/.test(permalink)) return unknownUrl;
    return permalink.replace(/(^|\/)index\.html$/, '$1');
  }
  if (permalink !== undefined || inputFolder === undefined) return unknownUrl;
  const prefix = inputFolder === '' ? '' : `${inputFolder}/`;
  if (!file.startsWith(prefix) || /(^|\/)[_.]/.test(file.slice(prefix.length))) return notPost;
  const [folder, name] = split(withoutExtension(file.slice(prefix.length)));
  if (name.includes('.')) return unknownUrl;
  return name === 'index' ? folder : `${folder}${name}/`;
}

function zolaPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): PathOrProblem {
  if (!file.startsWith('content/')) return notPost;
  const inner = withoutExtension(file.slice('content/'.length));
  const [folder, fileName] = split(inner);
  if (fileName === '_index') return notPost;
  if (own(values, 'render') === false) return noPage;
  const path = own(values, 'path');
  if (typeof path === 'string' && path !== '') return `${path.replace(/\/+$/, '')}/`;
  const slugs = own(config, 'slugify');
  const isOrdinary = slugs === undefined || (isRecord(slugs) && (own(slugs, 'paths') ?? 'on') === 'on');
  const [parent, last] = fileName === 'index' ? split(folder.replace(/\/$/, '')) : [folder, fileName];
  const given = own(values, 'slug');
  const slug =
    typeof given === 'string' && given !== '' ? given : last.replace(/^\d{4}-\d\d-\d\d[-_](?=.)/, '');
  const whole = `${parent}${slug}`;
  // Accepts only names with lower-case letters, digits and `-`. Zola may change other characters in a URL, or treat the
  // part after a dot as a language code.
  if (!isOrdinary || !/^[a-z0-9]+([/-][a-z0-9]+)*$/.test(whole)) return unknownUrl;
  return `${whole}/`;
}

/** Matches a file's path against the file name template, and inserts the values into the URL template. */
function templatePath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  { generator, postFile, postUrl }: AdoptionRules,
): PathOrProblem {
  const names: string[] = [];
  const pattern = withoutExtension(postFile).replace(
    /\{(\w+)\}|[.*+?^${}()|[\]\\]/g,
    (sign, name?: string) => {
      if (name === undefined) return `\\${sign}`;
      names.push(name);
      return name === 'yyyy' ? '(\\d{4})' : name === 'mm' || name === 'dd' ? '(\\d\\d)' : '([^/]+)';
    },
  );
  const found = new RegExp(`^${pattern}$`, 'u').exec(withoutExtension(file));
  if (postFile === '' || postUrl === '' || found === null) return notPost;
  const filled = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const value = found[index + 1] ?? '';
    if ((filled.get(name) ?? value) !== value) return notPost;
    filled.set(name, value);
  }
  const slug = topField(values, 'slug', generator);
  if (typeof slug === 'string' && slug !== '') {
    // In Astro, a slug in the front matter replaces the whole name of the page. If the URL template combines `{slug}`
    // with other text in that name, the URL can't be determined.
    if (/[^/]\{slug\}|\{slug\}[^/]/.test(postUrl)) return unknownUrl;
    filled.set('slug', slug);
  }
  const [, yyyy = '', mm = '', dd = ''] = /^(\d{4})-(\d\d)-(\d\d)/.exec(published ?? '') ?? [];
  for (const [name, value] of Object.entries({ yyyy, mm, dd }))
    if (!filled.has(name)) filled.set(name, value);
  const parts = [...postUrl.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => filled.get(name) ?? '');
  if (parts.includes('')) return unknownUrl;
  return postUrl.replace(/\{(\w+)\}/g, (_whole, name: string) => filled.get(name) ?? '');
}

/** Returns the path that Hugo gives a page. */
function hugoPath(
  file: string,
  values: Readonly<Record<string, unknown>>,
  published: string | undefined,
  config: Readonly<Record<string, unknown>>,
): PathOrProblem {
  const setting = (name: string) => topField(config, name, 'hugo');
  const field = (name: string) => topField(values, name, 'hugo');
  const content = setting('contentDir') ?? 'content';
  if (typeof content !== 'string' || !file.startsWith(`${content}/`)) return notPost;
  const [folder, name] = split(withoutExtension(file.slice(content.length + 1)));
  if (name === '_index') return notPost;
  if (field('headless') === true || isRecord(field('build')) || isRecord(field('_build'))) return noPage;
  if (field('expiryDate') !== undefined) return { problem: 'It expires, so its page may be gone.' };
  if (hasLanguagePaths(config)) return unknownUrl;
  const url = field('url');
  if (typeof url === 'string' && url !== '') return explicitPath(url);
  // With these settings, a page's URL depends on the version of Hugo, so Porchlight can't determine it.
  const special = [
    'uglyURLs',
    'disablePathToLower',
    'removePathAccents',
    'frontmatter',
    'cascade',
    'outputFormats',
  ];
  if (special.some((one) => setting(one) !== undefined && setting(one) !== false)) return unknownUrl;
  const [parent, last] = name === 'index' ? split(folder.replace(/\/$/, '')) : [folder, name];
  const given = field('slug');
  const slug = typeof given === 'string' && given !== '' ? given : undefined;
  const section = parent.split('/')[0] ?? '';
  const pattern = hugoPattern(config, section);
  const path =
    pattern === undefined
      ? `${parent}${slug ?? last}/`
      : filled(pattern, { parent, section, slug, last, title: field('title'), published });
  // Accepts only names with letters, digits, `_` and `-`. Hugo may change other characters in a URL, or treat the part
  // after a dot as a language code.
  return path !== undefined && /^\/?([a-z0-9_]+(-[a-z0-9_]+)*\/)*$/i.test(path)
    ? path.toLowerCase()
    : unknownUrl;
}

function explicitPath(url: string): PathOrProblem {
  if (/^[a-z]+:|:/i.test(url)) return unknownUrl;
  return url.endsWith('/') || url.includes('.') ? url.replace(/(^|\/)index\.html$/, '$1') : `${url}/`;
}

/** Returns whether Hugo may put a page's language into its URL. */
export function hasLanguagePaths(config: Readonly<Record<string, unknown>>): boolean {
  const languages = topField(config, 'languages', 'hugo');
  const isOneLanguage = languages === undefined || (isRecord(languages) && Object.keys(languages).length < 2);
  return !isOneLanguage || topField(config, 'defaultContentLanguageInSubdir', 'hugo') === true;
}

/**
 * Returns the permalink pattern that Hugo's configuration sets for a section; undefined if it sets none. Newer
 * configurations keep the patterns for pages in a separate table.
 */
export function hugoPattern(config: Readonly<Record<string, unknown>>, section: string): string | undefined {
  const permalinks = topField(config, 'permalinks', 'hugo');
  if (!isRecord(permalinks)) return undefined;
  const page = own(permalinks, 'page');
  const pattern = own(isRecord(page) ? page : permalinks, section);
  return typeof pattern === 'string' && section !== '' ? pattern : undefined;
}

interface Parts {
  readonly parent: string;
  readonly section: string;
  readonly slug: string | undefined;
  readonly last: string;
  readonly title: unknown;
  readonly published: string | undefined;
}

function filled(
  pattern: string,
  { parent, section, slug, last, title, published }: Parts,
): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(published ?? '') ?? [];
  const fromTitle = typeof title === 'string' && /^[A-Za-z0-9 -]+$/.test(title) ? title.trim() : undefined;
  const named = fromTitle?.replace(/[ -]+/g, '-');
  const tokens: Readonly<Record<string, string | undefined>> = {
    year,
    month,
    day,
    section,
    sections: parent.replace(/\/$/, ''),
    title: named,
    filename: last,
    slug: slug ?? named,
    slugorfilename: slug ?? last,
    contentbasename: last,
    slugorcontentbasename: slug ?? last,
  };
  const unknown: string[] = [];
  const path = pattern.replace(/:(\w+)/g, (_token, name: string) => {
    const value = tokens[name];
    if (value === undefined || value === '') unknown.push(name);
    return value ?? '';
  });
  return unknown.length === 0 && !/[:[\]]/.test(path) ? `${path.replace(/\/$/, '')}/` : undefined;
}

/** The permalink styles of Jekyll, except those with week numbers or days of the year. */
const styles: Readonly<Record<string, string>> = {
  date: '/:categories/:year/:month/:day/:title:output_ext',
  pretty: '/:categories/:year/:month/:day/:title/',
  none: '/:categories/:title:output_ext',
};

const patternOf = (permalink: string): string => (own(styles, permalink) ?? permalink) as string;

/**
 * Returns the permalink pattern that Jekyll's configuration sets for posts; undefined if its default values set another
 * one for some of them.
 */
export function jekyllPattern(config: Readonly<Record<string, unknown>>): string | undefined {
  if (JSON.stringify(own(config, 'defaults') ?? '').includes('"permalink"')) return undefined;
  const collections = own(config, 'collections');
  const posts = isRecord(collections) ? own(collections, 'posts') : undefined;
  const ofPosts = isRecord(posts) ? own(posts, 'permalink') : undefined;
  const set = [ofPosts, own(config, 'permalink')].find((one) => typeof one === 'string') ?? 'date';
  return patternOf(set);
}

/** Returns the path that Jekyll gives a post. */
function jekyllPath(
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
  const pattern = typeof given === 'string' ? patternOf(given) : jekyllPattern(config);
  if (pattern === undefined) return unknownUrl;
  const categories = categoriesOf(values, folders, config);
  const day = dayOf(published ?? dayInName, own(config, 'timezone'));
  const needsDay = /:(?!title|slug|categories|output_ext)/.test(pattern);
  if ((day === undefined && needsDay) || categories === undefined) return unknownUrl;
  const [year = '', month = '', date = ''] = (day ?? '').split('-');
  const slug = own(values, 'slug');
  const wished = typeof slug === 'string' && slug !== '' ? slug : stem;
  if (!/^[\w.~-]+$/.test(wished)) return unknownUrl;
  const title = wished.replace(/-+/g, '-').replace(/^-|-$/g, '');
  const tokens: Readonly<Record<string, string>> = {
    year,
    month,
    day: date,
    title,
    slug: title.replace(/[^A-Za-z0-9]+/g, '-').toLowerCase(),
    short_year: year.slice(2),
    i_month: String(Number(month)),
    i_day: String(Number(date)),
    categories: categories.join('/'),
    output_ext: '.html',
  };
  const unknown: string[] = [];
  const path = pattern.replace(/:([a-z_]+)/g, (_token, token: string) => {
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

/**
 * The rules that determine the URLs of adopted files, which are files in the owner's folder that Porchlight didn't
 * publish.
 */
export interface AdoptionRules extends Pick<
  SiteFolderSettings,
  'generator' | 'baseUrl' | 'postFile' | 'postUrl'
> {
  /** The generator's own configuration; empty if it can't be read as data. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * For Eleventy: the input folder (`src`, or empty). Absent if the configuration may change URLs in a way that
   * Porchlight can't determine.
   */
  readonly inputFolder?: string;
}

/** The result of applying a generator's rules: a path below the site's address, or the reason why there is none. */
type PathOrProblem = string | Problem;

const unknownUrl: Problem = { problem: 'Its URL can’t be known from the file and the configuration.' };
const noPage: Problem = { problem: 'It has no page of its own.' };
const notPost: Problem = { problem: 'It isn’t in a folder of posts.' };

/** Returns the folder of a path, with its trailing `/`, and the file name. */
function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

const withoutExtension = (file: string) => file.replace(/\.\w+$/, '');
