import type { Generator } from '../contract/site-folder.ts';
import { isRecord, own } from '../storage/json-value.ts';
import { configValues } from '../untrusted/front-matter.ts';
import { folderIn } from './folder-reader.ts';

/** The title and the address in a generator's configuration file. `problem`: why the file can't be read. */
export interface FoundConfig {
  readonly generator: Generator;
  readonly file: string;
  readonly title: string;
  readonly baseUrl: string;
  readonly problem?: string;
  /** Whether the file exceeds the limits for reading it. */
  readonly isRefused?: boolean;
}

/** A file of the owner's folder. `file`: its path, whose ending names the format. */
interface ConfigFile {
  readonly file: string;
  readonly text: string;
}

/** A configuration file of a generator. */
interface GeneratorFile extends ConfigFile {
  readonly generator: Generator;
}

const isScript = /\.(?:js|cjs|mjs|ts|mts)$/;
const longestSiteAddress = 2000;

/** Returns the title and address in a configuration file; undefined if it belongs to another generator. */
export function siteConfig({ generator, file, text }: GeneratorFile): FoundConfig | undefined {
  const unread = { generator, file, title: '', baseUrl: '' };
  if (isScript.test(file)) {
    const site = generator === 'astro' ? webAddressIn(textInScript(text, 'site')) : '';
    const base = textInScript(text, 'base').replace(/^\/?/, '/');
    return {
      ...unread,
      baseUrl: site !== '' && new URL(site).pathname === '/' ? webAddressIn(new URL(base, site).href) : site,
    };
  }
  const values = configValues(file, text);
  if (values === undefined) return { ...unread, problem: `${file} can’t be read, because it isn’t valid.` };
  const base = textAt(values, 'base_url');
  if (generator === 'zola' && base === '') return undefined;
  // In Jekyll, the site's address is `url`, which has no path, followed by `baseurl`, which is the path.
  const jekyllPath = generator === 'jekyll' ? textAt(values, 'baseurl') : '';
  const address = base || textAt(values, 'baseURL', 'baseurl') || textAt(values, 'url') + jekyllPath;
  return { generator, file, title: textAt(values, 'title').slice(0, 200), baseUrl: webAddressIn(address) };
}

/** Returns the site's address in one of Eleventy's data files; empty if the file has none. */
export function siteAddress({ file, text }: ConfigFile): string {
  const url = isScript.test(file) ? textInScript(text, 'url') : textAt(configValues(file, text) ?? {}, 'url');
  return webAddressIn(url);
}

function textAt(values: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === 'string') return value.trim();
  }
  return '';
}

function webAddressIn(text: string): string {
  if (text.length > longestSiteAddress || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return '';
  const url = new URL(text);
  const isExample = /(^|\.)example\.(?:org|com|net)$/.test(url.hostname);
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return isExample ? '' : url.href;
}

const longestName = 200;

/** Matches a version of Hugo in a line of a build file, such as `HUGO_VERSION = "0.111.3"` or `extended_0.111.3`. */
const hugoVersion = /(?<![\d.])0\.(\d{1,3})(?!\d)/;

/** Returns the minor version of Hugo that a build file names, such as 111 for 0.111.3; undefined if it names none. */
export function hugoMinor({ text }: ConfigFile): number | undefined {
  for (const { index } of text.matchAll(/hugo/gi)) {
    // The version is in the same line, at most 60 characters after the name.
    const [rest = ''] = text.slice(index + 4, index + 72).split('\n', 1);
    const [found, minor] = hugoVersion.exec(rest) ?? [];
    if (found !== undefined && rest.indexOf(found) <= 60) return Number(minor);
  }
  return undefined;
}

/**
 * Returns what Jekyll's configuration says about redirects and the layout of posts. `hasDefaults`: whether the file
 * sets default values, so that the defaults in another file don't count.
 */
export function jekyllConfig({ file, text }: ConfigFile) {
  const config = configValues(file, text) ?? {};
  const plugins = [own(config, 'plugins'), own(config, 'gems')].flat();
  const defaults = own(config, 'defaults');
  const found = (Array.isArray(defaults) ? defaults : []).flatMap((one: unknown) => {
    const [scope, values] = [valueOf(one, 'scope'), valueOf(one, 'values')];
    const layout = valueOf(values, 'layout');
    const isForPosts = [undefined, 'posts'].includes(textOf(valueOf(scope, 'type')));
    const isForAll = /^(?:_posts\/?)?$/.test(textOf(valueOf(scope, 'path')) ?? '');
    return isForPosts && isForAll && typeof layout === 'string' ? [layout] : [];
  });
  const postLayout = found.at(-1);
  return {
    hasRedirectFrom: plugins.includes('jekyll-redirect-from'),
    hasDefaults: Object.hasOwn(config, 'defaults'),
    postLayout: (postLayout?.length ?? 0) <= longestName ? postLayout : undefined,
  };
}

/** Returns whether the group of gems that Jekyll loads by itself contains jekyll-redirect-from. */
export function gemsOfJekyll({ text }: ConfigFile): boolean {
  let isInGroup = false;
  for (const line of text.split('\n', mostLines)) {
    if (isInGroup && /^[ \t]*end\b/.test(line)) return false;
    if (isInGroup && /^[ \t]*gem[ \t]+["']jekyll-redirect-from["']/.test(line)) return true;
    isInGroup ||= /^[ \t]*group[ \t]+:jekyll_plugins[ \t]+do\b/.test(line);
  }
  return false;
}

const mostLines = 10_000;

/** Returns whether Zola's configuration has the taxonomy `tags`. */
export function zolaTags({ file, text }: ConfigFile): boolean {
  const taxonomies = own(configValues(file, text) ?? {}, 'taxonomies');
  return Array.isArray(taxonomies) && taxonomies.some((one: unknown) => valueOf(one, 'name') === 'tags');
}

/** Returns whether a .htaccess file already contains redirects. */
export const hasRedirects = ({ text }: ConfigFile): boolean =>
  /^[ \t]*(?:Redirect|Rewrite|ErrorDocument)/im.test(text);

const valueOf = (record: unknown, name: string): unknown =>
  isRecord(record) ? own(record, name) : undefined;
const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The settings that determine the URLs of posts. Other settings aren't kept. */
const settingsOf: Readonly<Partial<Record<Generator, readonly string[]>>> = {
  hugo: ['contentDir', 'languages', 'defaultContentLanguageInSubdir', 'uglyURLs', 'permalinks'],
  jekyll: ['collections', 'collections_dir', 'defaults', 'permalink', 'source'],
};
/** The maximum length of these settings as JSON, in characters. */
const longestSettings = 65_536;

/**
 * Reads the settings that determine the URLs of posts from a configuration file. Returns undefined if the file isn't
 * valid, or if the settings are too long. `table`: the setting that the whole file contains; absent for a file with all
 * settings.
 */
export function urlSettings({
  generator,
  file,
  text,
  table,
}: GeneratorFile & { readonly table?: string }): Record<string, unknown> | undefined {
  const fields = configValues(file, text);
  if (fields === undefined) return undefined;
  const names = new Set((settingsOf[generator] ?? []).map((name) => name.toLowerCase()));
  const all = table === undefined ? fields : { [table]: fields };
  const kept = Object.entries(all).filter(([name]) => names.has(name.toLowerCase()));
  return JSON.stringify(kept).length <= longestSettings ? Object.fromEntries(kept) : undefined;
}

/**
 * Returns the input folder that Eleventy's configuration names, without slashes at its ends; empty for the folder itself.
 * Returns undefined if the code would have to be run.
 */
export function eleventyInput({ text }: Pick<ConfigFile, 'text'>): string | undefined {
  const script = withoutComments(text);
  const named =
    /\b(?:input["']?\s{0,100}:|setInputDirectory\()\s{0,100}(?:["'`]([^"'`\n]{0,500})["'`]|(?=\S))/g;
  const inputs = new Set([...script.matchAll(named)].map(([, one]) => one));
  if (inputs.size === 0) return '';
  const [input] = inputs;
  return inputs.size === 1 ? folderIn(input) : undefined;
}

/** Returns the text of `permalink` in a data file of Eleventy; empty if the text is computed. */
export const eleventyPermalink = ({ text }: Pick<ConfigFile, 'text'>): string =>
  textInScript(text, 'permalink');

/** Matches a quoted string, which can follow a variable as its fallback value: `process.env.SITE ?? 'https://…'`. */
const quoted = /^(?:[\w$.!?[\]'"]+\s*(?:\|\||\?\?)\s*)?(["'`])((?:(?!\1)[^\\\n])*)\1/;

/**
 * Returns a property from a JavaScript or TypeScript configuration. The code isn't run, so the value must be a string
 * literal, or a constant that is defined as a string literal in the same file. For any other value, returns an empty
 * string.
 */
export function textInScript(script: string, name: string): string {
  const source = withoutComments(script);
  const [, value = ''] = new RegExp(`(?:^|[\\s{,])["']?${name}["']?\\s*:\\s*([^\\n]+)`).exec(source) ?? [];
  const [, constant] = /^([A-Za-z_$][\w$]*)\s*(?:,|\}|$)/.exec(value) ?? [];
  // If the value is the name of a constant (`site: address`), look up that constant. In the shorthand `{ site }`, the
  // property has no value, and the constant has the property's name.
  const constantName = constant ?? (value === '' ? name : undefined);
  if (constantName === undefined) return plainText(value);
  const declared = new RegExp(
    `\\b(?:const|let|var)\\s+${constantName.replaceAll('$', '\\$')}\\s*(?::\\s*string\\s*)?=\\s*([^\\n]+)`,
  );
  return plainText(declared.exec(source)?.[1] ?? '');
}

/** Returns the string in an expression; empty if the expression would have to be evaluated. */
function plainText(expression: string): string {
  const [, , text = ''] = quoted.exec(expression) ?? [];
  return text.includes('${') ? '' : text.trim();
}

/** Removes comments, but not the `//` in URLs: a line comment must follow a space or begin its line. */
const withoutComments = (script: string) =>
  script.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/[^\n]*/g, '$1');
