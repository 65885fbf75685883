import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { FoundSite, Generator } from '../../contract/site-folder.ts';
import { textInScript } from './script-config.ts';
import { usualTemplates, type PostFiling } from './usual-templates.ts';

/** Reads the folder that Porchlight examines. */
export interface FolderReader {
  /** Returns the names in a subfolder, or in the examined folder if `dir` is empty. The names of folders end in `/`. */
  list(dir: string): Promise<readonly string[]>;
  /** Returns the beginning of a file, at most `mostBytes` bytes; undefined if there is no such file. */
  read(file: string, mostBytes: number): Promise<string | undefined>;
}

const longestConfig = 1_000_000;
/** The maximum number of posts to count, more than any real site has. */
const mostPosts = 100_000;
const mostFolders = 5000;

/** The configuration files of each generator, the most specific file first. */
const configs: readonly (readonly [Generator, RegExp])[] = [
  ['hugo', /^hugo\.(?:toml|ya?ml|json)$/],
  ['jekyll', /^_config\.ya?ml$/],
  ['eleventy', /^(?:\.eleventy\.js|eleventy\.config\.(?:js|cjs|mjs|ts))$/],
  ['astro', /^astro\.config\.(?:js|cjs|mjs|ts|mts)$/],
  ['zola', /^config\.toml$/],
  ['hugo', /^config\.(?:toml|ya?ml|json)$/],
];

/** The folders in which each generator may keep its posts. */
const postFolders: Readonly<Record<Generator, readonly string[]>> = {
  hugo: ['content/'],
  jekyll: ['_posts/'],
  eleventy: ['posts/', 'blog/', 'notes/', 'src/posts/', 'src/blog/', 'content/'],
  astro: ['src/content/', 'src/data/', 'content/'],
  zola: ['content/'],
  custom: ['posts/', 'content/'],
};

/** Detects which generator a folder uses, and how its post files are organized. Runs no code from the folder. */
export async function detectSite(
  reader: FolderReader,
): Promise<Omit<FoundSite, 'repository' | 'runs' | 'isAllowed'>> {
  const names = await reader.list('');
  const found = await configsOf(reader, names);
  const [first] = found;
  const generator = first?.generator ?? null;
  const warnings = warningsOf(found, generator);
  const used = generator ?? 'custom';
  const { filing, posts } = await filingOf(reader, used);
  return {
    ...{ generator, configFile: first?.file ?? null, title: first?.title ?? '', posts, warnings },
    suggested: {
      ...{ path: '', generator: used, baseUrl: first?.baseUrl ?? '' },
      ...usualTemplates(used, filing),
      ...{
        media: 'folder',
        mentions: 'off',
        commit: false,
        push: false,
        branch: '',
        remote: '',
        adopt: false,
      },
    },
  };
}

interface FoundConfig {
  readonly generator: Generator;
  readonly file: string;
  readonly title: string;
  readonly baseUrl: string;
  readonly problem?: string;
}

async function configsOf(reader: FolderReader, names: readonly string[]): Promise<FoundConfig[]> {
  const found: FoundConfig[] = [];
  for (const [generator, pattern] of configs)
    for (const file of names.filter((name) => pattern.test(name))) {
      if (found.some((one) => one.file === file)) continue;
      const text = (await reader.read(file, longestConfig + 1)) ?? '';
      const config = configIn(generator, file, text);
      if (config && generator === 'eleventy')
        found.push({ ...config, baseUrl: await eleventyAddress(reader) });
      else if (config) found.push(config);
    }
  return found;
}

/** Returns the site's address from Eleventy's data files, because Eleventy's configuration has none. */
async function eleventyAddress(reader: FolderReader): Promise<string> {
  for (const dir of ['_data/', 'src/_data/'])
    for (const name of ['metadata', 'site', 'meta'])
      for (const ending of ['json', 'yaml', 'yml', 'js', 'mjs', 'cjs']) {
        const file = `${dir}${name}.${ending}`;
        const text = await reader.read(file, longestConfig);
        if (text === undefined) continue;
        const isScript = ending.endsWith('js');
        const url = isScript ? textInScript(text, 'url') : textAt(configValues(file, text) ?? {}, 'url');
        if (siteAddress(url) !== '') return siteAddress(url);
      }
  return '';
}

/** Returns the title and address in a configuration file; undefined if it belongs to another generator. */
function configIn(generator: Generator, file: string, text: string): FoundConfig | undefined {
  const unread = { generator, file, title: '', baseUrl: '' };
  if (text.length > longestConfig) return { ...unread, problem: `${file} is too long to be read.` };
  if (/\.(?:js|cjs|mjs|ts|mts)$/.test(file)) {
    const site = generator === 'astro' ? siteAddress(textInScript(text, 'site')) : '';
    const base = textInScript(text, 'base').replace(/^\/?/, '/');
    return {
      ...unread,
      baseUrl: site !== '' && new URL(site).pathname === '/' ? siteAddress(new URL(base, site).href) : site,
    };
  }
  const values = configValues(file, text);
  if (values === undefined) return { ...unread, problem: `${file} can’t be read, because it isn’t valid.` };
  const base = textAt(values, 'base_url');
  if (generator === 'zola' && base === '') return undefined;
  const address =
    base || textAt(values, 'baseURL', 'baseurl') || textAt(values, 'url') + jekyllPath(generator, values);
  return { generator, file, title: textAt(values, 'title').slice(0, 200), baseUrl: siteAddress(address) };
}

/** In Jekyll, the site's address is `url`, which has no path, followed by `baseurl`, which is the path. */
function jekyllPath(generator: Generator, values: Readonly<Record<string, unknown>>): string {
  return generator === 'jekyll' ? textAt(values, 'baseurl') : '';
}

/** Returns the values in a configuration file; undefined if the file isn't valid. */
export function configValues(file: string, text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = file.endsWith('.toml')
      ? parseToml(text)
      : file.endsWith('.json')
        ? JSON.parse(text)
        : parseYaml(text, { maxAliasCount: 100, logLevel: 'silent' });
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return undefined;
  }
}

function textAt(values: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (typeof value === 'string') return value.trim();
  }
  return '';
}

function siteAddress(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return '';
  const url = new URL(text);
  const isExample = /(^|\.)example\.(?:org|com|net)$/.test(url.hostname);
  url.search = '';
  url.hash = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return isExample ? '' : url.href;
}

function warningsOf(found: readonly FoundConfig[], generator: Generator | null): string[] {
  const warnings = found.flatMap(({ problem }) => problem ?? []);
  const others = found.filter((one) => one.generator !== generator);
  if (others.length > 0)
    warnings.push(
      `The folder also has ${others.map(({ file }) => file).join(', ')}. Check that the generator is right.`,
    );
  if (generator === 'eleventy')
    warnings.push('Eleventy copies media only if its configuration says so: addPassthroughCopy("media").');
  if (generator === 'astro')
    warnings.push(
      'Astro makes the addresses of posts itself. Check them in the preview, and after the first post.',
    );
  return warnings;
}

/** Returns the folder and the file name template that most of a site's posts use. Also returns the number of posts. */
async function filingOf(
  reader: FolderReader,
  generator: Generator,
): Promise<{ filing: PostFiling | undefined; posts: number }> {
  const filings = new Map<string, PostFiling & { count: number }>();
  let [posts, looked] = [0, 0];
  const waiting = [...postFolders[generator]];
  for (
    let dir = waiting.shift();
    dir !== undefined && looked < mostFolders && posts < mostPosts;
    dir = waiting.shift()
  ) {
    looked += 1;
    for (const name of await reader.list(dir)) {
      if (name.endsWith('/')) {
        if (!/^[._]/.test(name)) waiting.push(dir + name);
        continue;
      }
      const filing = filingIn(dir, name);
      if (filing === undefined) continue;
      posts += 1;
      const key = filing.dir + filing.name;
      filings.set(key, { ...filing, count: (filings.get(key)?.count ?? 0) + 1 });
    }
  }
  const [most] = [...filings.values()].sort((a, b) => b.count - a.count);
  return { filing: most && { dir: most.dir, name: most.name }, posts };
}

/** Returns the folder and the name template of a post's file; undefined for a file that isn't a post. */
function filingIn(dir: string, name: string): PostFiling | undefined {
  if (!/\.(?:mdx?|markdown|html)$/.test(name) || /^_?index\./.test(name)) return undefined;
  // Folders named after years and months become placeholders of the template.
  const parts = dir.split('/').slice(0, -1);
  const dated = parts.map((part, index) =>
    /^(?:19|20)\d\d$/.test(part)
      ? '{yyyy}'
      : /^\d\d$/.test(part) && /^\d{4}$/.test(parts[index - 1] ?? '')
        ? '{mm}'
        : part,
  );
  const isDated = /^\d{4}-\d\d-\d\d-/.test(name);
  return { dir: `${dated.join('/')}/`, name: isDated ? '{yyyy}-{mm}-{dd}-{slug}.md' : '{slug}.md' };
}
