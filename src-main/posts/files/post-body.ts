import type { Generator } from '../../contract/site-folder.ts';
import { factProperties, responseProperties } from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import { asText, htmlOf, propertyValues } from '../values.ts';
import { bodyMarkup, crossPostMarkup, type EntryView } from '../rendering/entry.ts';
import { namedMedia } from '../rendering/media.ts';
import { clean, literal } from './clean.ts';
import { hiddenMark, linkMark, type PostAtHome } from './live-mark.ts';
import type { PostSource } from './post-markdown.ts';
import type { MediaUrl } from './post-fields.ts';

/** The body of a post's file, after the front matter. */
export interface Body {
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
export function htmlBody(post: Post, view: EntryView, mediaUrl: MediaUrl): string {
  const markup = clean(bodyMarkup(post, view, 'page').markup.trim());
  return withoutTagLinks(atNewAddresses(markup, view.base, mediaUrl), view.base);
}

/** Returns HTML as one block of a Markdown file. Removes blank lines, because a blank line would end the block. */
export function htmlBlock(markup: string): string {
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
