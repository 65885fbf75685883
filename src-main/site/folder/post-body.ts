import type { Generator } from '../../contract/site-folder.ts';
import type { Post } from '../../contract/posts.ts';
import { responseProperties } from '../../post/links.ts';
import { asText, htmlOf, propertyValues } from '../../post/values.ts';
import { bodyMarkup, type EntryView } from '../entry.ts';
import { namedMedia } from '../media.ts';
import { clean, literal } from './clean.ts';
import { hiddenMark, linkMark, type PostAtHome } from './live-mark.ts';
import { endsInParagraph, portableMarkdown } from './markdown-source.ts';
import { plainTextMarkdown } from './markdown-text.ts';
import type { MediaUrl } from './post-fields.ts';

/** The text of a post's file behind the front matter. */
export interface Body {
  readonly format: 'markdown' | 'html';
  readonly text: string;
}

/** Returns a post as Markdown if every engine would show it alike, and otherwise as HTML. */
export function postBody(post: PostAtHome, view: EntryView, generator: Generator, mediaUrl: MediaUrl): Body {
  const text = markdownOf(post, view);
  if (text !== undefined) return { format: 'markdown', text: `${marked(text, post, generator)}\n` };
  const markup = `${htmlBody(post, view, mediaUrl)}\n${hiddenMark(post)}`;
  return { format: 'html', text: `${literal(markup)}\n` };
}

/** Returns the body as on Porchlight's own page, with the addresses that files have on the owner's site. */
export function htmlBody(post: Post, view: EntryView, mediaUrl: MediaUrl): string {
  const markup = clean(bodyMarkup(post, view, 'page').markup.trim());
  return withoutTagLinks(atNewAddresses(markup, view.base, mediaUrl), view.base);
}

/**
 * Returns HTML as one block of a Markdown file. An HTML block ends at a blank line, so its blank lines are written as
 * character references.
 */
export function htmlBlock(markup: string): string {
  return `<div>${markup.trim().replace(/\n(?=[ \t]*\n)/g, '&#10;')}</div>\n`;
}

/** Returns the post's words as Markdown; undefined if the post has more than words, or words of another form. */
function markdownOf(post: Post, view: EntryView): string | undefined {
  const { properties, markdown } = post;
  const content = propertyValues(properties, 'content')[0];
  const others = ['summary', 'checkin', 'location', 'start', 'end', 'rsvp'];
  if (
    post.type.includes('h-event') ||
    view.contentOf(post).responses.length > 0 ||
    namedMedia(properties, view.base).length > 0 ||
    [...others, ...responseProperties.map(([name]) => name)].some((name) => Object.hasOwn(properties, name))
  )
    return undefined;
  const personUrl = peopleIn(view.contentOf(post).rich ?? []);
  if (markdown !== undefined) return portableMarkdown(clean(markdown), personUrl);
  const text = htmlOf(content) === undefined ? asText(content) : undefined;
  return text === undefined ? undefined : plainTextMarkdown(clean(text), personUrl);
}

/** Finds the people whom the post's page links to. */
function peopleIn(rich: readonly unknown[]): (handle: string) => string | undefined {
  const parts = rich.filter((part) => typeof part === 'string').join('');
  const found = [...parts.matchAll(/<a href="([^"]*)">@([^<]*)<\/a>/g)];
  const urls = new Map(
    found.map(([, url = '', handle = '']) => [handle.toLowerCase(), url.replaceAll('&amp;', '&')]),
  );
  return (handle) => urls.get(handle);
}

function marked(text: string, post: PostAtHome, generator: Generator): string {
  // Hugo removes HTML from Markdown unless its configuration allows it.
  if (generator !== 'hugo') return `${text}\n\n${hiddenMark(post)}`;
  return `${text}${endsInParagraph(text) ? ' ' : '\n\n'}${linkMark(post)}`;
}

/** Replaces the URLs of this server's files in attributes. Quotes in text are escaped, so only attributes match. */
function atNewAddresses(markup: string, base: string, mediaUrl: MediaUrl): string {
  const { origin } = new URL(base);
  return markup.replaceAll(/="(https?:\/\/[^"/]+)(\/media\/[^"?#]+)/g, (whole, site: string, path: string) =>
    site === origin ? `="${mediaUrl(path)}` : whole,
  );
}

/** Turns links to this server's lists of tags back into text: the tags are in the front matter. */
function withoutTagLinks(markup: string, base: string): string {
  const list = `${new URL(base).origin}/categories/`;
  return markup.replaceAll(
    /<a href="([^"]*)"(?: rel="tag")?>(#[^<]*)<\/a>/g,
    (whole, url: string, tag: string) => (url.startsWith(list) ? tag : whole),
  );
}
