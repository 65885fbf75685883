import {
  type FoundSite,
  type Generator,
  generatorNames,
  type SiteFolderSettings,
} from '../contract/site-folder.ts';
import { isRecord, own } from '../storage/json-value.ts';
import { overLimit } from '../untrusted/kinds.ts';
import { type GeneratorConfig, generatorConfig } from './generator-config.ts';
import { topField } from './adopted-file.ts';
import type { ReadFolderText } from './folder-jobs.ts';
import { folderIn, type FolderReader, withinLimits } from './folder-reader.ts';
import type { FoundConfig } from './found-config.ts';
import { eleventyTemplate, folderBelow, hugoTemplate, jekyllTemplate } from './own-addresses.ts';

const longestConfig = 1_000_000;
const mostRefused = 3;
/** The maximum number of posts to count, more than any real site has. */
const mostPosts = 100_000;
const mostFolders = 5000;

const eleventyConfigs = /^(?:\.eleventy\.js|eleventy\.config\.(?:js|cjs|mjs|ts))$/;

/** The configuration files of each generator, the most specific file first. */
const configs: readonly (readonly [Generator, RegExp])[] = [
  ['hugo', /^hugo\.(?:toml|ya?ml|json)$/],
  ['jekyll', /^_config\.ya?ml$/],
  ['eleventy', eleventyConfigs],
  ['astro', /^astro\.config\.(?:js|cjs|mjs|ts|mts)$/],
  ['zola', /^config\.toml$/],
  ['hugo', /^config\.(?:toml|ya?ml|json)$/],
];

/** The folders in which a generator may keep its posts, if its configuration doesn't say which these are. */
const postFolders = {
  eleventy: ['posts/', 'blog/', 'notes/', 'src/posts/', 'src/blog/', 'content/'],
  astro: ['src/content/', 'src/data/', 'content/', 'src/pages/'],
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
  // GitHub builds a folder of posts with Jekyll, also without a configuration.
  const generator = first?.generator ?? (names.includes('_posts/') ? 'jekyll' : null);
  const warnings = warningsOf(found, generator);
  const used = generator ?? 'custom';
  const rules = first?.problem === undefined ? await rulesOf(reader, used, read) : { config: {} };
  const places = placesOf(used, rules);
  const { filing = places.usual, posts } = await filingOf(reader, used, places);
  const root = places.root ?? usualRoot(filing.dir);
  const templates = usualTemplates(used, filing, root);
  const ownUrl = await ownPostUrl(reader, used, rules, { ...filing, root }, read);
  if (ownUrl === null)
    warnings.push(
      `${generatorNames[used]}’s configuration gives posts addresses that no template can follow. Check the address of a post in the preview.`,
    );
  if (posts === 0 && !places.isBuilt)
    warnings.push(
      `There are no posts in the usual folders, and Porchlight can’t tell whether ${generator === null ? 'your generator' : generatorNames[used]} builds “${filing.dir}”. Check the folder of posts.`,
    );
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
      ...templates,
      ...(typeof ownUrl === 'string' && { postUrl: ownUrl }),
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

/** The configuration that determines URLs. For Eleventy, `input` is the input folder, if it is known. */
interface FoundRules {
  readonly config: GeneratorConfig;
  readonly input?: string | undefined;
}

async function rulesOf(
  reader: FolderReader,
  generator: Generator,
  read: ReadFolderText,
): Promise<FoundRules> {
  if (generator !== 'eleventy') return { config: await generatorConfig(reader, generator, read) };
  const [name] = (await reader.list('')).filter((one) => eleventyConfigs.test(one));
  const text = name === undefined ? undefined : ((await reader.read(name, longestConfig)) ?? '');
  if (name === undefined || text === undefined) return { config: {} };
  return { config: {}, input: await withinLimits(read('eleventyInput', { text }, name)) };
}

/** Where a generator's posts may be. */
interface PostPlaces {
  /** The folders to search, with their subfolders. */
  readonly start: readonly string[];
  /** Returns whether a file in a folder may be a post. */
  readonly mayHold: (dir: string) => boolean;
  /** The folders and file names to suggest if there are no posts. */
  readonly usual: PostFiling;
  /** The start of the paths that isn't in URLs; absent for the usual one. */
  readonly root?: string;
  /** Whether the generator certainly builds the folder in `usual`. */
  readonly isBuilt: boolean;
}

const anywhere = () => true;

function placesOf(generator: Generator, { config, input }: FoundRules): PostPlaces {
  const usual = usualFiling[generator];
  const inFolder = (dir: string): PostFiling => ({ ...usual, dir });
  const start = (folder: string) => (folder === '' ? '' : `${folder}/`);
  switch (generator) {
    case 'hugo': {
      const languages = topField(config, 'languages', 'hugo');
      const ofLanguages = (isRecord(languages) ? Object.values(languages) : []).flatMap((one) =>
        isRecord(one) ? (folderIn(topField(one, 'contentDir', 'hugo')) ?? []) : [],
      );
      const content = folderIn(topField(config, 'contentDir', 'hugo') ?? 'content');
      if (content === undefined || ofLanguages.length > 0) {
        const folders = ofLanguages.length > 0 ? [...new Set(ofLanguages)].map(start) : ['content/'];
        return { start: folders, mayHold: anywhere, usual, isBuilt: false };
      }
      const root = start(content);
      return { start: [root], mayHold: anywhere, usual: inFolder(`${root}posts/`), root, isBuilt: true };
    }
    case 'jekyll': {
      const [source, collections] = ['source', 'collections_dir'].map((name) =>
        folderIn(own(config, name) ?? ''),
      );
      const root = start(source ?? '') + start(collections ?? '');
      return {
        start: [''],
        mayHold: (dir) => /(?:^|\/)_posts\//.test(dir),
        usual: inFolder(`${root}_posts/`),
        root,
        isBuilt: source !== undefined && collections !== undefined,
      };
    }
    case 'eleventy': {
      if (input === undefined)
        return { start: postFolders.eleventy, mayHold: anywhere, usual, isBuilt: false };
      const root = start(input);
      return {
        start: [root],
        // Files beside the folders are pages, such as an introduction.
        mayHold: (dir) => dir !== root,
        usual: inFolder(`${root}posts/`),
        root,
        isBuilt: true,
      };
    }
    case 'zola':
      return { start: ['content/'], mayHold: anywhere, usual, isBuilt: true };
    default:
      return {
        start: postFolders[generator],
        mayHold: (dir) => dir !== 'src/pages/',
        usual,
        isBuilt: false,
      };
  }
}

const longestData = 20_000;

/**
 * Returns the URL template that follows the site's own permalinks. Returns undefined if these say nothing, and null if no
 * template can say the same.
 */
async function ownPostUrl(
  reader: FolderReader,
  generator: Generator,
  rules: FoundRules,
  filed: PostFiling & { readonly root: string },
  read: ReadFolderText,
): Promise<string | null | undefined> {
  if (generator === 'jekyll') return jekyllTemplate(rules.config, filed);
  if (generator === 'hugo') return hugoTemplate(rules.config, filed);
  if (generator !== 'eleventy') return undefined;
  // Eleventy takes the values for a folder's posts from a data file that is named after the folder.
  const name = filed.dir.split('/').at(-2) ?? '';
  for (const ending of ['json', '11tydata.json', '11tydata.js', '11tydata.mjs', '11tydata.cjs']) {
    const file = `${filed.dir}${name}.${ending}`;
    const text = filed.dir.includes('{') ? undefined : await reader.read(file, longestData);
    if (text?.includes('permalink') !== true) continue;
    const permalink = await withinLimits(read('eleventyPermalink', { text }, file));
    return permalink === undefined || permalink === '' ? null : eleventyTemplate(permalink, filed);
  }
  return undefined;
}

/** The names of folders in which people keep posts. Eleventy builds every folder, so other folders may have other pages. */
const namedForPosts = /(?:^|\/)(?:posts?|blog|notes|articles|writing|journal|essays|log)\//;
const otherFolders = new Set(['node_modules/', 'vendor/']);

/** Returns the folder and the file name template that most of a site's posts use. Also returns the number of posts. */
async function filingOf(
  reader: FolderReader,
  generator: Generator,
  { start, mayHold }: PostPlaces,
): Promise<{ filing: PostFiling | undefined; posts: number }> {
  const filings = new Map<string, PostFiling & { count: number }>();
  let [posts, checked] = [0, 0];
  const waiting = [...start];
  for (
    let dir = waiting.shift();
    dir !== undefined && checked < mostFolders && posts < mostPosts;
    dir = waiting.shift()
  ) {
    checked += 1;
    for (const name of await reader.list(dir)) {
      if (name.endsWith('/')) {
        const isSearched = !/^[._]/.test(name) && !otherFolders.has(name);
        if (isSearched || (generator === 'jekyll' && name === '_posts/')) waiting.push(dir + name);
        continue;
      }
      const filing = mayHold(dir) ? filingIn(dir, name, generator) : undefined;
      if (filing === undefined) continue;
      posts += 1;
      const key = filing.dir + filing.name;
      filings.set(key, { ...filing, count: (filings.get(key)?.count ?? 0) + 1 });
    }
  }
  const rank = ({ dir }: PostFiling) => (generator === 'eleventy' && namedForPosts.test(dir) ? 1 : 0);
  const [most] = [...filings.values()].sort((a, b) => rank(b) - rank(a) || b.count - a.count);
  return { filing: most && { dir: most.dir, name: most.name }, posts };
}

/** Returns the folder and the name template of a post's file; undefined for a file that isn't a post. */
function filingIn(dir: string, name: string, generator: Generator): PostFiling | undefined {
  // In Eleventy, HTML may be anything, because every folder can have templates.
  const isText = generator === 'eleventy' ? /\.(?:mdx?|markdown)$/ : /\.(?:mdx?|markdown|html)$/;
  if (!isText.test(name) || /^(?:_?index|readme)\./i.test(name)) return undefined;
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

/**
 * The folder whose files each generator copies to the built site unchanged. The path is empty for the site's root, and
 * ends with a slash otherwise.
 */
export const copiedFolder: Readonly<Record<Generator, string>> = {
  hugo: 'static/',
  jekyll: '',
  eleventy: '',
  astro: 'public/',
  zola: 'static/',
  custom: '',
};

const usualRoot = (dir: string): string => /^(?:src\/)?(?:(?:content|data|pages)\/)?/.exec(dir)?.[0] ?? '';

/**
 * Returns the templates that fit a folder. `filing`: how the folder's posts are stored; absent if it has no posts. `root`:
 * the start of their paths that isn't in URLs.
 */
export function usualTemplates(
  generator: Generator,
  filing = usualFiling[generator],
  root = usualRoot(filing.dir),
): Templates {
  const section = folderBelow(root, filing.dir);
  // Astro derives a page's URL from its file name, so both templates must use the same name.
  const page = generator === 'astro' ? filing.name.replace(/\.md$/, '') : '{slug}';
  const media = 'media/{yyyy}/{mm}/{file}';
  return {
    postFile: filing.dir + filing.name,
    postUrl: generator === 'jekyll' ? '{yyyy}/{mm}/{slug}/' : `${section}${page}/`,
    mediaFile: copiedFolder[generator] + media,
    mediaUrl: media,
  };
}
