import { stringify } from 'yaml';
import type { Post } from '../../contract/posts.ts';
import { publishedOf } from '../../post/published.ts';
import { responseUrls } from '../citation.ts';
import { bodyMarkup, titleOf, type EntryView } from '../entry.ts';
import { hasTitle, postKindOf } from '../../post/kind.ts';
import { namedMedia } from '../media.ts';
import { mediaProperties } from '../shown-media.ts';
import { asLink, asText, propertyText, propertyValues } from '../../post/values.ts';
import { excerpt } from '../words.ts';

/** A post as a file that Hugo, Jekyll and Eleventy build without changes. */
export interface PostFile {
  /**
   * The path `content/_posts/2026/11/2026-11-21-slug.html`: the name that Jekyll requires, in a folder for each
   * audience.
   */
  readonly name: string;
  readonly text: string;
}

/**
 * Returns the file of a post: YAML front matter for the generators, then the post's HTML. The body is always the HTML
 * of Porchlight's own page, because Micropub text is plain text and Markdown would change it. URLs of this site's files
 * start at the root (`/media/...`).
 */
export function postFile(post: Post, view: EntryView): PostFile {
  const cleanText = (_key: unknown, value: unknown) => (typeof value === 'string' ? clean(value) : value);
  const front = stringify(frontMatter(post, view), cleanText, {
    ...{ lineWidth: 0, aliasDuplicateObjects: false },
    // Every generator reads a quoted value as text. Unquoted, "yes" or "12:30" would become something else in one of
    // them.
    ...{ defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', doubleQuotedAsJSON: true },
  });
  const body = literal(fromRoot(bodyMarkup(post, view, 'page').markup.trim(), view.base));
  return { name: nameOf(post), text: `---\n${front}---\n${body}\n` };
}

function frontMatter(post: Post, view: EntryView): Record<string, unknown> {
  const { properties } = post;
  const { words, text } = view.contentOf(post);
  const address = `${decodeURIComponent(post.path)}/`;
  return {
    title: titleOf(post, view),
    // Themes need a title. This field states that the post itself has none.
    untitled: hasTitle(properties, words) ? undefined : true,
    description: excerpt(propertyText(properties, 'summary') ?? text, 200) || undefined,
    date: dateOf(post),
    lastmod: post.updatedAt,
    url: address,
    permalink: address,
    ...audience(post),
    tags: orNone(tagsOf(post)),
    postType: postKindOf(post, words),
    microformat: post.type.includes('h-event') ? 'h-event' : 'h-entry',
    ...responseUrls(properties, view.base),
    rsvp: propertyText(properties, 'rsvp'),
    start: propertyText(properties, 'start'),
    end: propertyText(properties, 'end'),
    ...mediaOf(post, view),
    syndication: orNone(
      propertyValues(properties, 'syndication').flatMap((value) => asLink(value, view.base) ?? []),
    ),
  };
}

function tagsOf({ properties }: Post): string[] {
  const tags = propertyValues(properties, 'category').flatMap((value) => asText(value) ?? []);
  // Eleventy fails on a tag named like a property that every object has, such as `constructor`.
  return tags.filter((tag) => !(tag in Object.prototype));
}

/** Returns fields that keep a post out of lists or off the site even if somebody moves its file to another folder. */
function audience({ status, visibility }: Post): Record<string, unknown> {
  if (visibility === 'private') return { draft: true, published: false };
  return {
    draft: status === 'draft' ? true : undefined,
    visibility: visibility === 'unlisted' ? visibility : undefined,
    eleventyExcludeFromCollections: visibility === 'unlisted' ? true : undefined,
  };
}

function mediaOf({ properties }: Post, { base, shown }: EntryView): Record<string, unknown> {
  const named = namedMedia(properties, base);
  const lists = mediaProperties.map((property): [string, object[] | undefined] => [
    property,
    orNone(
      named
        .filter((one) => one.property === property)
        .map(({ url, alt }) => ({ url: shown(url)?.path ?? url, alt })),
    ),
  ]);
  return Object.fromEntries(lists);
}

function nameOf(post: Post): string {
  const [year = '', month = '', slug = ''] = decodeURIComponent(post.path).split('/').slice(2);
  return `${folderOf(post)}/${year}/${month}/${dateOf(post).slice(0, 10)}-${slug}.html`;
}

function folderOf({ status, visibility }: Post): string {
  if (visibility === 'private') return 'private';
  if (status === 'draft') return 'drafts';
  return visibility === 'unlisted' ? 'content/_unlisted' : 'content/_posts';
}

/** Returns the publication date in the only form of ISO 8601 that all generators read: with seconds and an offset. */
function dateOf({ properties, createdAt }: Post): string {
  const { at, text } = publishedOf(properties, Date.parse(createdAt));
  const [, sign = '+', hours = '00', minutes = '00'] = /:\d\d.*([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  return `${new Date(at + offset).toISOString().slice(0, 19)}${sign}${hours}:${minutes}`;
}

/** Removes control characters and unpaired surrogates, which YAML does not allow. */
function clean(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD').replace(/(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu, '');
}

const orNone = <T>(values: readonly T[]) => (values.length === 0 ? undefined : [...values]);

/**
 * Makes the URLs of this site's files (`base`) in attributes start at the root. Quotes in text are escaped, so only
 * attributes match.
 */
function fromRoot(markup: string, base: string): string {
  return markup.replaceAll(`="${new URL(base).origin}/media/`, '="/media/');
}

/** Escapes everything that Liquid would read as a template or Hugo as a shortcode. Browsers show the same. */
export function literal(markup: string): string {
  return markup.replaceAll('{', '&#123;');
}
