import { htmlOfMixedMarkdown } from '../../posts/markdown.ts';
import type { FieldsAndBody } from '../../untrusted/front-matter.ts';
import { scanHtml } from '../../untrusted/pages/html-scan.ts';
import type { Archive } from '../archive.ts';
import { type FoundMedia, type FoundPost, mediaMark } from '../found-post.ts';
import {
  escapedHtml,
  framedPage,
  sourceIn,
  startOfUnshown,
  unshownWords,
  withLinkUrls,
  withSources,
} from '../html.ts';
import { markdownParts, outsideCode, withAnchors } from './parts.ts';
import {
  type TemplateContext,
  withoutLiquid,
  withoutShortcodes,
  withoutZolaShortcodes,
} from './template-code.ts';
import { findFile, linksFrom, originalSite, type OriginalSite } from './site.ts';

/** The text of a post as Porchlight stores it: Markdown, or HTML if the Markdown contains HTML. */
interface ImportedBody extends Pick<FoundPost, 'text' | 'media'> {
  readonly format: 'markdown' | 'html';
  /** What the text loses, in words for the report. */
  readonly lost: readonly string[];
}

/**
 * Converts the text of a Markdown file: evaluates template code, removes comments, and finds the pictures. `media`: the
 * files that the front matter names, which come first in the result.
 */
export async function importedBody(
  archive: Archive,
  path: string,
  front: FieldsAndBody,
  media: readonly FoundMedia[],
): Promise<ImportedBody> {
  const { settings } = await originalSite(archive);
  const lost: string[] = [];
  const loseFile = (name: string): void => void lost.push(`the file ${name}`);
  const body = await withoutObsidian(archive, front.body.replace(/\r\n?/g, '\n'), {
    mayBeVault: dialectOfSite(archive) === undefined,
    lost: loseFile,
  });
  const links = await linksFrom(archive, path, body);
  const own = new Set<string>();
  const linkTo = (target: string): string | undefined => {
    const url = links(target);
    if (url !== undefined) own.add(url);
    return url;
  };
  const written = withoutTemplates(body, dialectOf(archive, path, front), {
    site: settings,
    page: front.fields,
    linkTo,
    lost: (tag) => void lost.push(`the template code ${tag}`),
  });
  const text = outsideCode(withAnchors(written), (part) => part).trim();

  const found = [...media];
  const copied = (url: string): string | undefined => {
    const source = isElsewhere(url, settings) ? undefined : findFile(archive, path, url, settings);
    if (source === undefined || found.length >= mostMedia) return undefined;
    found.push({ source, alt: '', property: 'text', otherwise: url });
    return mediaMark(found.length - 1);
  };
  const urls: NewUrls = {
    picture(url) {
      const mark = copied(url);
      if (mark === undefined && !isElsewhere(url, settings) && !url.startsWith('#')) loseFile(url);
      return mark ?? onOriginalSite(url, settings);
    },
    link: (url) =>
      own.has(url)
        ? undefined
        : ((mediaFile.test(url) ? copied(url) : undefined) ?? linkTo(url) ?? onOriginalSite(url, settings)),
  };
  const mixed = htmlOfMixedMarkdown(text);
  if (mixed === undefined) return { text: withUrls(text, urls), format: 'markdown', media: found, lost };
  const shown = shownHtml(mixed);
  return {
    text: withLinkUrls(withSources(shown.html, urls.picture), urls.link),
    format: 'html',
    media: found,
    lost: [...lost, ...shown.lost],
  };
}

/** The maximum number of files of a post (see importRefusal). */
const mostMedia = 100;
const mediaFile =
  /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|hei[cf]|mp4|m4v|webm|mov|mp3|m4a|og[ga]|opus|wav|flac)$/i;

/** Functions that return the new URL for a URL in a post; undefined to keep the old one. */
interface NewUrls {
  readonly picture: (url: string) => string | undefined;
  readonly link: (url: string) => string | undefined;
}

type Settings = OriginalSite['settings'];

/** Returns whether a URL is on another site than the one that the posts come from. */
function isElsewhere(url: string, { url: origin = '' }: Settings): boolean {
  return /^[a-z][a-z\d+.-]*:|^\/\//i.test(url) && !(origin !== '' && url.startsWith(`${origin}/`));
}

/** Returns the absolute URL on the original site for a URL that begins at its root, because the post moves. */
function onOriginalSite(url: string, { url: origin = '' }: Settings): string | undefined {
  return origin !== '' && /^\/(?!\/)/.test(url) ? origin + url : undefined;
}

function withoutTemplates(
  text: string,
  dialect: ReturnType<typeof dialectOf>,
  context: TemplateContext,
): string {
  switch (dialect) {
    case 'liquid':
      return withoutAttributes(withoutLiquid(text, context));
    case 'liquid-text':
      return withoutAttributes(withoutLiquid(text, context, codeIn(text)));
    case 'hugo':
      return withoutShortcodes(text, context);
    case 'zola':
      return withoutZolaShortcodes(text, context);
    case 'none':
      return text;
  }
}

/** Returns a function that returns whether a position of a text is in code. Its callers ask for later and later ones. */
function codeIn(text: string): (at: number) => boolean {
  const parts = markdownParts(text);
  let index = 0;
  let end = parts[0]?.text.length ?? 0;
  return (at) => {
    while (at >= end && index < parts.length) {
      index += 1;
      end += parts[index]?.text.length ?? 0;
    }
    return parts[index]?.kind === 'code';
  };
}

/** Removes attributes such as `{:.note}` and the table of contents, which kramdown (Jekyll) has. */
function withoutAttributes(text: string): string {
  if (!text.includes('{:')) return text;
  return outsideCode(text, (part) =>
    part
      .replace(/^(?:[*+-]|1\.) [^\n]{0,200}\n\{:\s?toc[^{}\n]{0,200}\}/gm, '')
      .replace(/\{:{1,2}[^{}\n]{0,500}\}/g, ''),
  );
}

/** Matches a link or picture in Markdown, and the definition of a URL for references. */
const addresses =
  /(!(?=\[))?(\[[^[\]\n]{0,1000}\]\(\s?|\]\(\s?)(?:<([^<>\n]{1,1000})>|([^\s<>()]{1,1000}))|^( {0,3}\[(?!\^)[^\]\n]{1,200}\]:[ \t]*)(?:<([^<>\n]{1,1000})>|([^\s<>]{1,1000}))/gm;

/** Replaces the URLs of pictures and links in Markdown. */
function withUrls(text: string, { picture, link }: NewUrls): string {
  return outsideCode(text, (part) =>
    part.replace(addresses, (whole, ...found) => {
      const [mark = '', start, bracketed, bare, definition, itsBracketed, itsBare] = found as (
        | string
        | undefined
      )[];
      const url = bracketed ?? bare ?? itsBracketed ?? itsBare ?? '';
      const next = mark === '!' ? picture(url) : link(url);
      return next === undefined ? whole : mark + (start ?? definition ?? '') + next;
    }),
  );
}

/**
 * The template language of a Markdown file. `liquid`: Jekyll, Eleventy and Hexo, also in code. `liquid-text`: the same,
 * but perhaps the file has another generator, so code stays as it is.
 */
type Dialect = 'liquid' | 'liquid-text' | 'hugo' | 'zola' | 'none';

const signs: readonly (readonly [Dialect, RegExp])[] = [
  ['liquid', /(?:^|\/)(?:_config\.ya?ml|\.eleventy\.js|eleventy\.config\.[cm]?[jt]s|_posts\/[^/]+)$/],
  ['hugo', /(?:^|\/)(?:hugo\.(?:toml|ya?ml|json)|archetypes\/[^/]+\.md)$/],
  ['zola', /(?:^|\/)templates\/(?:page|index|base|section)\.html$/],
  ['hugo', /(?:^|\/)config\.(?:toml|ya?ml|json)$/],
];

const known = new WeakMap<Archive, Dialect | undefined>();

/** Returns the template language of a site by its files; undefined if they tell nothing. */
function dialectOfSite(archive: Archive): Dialect | undefined {
  if (!known.has(archive)) {
    const found = signs.find(([, sign]) => [...archive.files.keys()].some((path) => sign.test(path)));
    known.set(archive, found?.[0]);
  }
  return known.get(archive);
}

const liquidTag =
  /\{%-?\s*(?:raw|highlight|include|link|post_url|assign|capture|for|if|unless|comment|youtube|gist)\b/;

/** Returns the template language of a Markdown file. */
function dialectOf(
  archive: Archive,
  path: string,
  { fields, body }: { readonly fields: Readonly<Record<string, unknown>>; readonly body: string },
): Dialect {
  const ofSite = dialectOfSite(archive);
  if (ofSite !== undefined) return ofSite;
  if (/\{\{[<%]/.test(body) && !/\{%-?\s*raw\b/.test(body)) return 'hugo';
  if ('taxonomies' in fields || 'extra' in fields) return 'zola';
  const isNamedByDate = /(?:^|\/)\d{4}-\d\d-\d\d-[^/]+$/.test(path);
  return isNamedByDate || 'layout' in fields || liquidTag.test(body) ? 'liquid-text' : 'none';
}

/**
 * Returns HTML without the elements that pages never show. Embedded pages become links, and so do scripts that show a
 * gist. The content of noscript elements is shown, because posts have no scripts. `lost`: what is missing.
 */
function shownHtml(given: string): { readonly html: string; readonly lost: readonly string[] } {
  const html = given
    .replace(/<iframe\b([^<>]{0,5000})>([^<]{0,1000})<\/iframe\s*>/gi, (whole, attributes: string) =>
      linkTo(attributes, whole),
    )
    .replace(/<script\b([^<>]{0,5000})>\s{0,100}<\/script\s*>/gi, (whole, attributes: string) => {
      if (/platform\.twitter\.com\/widgets\.js/.test(attributes)) return '';
      return /\/\/gist\.github\.com\//.test(attributes) ? linkTo(attributes, whole) : whole;
    })
    .replace(/<\/?noscript\b[^<>]{0,1000}>/gi, '');
  const lost = new Set<string>();
  if (startOfUnshown.test(html))
    scanHtml(html, {
      element(name) {
        const what = unshownWords(name);
        if (what !== undefined) lost.add(what);
      },
    });
  return { html, lost: [...lost] };
}

/** Returns a link to the page in the `src` attribute of an element; the element itself if it has none. */
function linkTo(attributes: string, element: string): string {
  const page = framedPage(sourceIn(attributes));
  if (page === undefined) return element;
  const url = escapedHtml(page);
  return `<a href="${url}">${url}</a>`;
}

/** Matches a link to a note or the embedding of a file: `[[Note#Heading|words]]`, `![[picture.png|300]]`. */
const wikiLink = /(!?)\[\[([^[\]|#\n]{0,500})(#[^[\]|\n]{0,500})?(?:\|([^[\]\n]{0,500}))?\]\]/g;
const picture = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|hei[cf])$/i;
const callout =
  /^([ \t]{0,3}(?:>[ \t]?)+)\[!([\w-]{1,50})(?:\|[^\]\n]{0,100})?\][+-]?[ \t]*([^\n]{0,500})$/gm;

/** A file name without its folders and its extension. */
const plainName = (path: string) => (path.split('/').at(-1) ?? '').replace(/\.(?:md|markdown)$/i, '');

/**
 * Converts what only Obsidian understands into Markdown: links to notes, embedded files, callouts and highlights. Removes
 * comments, which are private. `mayBeVault`: whether nothing says that a site generator reads the files; otherwise, only a
 * text that contains links of Obsidian is converted. `lost`: called with the name of each embedded file that is missing.
 */
async function withoutObsidian(
  archive: Archive,
  text: string,
  { mayBeVault, lost }: { readonly mayBeVault: boolean; readonly lost: (name: string) => void },
): Promise<string> {
  const { byName, filesByName } = await originalSite(archive);
  if (!mayBeVault && !outsideCode(text, (part) => part).match(wikiLink)) return text;
  return outsideCode(withoutComments(text), (part) =>
    part
      .replace(wikiLink, (_whole, mark: string, name: string, heading = '', words = '') => {
        const target = name.trim();
        const note = byName.get(plainName(target));
        const file = filesByName.get((target.split('/').at(-1) ?? '').toLowerCase());
        const shown = (words as string).trim() || plainName(target) || (heading as string).slice(1);
        if (mark === '!' && picture.test(target)) {
          if (file === undefined) {
            lost(target);
            return '';
          }
          // The words of a picture may be its width: 300, or 300x200.
          return `![${/^\d+(?:x\d+)?$/.test(shown) || words === '' ? '' : shown}](${urlOf(file)})`;
        }
        const path = note ?? file;
        return path === undefined ? shown : `[${shown}](${urlOf(path)})`;
      })
      .replace(callout, (_whole, quote: string, kind: string, title: string) => {
        const words = title.trim() || `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}`;
        return `${quote}**${words}**\n${quote.trimEnd()}`;
      })
      .replace(/==(?=\S)([^=\n]{1,1000}?)(?<=\S)==/g, '**$1**'),
  );
}

const urlOf = (path: string) =>
  `/${path.split('/').map(encodeURIComponent).join('/')}`.replace(/[()]/g, (sign) =>
    sign === '(' ? '%28' : '%29',
  );

/** Removes comments (`%%…%%`), also those that contain code. A mark that ends nothing stays. */
function withoutComments(text: string): string {
  const marks: number[] = [];
  let start = 0;
  for (const part of markdownParts(text)) {
    // A comment may contain code, but no comment begins in code.
    const isOpen = marks.length % 2 === 1;
    if (part.kind === 'text' || isOpen)
      for (const { index } of part.text.matchAll(/%%/g)) marks.push(start + index);
    start += part.text.length;
  }
  let kept = '';
  let end = 0;
  for (let index = 0; index + 1 < marks.length; index += 2) {
    kept += text.slice(end, marks[index]);
    end = (marks[index + 1] ?? 0) + 2;
  }
  return kept + text.slice(end);
}
