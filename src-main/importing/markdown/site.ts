import { PorchlightError } from '../../contract/error.ts';
import { cleanSlug } from '../../posts/post-path.ts';
import { type Archive, type ArchiveFile, firstText, wholeText } from '../archive.ts';
import { splitFrontMatter, type FieldsAndBody } from '../../untrusted/front-matter.ts';
import { tagArguments, type TagArguments } from './tags.ts';
import { decoded } from '../../posts/files/addresses.ts';
import { placeInSite, fieldText } from './fields.ts';
import { urlOnSite } from './liquid-values.ts';

const longestFile = 2_000_000;
/** The maximum number of pages that the tags of one post link to. */
const mostLinks = 200;
const markdownFile = /\.(?:md|markdown)$/i;

/** What an archive tells about the site that its posts come from. */
export interface OriginalSite {
  /** The scalar settings of the site; `url` and `baseurl` also for generators that have other names for them. */
  readonly settings: Readonly<Record<string, string>>;
  /** The paths of the Markdown files by their names without extension, and of `index.md` by the names of their folders. */
  readonly byName: ReadonlyMap<string, string>;
  /** The paths of the other files by their names, in lower case. */
  readonly filesByName: ReadonlyMap<string, string>;
  /** The folder that contains everything in the archive, with a slash at its end; empty if there is none. */
  readonly root: string;
  /** The new paths of posts, by the paths of their files; undefined for other pages. */
  readonly addresses: Map<string, Promise<string | undefined>>;
}

const known = new WeakMap<Archive, Promise<OriginalSite>>();

/** Returns what an archive tells about its site. Reads it once per archive. */
export function originalSite(archive: Archive): Promise<OriginalSite> {
  const site = known.get(archive) ?? readSite(archive);
  known.set(archive, site);
  return site;
}

async function readSite({ files }: Archive): Promise<OriginalSite> {
  const byName = new Map<string, string>();
  const filesByName = new Map<string, string>();
  let config: ArchiveFile | undefined;
  for (const [path, file] of files) {
    const [name = '', folder = ''] = path.split('/').reverse();
    if (markdownFile.test(name)) {
      const plain = name.replace(markdownFile, '');
      byName.set(/^_?index$/.test(plain) ? folder : plain, path);
    } else filesByName.set(name.toLowerCase(), path);
    const isConfig = /^(?:_config\.ya?ml|(?:hugo|config)\.(?:toml|ya?ml))$/.test(name);
    if (isConfig && path.length < (config?.path.length ?? Infinity)) config = file;
  }
  const settings = config ? settingsIn(await firstText(config)) : {};
  return { settings, byName, filesByName, root: commonFolder(files.keys()), addresses: new Map() };
}

/** Returns the folder in which all files are, such as the one that GitHub puts around a repository. */
function commonFolder(paths: Iterable<string>): string {
  let root: string | undefined;
  for (const path of paths) {
    root ??= path.slice(0, path.indexOf('/') + 1);
    if (root === '' || !path.startsWith(root)) return '';
  }
  return root ?? '';
}

/**
 * Returns the path of a post's file without the folders around the site's content, so that it is the same in a folder
 * and in an archive of it.
 */
export function pathInSite({ root }: Pick<OriginalSite, 'root'>, path: string): string {
  const inContent = /(?:^|\/)(?:content|source|src)\/(.+)$/.exec(path)?.[1];
  return inContent ?? path.slice(root.length);
}

/**
 * Returns the scalar settings at the top level of a configuration file in YAML or TOML. Reads lines, because a parser
 * could take hours for a hostile file.
 */
function settingsIn(text: string): Record<string, string> {
  const settings = Object.create(null) as Record<string, string>;
  for (const line of text.split('\n', 10_000)) {
    if (/^\s*\[/.test(line)) break;
    const [, name, double, single, bare] =
      /^([A-Za-z_][\w-]{0,100})\s?[:=]\s{0,9}(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"'#[{|>&*!][^#]{0,2000}))/.exec(
        line,
      ) ?? [];
    const value = double ?? single ?? bare?.trim();
    if (name !== undefined && value !== undefined) settings[name] ??= value;
  }
  const base = settings['baseURL'] ?? settings['baseurl'] ?? settings['base_url'] ?? '';
  if (settings['url'] === undefined && /^https?:\/\//i.test(base) && URL.canParse(base)) {
    settings['url'] = new URL(base).origin;
    settings['baseurl'] = new URL(base).pathname.replace(/\/$/, '');
  }
  settings['url'] = (settings['url'] ?? '').replace(/\/$/, '');
  settings['baseurl'] ??= '';
  return settings;
}

/**
 * Returns the text of a file and its front matter; undefined if the file is too large, isn't text, or its front matter
 * can't be read. Such a file doesn't stop the import of the other files.
 */
export async function frontMatterOf(file: ArchiveFile): Promise<FieldsAndBody | undefined> {
  try {
    return splitFrontMatter(await wholeText(file, longestFile));
  } catch (error) {
    if (error instanceof PorchlightError && error.code === 'archive_broken') return undefined;
    throw error;
  }
}

/**
 * Matches the tags of Jekyll and Hugo that link to another file, with the name of that file, and links to Markdown files
 * of the archive.
 */
const linkTags =
  /\{%-?\s{0,20}(?:link|post_url)\s{1,20}([^%\s][^%]{0,500})%\}|\{\{[<%]\s{0,20}(?:rel)?ref\s{1,20}([^<>%]{1,500})[>%]\}\}|(?:\]\(<?|\]:[ \t]{0,5}<?|href=["'])([^\s()<>"':]{1,500}\.(?:md|markdown)(?:#[^\s()<>"']{0,200})?)(?=[\s()<>"'])/g;

/**
 * Finds the pages to which the tags in a post's text link. Returns a function that returns the URL for the target of a
 * tag; undefined if the archive doesn't contain it.
 */
export async function linksFrom(
  archive: Archive,
  path: string,
  text: string,
): Promise<(target: string) => string | undefined> {
  const site = await originalSite(archive);
  const urls = new Map<string, string | undefined>();
  for (const [, jekyll, hugo, file = ''] of text.matchAll(linkTags)) {
    const target = plainTarget(jekyll ?? (hugo === undefined ? file : refTarget(tagArguments(hugo))));
    if (urls.size >= mostLinks || urls.has(target)) continue;
    urls.set(target, await urlOfTarget(archive, site, path, target));
  }
  return (target) => urls.get(plainTarget(target));
}

/** Returns the target of a tag without outputs such as `{{ site.baseurl }}`, quotes, and the `-` of the tag. */
const plainTarget = (target: string) =>
  target
    .replace(/\{\{[^{}]*\}\}/g, '')
    .trim()
    .replace(/-$/, '')
    .trim()
    .replace(/^["']|["']$/g, '');

/** Returns the target of a shortcode `ref` or `relref`. */
export const refTarget = ({ named, listed }: TagArguments) => named['path'] ?? listed[0] ?? '';

async function urlOfTarget(
  { files }: Archive,
  { settings, byName, addresses }: OriginalSite,
  path: string,
  target: string,
): Promise<string | undefined> {
  const [page = '', fragment] = target.split('#', 2);
  const suffix = fragment === undefined ? '' : `#${fragment}`;
  if (page === '' || !URL.canParse(page, `http://localhost/${path}`))
    return suffix === '' ? undefined : suffix;
  // Zola marks the folder of its posts with @.
  const name = decoded(page).replace(/^@?\/|\/$/g, '');
  const besideIt = new URL(page, `http://localhost/${path}`).pathname.slice(1);
  const places = rootsOf(path)
    .flatMap((root) => [`${root}${name}`, `${root}content/${name}`])
    .concat(besideIt)
    .flatMap((place) => [place, `${place}.md`, `${place}/index.md`]);
  const last = (name.split('/').at(-1) ?? '').replace(markdownFile, '');
  const found = places.find((place) => files.has(place)) ?? byName.get(last);
  const file = found === undefined ? undefined : files.get(found);
  if (!file) return undefined;
  if (markdownFile.test(file.path)) {
    const address = addresses.get(file.path) ?? addressOf(file);
    addresses.set(file.path, address);
    const own = await address;
    if (own !== undefined) return own + suffix;
  }
  // The page isn't imported, so the link leads to the original site.
  if ((settings['url'] ?? '') === '') return undefined;
  const place = name.replace(/^_/, '').replace(/(?:\/index)?\.(?:md|markdown)$/i, '/');
  return urlOnSite(place, settings) + suffix;
}

/** Returns the path that a post gets when it is imported; undefined if the file is no post. */
async function addressOf(file: ArchiveFile): Promise<string | undefined> {
  const front = await frontMatterOf(file);
  if (!front) return undefined;
  const { published, slug } = placeInSite(file.path, front.fields);
  const name = cleanSlug(slug ?? '') || cleanSlug(fieldText(front.fields['title']) ?? '');
  if (published === undefined || name === '') return undefined;
  return `/posts/${published.slice(0, 7).replace('-', '/')}/${name}`;
}

/** The folders from which site generators copy files to the root of the site. */
const staticFolders = ['', 'static/', 'public/', 'assets/', 'source/', 'src/'];

/** Returns the folders that may be the root of a site in an archive, by the path of one of its posts. */
function rootsOf(path: string): string[] {
  const [, root] = /^(.+?\/)(?:_posts|_drafts|content|source|src|posts)\//.exec(path) ?? [];
  return root === undefined ? [''] : ['', root];
}

/**
 * Returns the file at a URL in a post. The URL may be relative to the post's folder or the site's root, or be a URL of
 * the site. `settings`: the site's settings.
 */
export function findFile(
  { files }: Archive,
  path: string,
  given: string,
  { url = '', baseurl = '' }: OriginalSite['settings'],
): ArchiveFile | undefined {
  const own = url !== '' && given.startsWith(`${url}/`) ? given.slice(url.length) : given;
  const place = `http://localhost/${path.split('/').map(encodeURIComponent).join('/')}`;
  if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(own) || !URL.canParse(own, place)) return undefined;
  const pathFrom = (from: string) => decoded(new URL(own, from).pathname.slice(1));
  const name = pathFrom(place);
  if (!own.startsWith('/')) {
    const beside = files.get(name);
    // Plugins of Eleventy find such a path from the root of the site.
    if (beside || !own.startsWith('./')) return beside;
    return rootsOf(path)
      .map((root) => files.get(root + pathFrom('http://localhost/')))
      .find((file) => file !== undefined);
  }
  const base = baseurl.replace(/^\/|\/$/g, '');
  const names = base !== '' && name.startsWith(`${base}/`) ? [name.slice(base.length + 1), name] : [name];
  return rootsOf(path)
    .flatMap((root) => staticFolders.map((folder) => root + folder))
    .flatMap((folder) => names.map((each) => files.get(folder + each)))
    .find((file) => file !== undefined);
}
