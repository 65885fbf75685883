import { isRecord, own } from '../storage/json-value.ts';
import { topField } from './adopted-file.ts';
import type { GeneratorConfig } from './generator-config.ts';

/** The posts of a folder. `root`: the part of `dir` that isn't in URLs. */
interface Filed {
  readonly dir: string;
  readonly name: string;
  readonly root: string;
}

/** Returns a folder's path below another folder; the whole path if it isn't there. Both end with a slash. */
export const folderBelow = (root: string, dir: string): string =>
  dir.startsWith(root) ? dir.slice(root.length) : dir;

/** The maximum length of a template; see the contract. */
const longestTemplate = 500;

/** Returns the URL template that follows Jekyll's permalinks; null if no template can say the same. */
export function jekyllTemplate(config: GeneratorConfig, { dir, root }: Filed): string | null {
  const pattern = jekyllPattern(config);
  if (pattern === undefined) return null;
  // Jekyll takes the folders above `_posts` for categories.
  const categories = folderBelow(root, dir).replace(/\/?_posts\/.*$/, '');
  return templateOf(pattern, {
    ...dateTokens,
    title: '{slug}',
    slug: '{slug}',
    categories: categories.toLowerCase(),
    output_ext: '.html',
  });
}

/**
 * Returns the URL template that follows Hugo's permalinks; undefined if these say nothing, and null if no template can
 * say the same.
 */
export function hugoTemplate(config: GeneratorConfig, { dir, name, root }: Filed): string | null | undefined {
  if (hasLanguagePaths(config)) return null;
  const parents = folderBelow(root, dir).replace(/\/$/, '');
  const [section = ''] = parents.split('/');
  const pattern = hugoPattern(config, section);
  const isUgly = topField(config, 'uglyURLs', 'hugo') === true;
  if (pattern === undefined && !isUgly) return undefined;
  const file = name.replace(/\.md$/, '');
  const template = templateOf(`${pattern ?? '/:sections/:slug'}/`, {
    ...dateTokens,
    section,
    sections: parents,
    title: '{slug}',
    slug: '{slug}',
    filename: file,
    contentbasename: file,
    slugorfilename: file,
    slugorcontentbasename: file,
  });
  return isUgly && template !== null ? template.replace(/\/$/, '.html') : template;
}

/** Returns whether Hugo may put a page's language into its URL. */
function hasLanguagePaths(config: GeneratorConfig): boolean {
  const languages = topField(config, 'languages', 'hugo');
  const isOneLanguage = languages === undefined || (isRecord(languages) && Object.keys(languages).length < 2);
  return !isOneLanguage || topField(config, 'defaultContentLanguageInSubdir', 'hugo') === true;
}

/**
 * Returns the permalink pattern that Hugo's configuration sets for a section; undefined if it sets none. Newer
 * configurations keep the patterns for pages in a separate table.
 */
function hugoPattern(config: GeneratorConfig, section: string): string | undefined {
  const permalinks = topField(config, 'permalinks', 'hugo');
  if (!isRecord(permalinks)) return undefined;
  const page = own(permalinks, 'page');
  const pattern = own(isRecord(page) ? page : permalinks, section);
  return typeof pattern === 'string' && section !== '' ? pattern : undefined;
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
function jekyllPattern(config: GeneratorConfig): string | undefined {
  if (JSON.stringify(own(config, 'defaults') ?? '').includes('"permalink"')) return undefined;
  const collections = own(config, 'collections');
  const posts = isRecord(collections) ? own(collections, 'posts') : undefined;
  const ofPosts = isRecord(posts) ? own(posts, 'permalink') : undefined;
  const set = [ofPosts, own(config, 'permalink')].find((one) => typeof one === 'string') ?? 'date';
  return patternOf(set);
}

const dateTokens = { year: '{yyyy}', month: '{mm}', day: '{dd}' };

/** Returns a permalink pattern as a URL template; null if a token has no equal. */
function templateOf(pattern: string, tokens: Readonly<Record<string, string>>): string | null {
  let isKnown = !/[{}]/.test(pattern);
  const filled = pattern.replace(/:([a-z_]+)/g, (_token, name: string) => {
    const value = own(tokens, name);
    isKnown &&= typeof value === 'string';
    return typeof value === 'string' ? value : '';
  });
  return isKnown ? usableTemplate(filled) : null;
}

/**
 * Returns the URL template that follows a permalink in a data file of Eleventy; null if no template can say the same.
 * `filed`: the posts to which the file applies.
 */
export function eleventyTemplate(permalink: string, { dir, root }: Filed): string | null {
  const filled = permalink
    .replace(
      /\{\{-?\s{0,9}(?:page\.fileSlug|(?:page\.fileSlug|title|slug)\s{0,9}\|\s{0,9}slug(?:ify)?|slug)\s{0,9}-?\}\}/g,
      '{slug}',
    )
    .replace(/\{\{-?\s{0,9}page\.filePathStem\s{0,9}-?\}\}/g, `/${folderBelow(root, dir)}{slug}`)
    .replace(
      /\{\{-?\s{0,9}page\.date\s{0,9}\|\s{0,9}date:\s{0,9}["']([^"'{}]{0,40})["']\s{0,9}-?\}\}/g,
      (_whole, format: string) =>
        format.replaceAll('%Y', '{yyyy}').replaceAll('%m', '{mm}').replaceAll('%d', '{dd}'),
    );
  return /\{\{|\{%|%/.test(filled) ? null : usableTemplate(filled);
}

function usableTemplate(filled: string): string | null {
  const path = filled
    .replace(/\/{2,}/g, '/')
    .replace(/^\//, '')
    .replace(/(^|\/)index\.html$/, '$1');
  const isUsable =
    path.includes('{slug}') &&
    path.length <= longestTemplate &&
    !/[:*[\]\\?#\s]|(?:^|\/)\.{1,2}(?:\/|$)/.test(path);
  return isUsable ? path : null;
}
