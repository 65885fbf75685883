import type { FoundSite, Generator, SiteFolderSettings } from '../contract/site-folder.ts';
import { overLimit } from '../untrusted/kinds.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import type { FoundConfig } from './found-config.ts';

/** Reads the folder that Porchlight examines. */
export interface FolderReader {
  /** Returns the names in a subfolder, or in the examined folder if `dir` is empty. The names of folders end in `/`. */
  list(dir: string): Promise<readonly string[]>;
  /** Returns the beginning of a file, at most `mostBytes` bytes; undefined if there is no such file. */
  read(file: string, mostBytes: number): Promise<string | undefined>;
}

const longestConfig = 1_000_000;
const mostRefused = 3;
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

/**
 * Detects which generator a folder uses, and how its post files are organized. Runs no code from the folder. `read`:
 * parses the folder's files on another thread. A file that exceeds the limits is named in a warning.
 */
export async function detectSite(
  reader: FolderReader,
  read: ReadFolderText,
): Promise<Omit<FoundSite, 'repository'>> {
  const names = await reader.list('');
  const found = await configsOf(reader, names, read);
  const [first] = found;
  const generator = first?.generator ?? null;
  const warnings = warningsOf(found, generator);
  const used = generator ?? 'custom';
  const { filing, posts } = await filingOf(reader, used);
  return {
    generator,
    configFile: first?.file ?? null,
    title: first?.title ?? '',
    posts,
    warnings,
    suggested: {
      path: '',
      generator: used,
      baseUrl: first?.baseUrl ?? '',
      ...usualTemplates(used, filing),
      media: 'folder',
      mentions: 'off',
      commit: false,
      push: false,
      branch: '',
      remote: '',
      adopt: false,
    },
  };
}

async function configsOf(
  reader: FolderReader,
  names: readonly string[],
  read: ReadFolderText,
): Promise<FoundConfig[]> {
  const found: FoundConfig[] = [];
  for (const [generator, pattern] of configs)
    for (const file of names.filter((name) => pattern.test(name))) {
      if (found.some((one) => one.file === file)) continue;
      // Each file that exceeds the limits takes seconds.
      if (found.filter(({ isRefused }) => isRefused).length >= mostRefused) return found;
      const config = await configAt(reader, generator, file, read);
      if (config && generator === 'eleventy')
        found.push({ ...config, ...(await eleventyAddress(reader, read)) });
      else if (config) found.push(config);
    }
  return found;
}

/** Returns the title and address in a configuration file; undefined if it belongs to another generator. */
async function configAt(
  reader: FolderReader,
  generator: Generator,
  file: string,
  read: ReadFolderText,
): Promise<FoundConfig | undefined> {
  const unread = { generator, file, title: '', baseUrl: '' };
  const text = (await reader.read(file, longestConfig + 1)) ?? '';
  if (text.length > longestConfig) return { ...unread, problem: `${file} is too long to be read.` };
  try {
    return await read('siteConfig', { generator, file, text }, file);
  } catch (error) {
    return { ...unread, problem: `${file} ${reasonOf(error)}`, isRefused: true };
  }
}

/** Returns the site's address from Eleventy's data files, because Eleventy's configuration has none. */
async function eleventyAddress(
  reader: FolderReader,
  read: ReadFolderText,
): Promise<Pick<FoundConfig, 'baseUrl' | 'problem'>> {
  for (const dir of ['_data/', 'src/_data/'])
    for (const name of ['metadata', 'site', 'meta'])
      for (const ending of ['json', 'yaml', 'yml', 'js', 'mjs', 'cjs']) {
        const file = `${dir}${name}.${ending}`;
        const text = await reader.read(file, longestConfig);
        if (text === undefined) continue;
        try {
          const baseUrl = await read('siteAddress', { file, text }, file);
          if (baseUrl !== '') return { baseUrl };
        } catch (error) {
          // Other files could take just as long.
          return { baseUrl: '', problem: `${file} ${reasonOf(error)}` };
        }
      }
  return { baseUrl: '' };
}

/**
 * Returns why a file can't be read within the limits.
 * @throws any other error
 */
function reasonOf(error: unknown): string {
  const why = overLimit(error);
  if (why === undefined) throw error;
  return why;
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
  let [posts, checked] = [0, 0];
  const waiting = [...postFolders[generator]];
  for (
    let dir = waiting.shift();
    dir !== undefined && checked < mostFolders && posts < mostPosts;
    dir = waiting.shift()
  ) {
    checked += 1;
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

type Templates = Pick<SiteFolderSettings, 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl'>;

/** The folder in which a site keeps its posts, and the names of their files. */
interface PostFiling {
  /** The folder of the posts, with a trailing `/`. */
  readonly dir: string;
  /** The template for the name of a post's file in that folder. */
  readonly name: string;
}

/** The folder and the file names that each generator expects, for a site without posts. */
const usualFiling: Readonly<Record<Generator, PostFiling>> = {
  hugo: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  jekyll: { dir: '_posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  eleventy: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  astro: { dir: 'src/content/blog/', name: '{slug}.md' },
  zola: { dir: 'content/posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
  custom: { dir: 'posts/', name: '{yyyy}-{mm}-{dd}-{slug}.md' },
};

/** The folder whose files each generator copies to the built site unchanged. */
const copied: Readonly<Record<Generator, string>> = {
  hugo: 'static/',
  jekyll: '',
  eleventy: '',
  astro: 'public/',
  zola: 'static/',
  custom: '',
};

/**
 * Returns the folder whose files a generator copies to the built site unchanged. The path is empty for the site's root,
 * and ends with a slash otherwise.
 */
export const copiedFolder = (generator: Generator) => copied[generator];

/** Returns the templates that fit a folder. `filing`: how the folder's posts are stored; absent if it has no posts. */
export function usualTemplates(generator: Generator, filing = usualFiling[generator]): Templates {
  const section = filing.dir.replace(/^(?:src\/)?(?:(?:content|data)\/)?/, '').replace(/^_posts\/$/, '');
  // Astro derives a page's URL from its file name, so both templates must use the same name.
  const page = generator === 'astro' ? filing.name.replace(/\.md$/, '') : '{slug}';
  const media = 'media/{yyyy}/{mm}/{file}';
  return {
    postFile: filing.dir + filing.name,
    postUrl: generator === 'jekyll' ? '{yyyy}/{mm}/{slug}/' : `${section}${page}/`,
    mediaFile: copied[generator] + media,
    mediaUrl: media,
  };
}
