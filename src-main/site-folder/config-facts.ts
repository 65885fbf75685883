import { isRecord, own } from '../storage/json-value.ts';
import { configValues } from '../untrusted/front-matter.ts';

/** A file of the owner's folder. `file`: its path, whose ending names the format. */
interface ConfigFile {
  readonly file: string;
  readonly text: string;
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
