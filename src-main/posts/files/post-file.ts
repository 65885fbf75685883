import { factProperties, responseProperties } from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import type { Generator } from '../../contract/site-folder.ts';
import { categoriesOf } from '../links.ts';
import { bodyMarkup, crossPostMarkup, type EntryView } from '../rendering/entry.ts';
import { namedMedia } from '../rendering/media.ts';
import { asText, htmlOf, propertyValues } from '../values.ts';
import { type FolderFacts, folderMediaPlace, type FolderRules, postDate, sitePath } from './addresses.ts';
import { clean, type Fields, literal, tomlFrontMatter, yamlFrontMatter } from './front-matter.ts';
import { hiddenMark, linkMark, type PostAtHome } from './live-mark.ts';
import { type MediaUrl, postFields } from './post-fields.ts';
import type { PostSource } from './post-markdown.ts';

/** A post's file in the folder, and the media files that its page shows. */
export interface PostFile {
  /** The file's path, relative to the folder. Its extension can differ from the one in the planned `home.file`. */
  readonly file: string;
  readonly text: string;
  /** The media files. `path`: the path on this server (`/media/...`). `file`: the path relative to the folder. */
  readonly media: readonly { readonly path: string; readonly file: string }[];
}

/**
 * Returns the file of a post: front matter, followed by Markdown or by the HTML of the post's page on the built-in
 * site. Markdown and HTML both contain a hidden mark by which `liveState` recognizes the page. `postMarkdown`: converts
 * the post's text.
 * @throws the errors of `postMarkdown`
 */
export async function postFile(
  post: PostAtHome,
  view: EntryView,
  rules: FolderRules,
  postMarkdown: PostMarkdown,
  facts: FolderFacts = {},
): Promise<PostFile> {
  const { generator, baseUrl } = rules;
  const media = new Map<string, string>();
  const mediaUrl = (path: string): string => {
    // If media files stay on Porchlight's own site, the post links to that site.
    if (rules.media === 'porch' || !/^\/media\/\d{4}\/\d{2}\/[^/]+$/.test(path))
      return new URL(path, view.base).href;
    const place = folderMediaPlace(path, rules);
    media.set(path, place.file);
    return new URL(place.url).pathname;
  };
  const { home } = post;
  const former = home.former.flatMap((url) => sitePath(url, baseUrl) ?? []);
  const path = sitePath(home.url, baseUrl) ?? new URL(home.url).pathname;
  const fields = postFields(post, view, { path, former, mediaUrl }, [generator], facts);
  const { file, text, more } =
    generator === 'jekyll' && post.visibility === 'unlisted'
      ? jekyllPage(home.file, htmlPostBody(post, view, mediaUrl), facts)
      : inForm(home.file, await postBody(post, view, generator, { mediaUrl, postMarkdown }), generator);
  const front =
    generator === 'zola' ? tomlFrontMatter({ ...fields, ...more }) : yamlFrontMatter({ ...fields, ...more });
  return {
    file,
    text: `${front}\n${text}`,
    media: [...media].map(([from, to]) => ({ path: from, file: to })),
  };
}

/**
 * Returns a post as a Jekyll page outside the folder of posts, because Jekyll lists every post in that folder. The page
 * has no title, because themes list pages that have a title. The page is HTML, because Jekyll would take the first
 * heading of a Markdown page as its title.
 */
function jekyllPage(
  homeFile: string,
  { text }: Body,
  { postLayout = 'post' }: FolderFacts,
): { readonly file: string; readonly text: string; readonly more: Fields } {
  const file = homeFile.replace(/^(.*?\/)?_[^/]*\//, '$1unlisted/').replace(/\.(?:md|markdown)$/, '.html');
  return { file, text, more: { title: undefined, layout: postLayout } };
}

/**
 * Returns a body in a form that the generator renders unchanged: Markdown, or HTML in an HTML file. Zola and Astro read
 * only Markdown files, in which the HTML is a single block.
 */
function inForm(
  homeFile: string,
  { format, text }: Body,
  generator: Generator,
): { readonly file: string; readonly text: string; readonly more: Fields } {
  const isInMarkdown = ['zola', 'astro'].includes(generator);
  if (format === 'html' && isInMarkdown) return { file: homeFile, text: htmlBlock(text), more: {} };
  const file = format === 'html' ? homeFile.replace(/\.(?:md|markdown)$/, '.html') : homeFile;
  // Without `templateEngineOverride`, Eleventy would run the text as a template.
  const engine = format === 'html' ? false : 'md';
  return { file, text, more: generator === 'eleventy' ? { templateEngineOverride: engine } : {} };
}

/** A post as a file of the export, which Hugo, Jekyll and Eleventy build without changes. */
interface ExportFile {
  /**
   * The path, such as `content/_posts/2026/11/2026-11-21-slug.html`, in the form that Jekyll requires. Public posts,
   * unlisted posts, private posts and drafts each have their own folder.
   */
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the export file of a post: front matter that Hugo, Jekyll and Eleventy understand, followed by the HTML of
 * the post's page on the built-in site. The text isn't Markdown, because no Markdown works in all three generators. The
 * URLs of this site's files start with a slash (`/media/...`).
 */
export function postExportFile(post: Post, view: EntryView): ExportFile {
  const path = `${decodeURIComponent(post.path)}/`;
  const mediaUrl = (file: string) => file;
  const fields = postFields(post, view, { path, former: [], mediaUrl }, ['hugo', 'jekyll', 'eleventy']);
  // The export leaves out tags on which Eleventy fails, such as `constructor`. It keeps tags that can't be page names,
  // because the export has no tag pages.
  const tags = categoriesOf(post).filter((tag) => !(tag in Object.prototype));
  const front = yamlFrontMatter({
    ...fields,
    url: path,
    permalink: path,
    tags: tags.length > 0 ? tags : undefined,
  });
  return { name: nameOf(post), text: `${front}${literal(htmlBody(post, view, mediaUrl))}\n` };
}

function nameOf(post: Post): string {
  const [year = '', month = '', slug = ''] = decodeURIComponent(post.path).split('/').slice(2);
  return `${folderOf(post)}/${year}/${month}/${postDate(post).slice(0, 10)}-${slug}.html`;
}

function folderOf({ status, visibility }: Post): string {
  if (visibility === 'private') return 'private';
  if (status === 'draft') return 'drafts';
  return visibility === 'unlisted' ? 'content/_unlisted' : 'content/_posts';
}

/** The body of a post's file, after the front matter. */
interface Body {
  readonly format: 'markdown' | 'html';
  readonly text: string;
}

/**
 * Converts a post's text to Markdown that every generator renders in the same way, on another thread. Returns undefined
 * if that isn't possible within the limits.
 */
export type PostMarkdown = (source: PostSource) => Promise<string | undefined>;

/** Returns a post as Markdown if every Markdown engine renders it in the same way, and otherwise as HTML. */
export async function postBody(
  post: PostAtHome,
  view: EntryView,
  generator: Generator,
  { mediaUrl, postMarkdown }: { readonly mediaUrl: MediaUrl; readonly postMarkdown: PostMarkdown },
): Promise<Body> {
  const source = sourceOf(post, view);
  const text = source && (await postMarkdown({ ...source, hasPlainSigns: generator === 'astro' }));
  return text === undefined
    ? htmlPostBody(post, view, mediaUrl)
    : { format: 'markdown', text: `${marked(text, post, generator)}\n` };
}

/** Returns a post as HTML, with the hidden mark by which `liveState` recognizes the page. */
export function htmlPostBody(post: PostAtHome, view: EntryView, mediaUrl: MediaUrl): Body {
  const links = crossPostMarkup(post, view)?.markup ?? '';
  const markup = `${htmlBody(post, view, mediaUrl)}${links}\n${hiddenMark(post)}`;
  return { format: 'html', text: `${literal(markup)}\n` };
}

/**
 * Returns the body as the HTML of the post's page on the built-in site, with two differences: media files have their
 * URLs on the owner's site, and tag pages aren't linked.
 */
function htmlBody(post: Post, view: EntryView, mediaUrl: MediaUrl): string {
  const markup = clean(bodyMarkup(post, view, 'page').markup.trim());
  return withoutTagLinks(atNewAddresses(markup, view.base, mediaUrl), view.base);
}

/** Returns HTML as one block of a Markdown file. Removes blank lines, because a blank line would end the block. */
function htmlBlock(markup: string): string {
  return `<div>${markup.trim().replace(/\n(?=[ \t]*\n)/g, '&#10;')}</div>\n`;
}

/** Returns a post's text; undefined if the post has other content, or its text is HTML. */
function sourceOf(post: Post, view: EntryView): Omit<PostSource, 'hasPlainSigns'> | undefined {
  const { properties, markdown } = post;
  const content = propertyValues(properties, 'content')[0];
  const others = ['summary', ...factProperties, ...responseProperties.map(({ name }) => name)];
  if (
    post.type.includes('h-event') ||
    view.contentOf(post).responses.length > 0 ||
    crossPostMarkup(post, view) !== null ||
    namedMedia(properties, view.base).length > 0 ||
    others.some((name) => Object.hasOwn(properties, name))
  )
    return undefined;
  const people = peopleIn(view.contentOf(post).rich ?? []);
  const text = markdown ?? (htmlOf(content) === undefined ? asText(content) : undefined);
  return text === undefined ? undefined : { text: clean(text), isMarkdown: markdown !== undefined, people };
}

/** Returns the URLs of the people to whom the post's page links, by handle. */
function peopleIn(rich: readonly unknown[]): Record<string, string> {
  const parts = rich.filter((part) => typeof part === 'string').join('');
  const found = [...parts.matchAll(/<a href="([^"]*)">@([^<]*)<\/a>/g)];
  return Object.fromEntries(
    found.map(([, url = '', handle = '']) => [handle.toLowerCase(), url.replaceAll('&amp;', '&')]),
  );
}

function marked(text: string, post: PostAtHome, generator: Generator): string {
  // For Hugo, use a link instead of hidden HTML, because Hugo removes HTML from Markdown unless its configuration
  // allows HTML.
  if (generator !== 'hugo') return `${text}\n\n${hiddenMark(post)}`;
  return `${text}${endsInParagraph(text) ? ' ' : '\n\n'}${linkMark(post)}`;
}

/** Returns whether Markdown ends in a paragraph, which a following line would continue. */
const endsInParagraph = (written: string) =>
  !/^(?:[->#`*]|\d+\. |\* \* \*)/.test(written.split('\n\n').at(-1) ?? '');

/**
 * In attributes, including `srcset`, replaces each URL of one of this server's media files with the URL that `mediaUrl`
 * returns. The pattern can't match text outside attributes, because quotes in text are escaped.
 */
function atNewAddresses(markup: string, base: string, mediaUrl: MediaUrl): string {
  const { origin } = new URL(base);
  const moved = (whole: string, before: string, site: string, path: string) =>
    site === origin ? `${before}${mediaUrl(path)}` : whole;
  return markup
    .replaceAll(/ srcset="[^"]*"/g, (list) =>
      list.replaceAll(/("|, )(https?:\/\/[^"/]+)(\/media\/[^\s",?#]+)/g, moved),
    )
    .replaceAll(/( (?!srcset)[a-z-]+=")(https?:\/\/[^"/]+)(\/media\/[^"?#]+)/g, moved);
}

/** Replaces links to this server's tag pages with their text, because the tags are in the front matter. */
function withoutTagLinks(markup: string, base: string): string {
  const list = `${new URL(base).origin}/categories/`;
  return markup.replaceAll(
    /<a href="([^"]*)"(?: rel="tag")?>(#[^<]*)<\/a>/g,
    (whole, url: string, tag: string) => (url.startsWith(list) ? tag : whole),
  );
}
