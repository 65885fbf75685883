import type { Generator } from '../contract/site-folder.ts';
import { configValues } from '../untrusted/front-matter.ts';
import { textInScript } from './script-config.ts';

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

const isScript = /\.(?:js|cjs|mjs|ts|mts)$/;
const longestAddress = 2000;

/** Returns the title and address in a configuration file; undefined if it belongs to another generator. */
export function siteConfig({
  generator,
  file,
  text,
}: {
  readonly generator: Generator;
  readonly file: string;
  readonly text: string;
}): FoundConfig | undefined {
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
  const address =
    base || textAt(values, 'baseURL', 'baseurl') || textAt(values, 'url') + jekyllPath(generator, values);
  return { generator, file, title: textAt(values, 'title').slice(0, 200), baseUrl: webAddressIn(address) };
}

/** Returns the site's address in one of Eleventy's data files; empty if the file has none. */
export function siteAddress({ file, text }: { readonly file: string; readonly text: string }): string {
  const url = isScript.test(file) ? textInScript(text, 'url') : textAt(configValues(file, text) ?? {}, 'url');
  return webAddressIn(url);
}

/** In Jekyll, the site's address is `url`, which has no path, followed by `baseurl`, which is the path. */
function jekyllPath(generator: Generator, values: Readonly<Record<string, unknown>>): string {
  return generator === 'jekyll' ? textAt(values, 'baseurl') : '';
}

function textAt(values: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === 'string') return value.trim();
  }
  return '';
}

function webAddressIn(text: string): string {
  if (text.length > longestAddress || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return '';
  const url = new URL(text);
  const isExample = /(^|\.)example\.(?:org|com|net)$/.test(url.hostname);
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return isExample ? '' : url.href;
}
