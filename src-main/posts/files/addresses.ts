import type { Post, PostHome } from '../../contract/posts.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { offsetText } from '../date.ts';
import { postKindOf } from '../kind.ts';
import { percentDecoded } from '../post-path.ts';
import { publishedOf } from '../visibility.ts';

/** The location of a post: its URL on the owner's own site, and its file's path in the folder, separated by `/`. */
type Home = Pick<PostHome, 'url' | 'file'>;

type TemplateRules = Pick<FolderRules, 'generator' | 'baseUrl' | 'postFile' | 'postUrl'>;

/**
 * Returns the URL and the file that a post would have. The slug is in lower case and valid as a file name on every
 * system. From the second `attempt` on, the slug ends in the number of the attempt (`-2`), to avoid names that are
 * already used.
 */
export function homeOf(post: Post, rules: TemplateRules, attempt = 1): Home {
  const date = postDate(post);
  const number = attempt > 1 ? `-${attempt}` : '';
  const time = date.slice(11, 19).replaceAll(':', '');
  const values = (slug: string) => ({
    yyyy: date.slice(0, 4),
    mm: date.slice(5, 7),
    dd: date.slice(8, 10),
    kind: postKindOf(post),
    slug: slug + number,
  });
  const wished = safeName(decoded(post.path.split('/').at(-1) ?? ''), 90) || time;
  const isUsable = (slug: string) =>
    !filled(rules.postFile, values(slug)).split('/').some(isReserved) && !['index', '404'].includes(slug);
  // A post can't be named `index`, because Hugo and Zola treat a file named `index.md` as the page of its folder.
  const used = values(isUsable(wished) ? wished : `${wished}-post`);
  const path = filled(rules.postUrl, { ...used, slug: encodeURIComponent(used.slug) });
  return {
    url: new URL(path.replace(/^\/+/, ''), folderUrl(rules.baseUrl)).href,
    file: filled(rules.postFile, used),
  };
}

/** Returns the path in the folder, and the URL on the site, for a media file (`/media/2026/11/abc-fog.jpg`). */
export function folderMediaPlace(
  mediaPath: string,
  rules: Pick<FolderRules, 'baseUrl' | 'mediaFile' | 'mediaUrl'>,
): Home {
  const [, , yyyy = '', mm = '', name = ''] = decoded(mediaPath).split('/');
  const file = safeFileName(name);
  const digits = { yyyy: yyyy.replace(/\D/g, ''), mm: mm.replace(/\D/g, '') };
  const url = filled(rules.mediaUrl, { ...digits, file: encodeURIComponent(file) });
  return {
    file: filled(rules.mediaFile, { ...digits, file }),
    url: new URL(url.replace(/^\/+/, ''), folderUrl(rules.baseUrl)).href,
  };
}

/**
 * Returns the decoded path of a URL below the site's base address, in the form that generators use, with a slash at the
 * start. Returns undefined for a URL on another host.
 */
export function sitePath(url: string, baseUrl: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const base = new URL(folderUrl(baseUrl));
  const { origin, pathname } = new URL(url);
  if (origin !== base.origin) return undefined;
  return decoded(pathname.startsWith(base.pathname) ? pathname.slice(base.pathname.length - 1) : pathname);
}

/** Returns a template with its placeholders replaced. */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Returns a base address that ends in `/`, so that paths are resolved below it. */
const folderUrl = (baseUrl: string) => (baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);

/** Returns a string without percent-encoding, or the unchanged string if the encoding isn't valid. */
export const decoded = (text: string): string => percentDecoded(text) ?? text;

const placeholders = ['yyyy', 'mm', 'dd', 'slug', 'kind'];

/** Returns why these rules can't be used to name files and URLs, as a message for the owner; undefined if they can. */
export function templateProblem(rules: FolderRules): string | undefined {
  const { baseUrl, postFile, postUrl, mediaFile, mediaUrl, media } = rules;
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    return 'The address of your site must be a web address that starts with https://.';
  if (/[?#]/.test(baseUrl)) return 'The address of your site must have no “?” and no “#”.';
  const templates: [string, string, readonly string[], string][] = [
    ['the file of a post', postFile, placeholders, 'slug'],
    ['the address of a post', postUrl, placeholders, 'slug'],
  ];
  if (media === 'folder')
    templates.push(
      ['the file of a photo', mediaFile, ['yyyy', 'mm', 'file'], 'file'],
      ['the address of a photo', mediaUrl, ['yyyy', 'mm', 'file'], 'file'],
    );
  for (const [name, template, known, needed] of templates) {
    if (!template.includes(`{${needed}}`)) return `The template for ${name} needs {${needed}}.`;
    const unknown = [...template.matchAll(/\{([^{}]*)\}/g)].find(([, one = '']) => !known.includes(one));
    if (unknown) return `The template for ${name} has ${unknown[0]}, which isn’t a placeholder.`;
    if (/[\\?#\p{Cc}]|^\/\/|(?:^|\/)\.{1,2}(?:\/|$)/u.test(template.replace(/^\//, '')))
      return `The template for ${name} must stay below the folder and the address of your site.`;
  }
  for (const [name, template] of [
    ['the file of a post', postFile],
    ['the file of a photo', media === 'folder' ? mediaFile : ''],
  ])
    if (template?.startsWith('/') || /(?:^|\/)\.git(?:\/|$)/i.test(template ?? ''))
      return `The template for ${name} must start with a folder of your site.`;
  return /\.(?:md|markdown)$/.test(postFile) ? undefined : 'The file of a post must end in .md or .markdown.';
}

/** The rules for storing posts as files in the owner's folder. */
export type FolderRules = Pick<
  SiteFolderSettings,
  'generator' | 'baseUrl' | 'postFile' | 'postUrl' | 'mediaFile' | 'mediaUrl' | 'media'
>;

/**
 * The format of the file that tells the site's host about moved and deleted pages. `redirects`: `_redirects` for
 * Cloudflare Pages and GitLab Pages, which can't mark a page as deleted. `netlify`: `_redirects` for Netlify. `apache`:
 * `.htaccess`.
 */
export type HostFormat = 'redirects' | 'netlify' | 'apache';

/**
 * Facts about the folder's configuration. An unknown fact is absent. In that case, Porchlight writes nothing that could
 * break the build.
 */
export interface FolderFacts {
  /** Whether Zola has the taxonomy `tags`. Without it, a page with tags makes the build fail. */
  readonly hasTags?: boolean;
  /** Whether Jekyll has the plugin jekyll-redirect-from. */
  readonly hasRedirectFrom?: boolean;
  /**
   * Whether the version of Hugo that builds the site is older than 0.123; absent if the version isn't known. Such
   * versions read `_build`; Hugo 0.157 and later versions fail on that name.
   */
  readonly isOldHugo?: boolean;
  /** The layout that Jekyll's configuration sets for posts. */
  readonly postLayout?: string;
  /** The file that tells the site's host about moved and deleted pages, if the folder has such a file. */
  readonly hostFile?: { readonly file: string; readonly format: HostFormat };
}

/** The names that Windows reserves for devices, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/**
 * Returns text as a part of a file name that is valid on every system: letters, digits, `-` and `_`, in lower case, in
 * Unicode form NFC and at most `longest` bytes. Empty if the text has no letter or digit.
 */
function safeName(text: string, longest = 100): string {
  const name = text
    .slice(0, 10 * longest)
    .normalize('NFC')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}_-]+/gu, '-');
  return trimmed(cut(trimmed(name), longest));
}

/** Returns a stored media file's name without characters that file systems or generators treat specially. */
export function safeFileName(name: string): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/su.exec(name.normalize('NFC')) ?? [];
  const safe = cut(stem.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-').replace(/[.-]+$/, ''), 150);
  // Jekyll skips files whose names begin with `_` or `.`; some commands read a leading `-` as an option.
  return `${/^[\p{L}\p{N}]/u.test(safe) && !isReserved(safe) ? '' : 'm'}${safe}${extension.toLowerCase()}`;
}

/** Returns whether Windows reserves a name, so that no file or folder can have it. */
function isReserved(name: string): boolean {
  return reserved.test(name.split('.')[0]?.trim() ?? '');
}

/**
 * Removes `-` and `_` at both ends, and combining marks at the beginning. Jekyll and Astro ignore files with a leading
 * `_`, and Hugo treats `_index.md` as the page of a section.
 */
const trimmed = (name: string) => name.replace(/^[\p{M}_-]+/u, '').replace(/[_-]+$/, '');

/** Cuts text to a maximum number of UTF-8 bytes, without splitting a character. */
function cut(text: string, longest: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > longest) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * Returns a post's publication date in the author's time zone, with seconds and an offset. This is the only form of ISO
 * 8601 that all generators read.
 */
export function postDate({ properties, createdAt }: Pick<Post, 'properties' | 'createdAt'>): string {
  const { at, offset } = publishedOf(properties, Date.parse(createdAt));
  return `${new Date(at + offset * 60_000).toISOString().slice(0, 19)}${offsetText(offset)}`;
}
