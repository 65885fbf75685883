import type { Post } from '../contract/posts.ts';
import { bareLinks } from './links.ts';
import { asText, htmlOf, propertyValues } from './values.ts';

/** Returns the URL of the person with a handle (see `handleOf`); undefined if the server doesn't know the handle. */
export type PersonFinder = (handle: string) => string | undefined;

export const nobody: PersonFinder = () => undefined;

/** A part of a text that becomes a link on the page. `index` and `length` are in UTF-16 units. */
export type InlineLink = { readonly index: number; readonly length: number } & (
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'person'; readonly handle: string }
);

// A tag needs at least one letter, so “#1” isn't a tag. Tags and @-mentions must not follow a letter, a digit or
// certain punctuation such as / and #. This rule excludes URL fragments and email addresses.
const marks =
  /(?<![\p{L}\p{N}_&#/@.-])(?:#([\p{N}_]{0,50}\p{L}[\p{L}\p{M}\p{N}_]{0,100})|@((?:[a-z0-9_.-]{1,64}@)?(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}))/giu;

/** Returns the bare URLs, #tags and @-mentions in a text, in the order of their positions. */
export function inlineLinks(text: string): InlineLink[] {
  const urls: InlineLink[] = bareLinks(text).map(({ url, index }) => ({
    kind: 'url',
    url,
    index,
    length: url.length,
  }));
  if (!/[#@]/.test(text)) return urls;
  const found: InlineLink[] = [];
  let next = 0;
  for (const { 0: whole, 1: tag, 2: handle, index } of text.matchAll(marks)) {
    while ((urls[next]?.index ?? Infinity) < index) next += 1;
    const before = urls[next - 1];
    if (before && before.index + before.length > index) continue;
    // In "#https://a.example", the text "#https" isn't a tag, because it overlaps the URL.
    if ((urls[next]?.index ?? Infinity) < index + whole.length) continue;
    const place = { index, length: whole.length };
    if (tag !== undefined) found.push({ kind: 'tag', name: tag, ...place });
    else if (handle !== undefined) found.push({ kind: 'person', handle: handle.toLowerCase(), ...place });
  }
  return [...urls, ...found].sort((a, b) => a.index - b.index);
}

/**
 * Returns the handle of the person at a URL, for use in @-mentions: `alice.example` for a home page, and
 * `alice@social.example` for a profile with the path `/@alice`. Returns undefined for all other URLs.
 */
export function handleOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, pathname, search } = new URL(url);
  if (!['http:', 'https:'].includes(protocol) || search !== '') return undefined;
  const host = hostname.replace(/^www\./, '');
  const user = /^\/@([a-z0-9_.-]{1,64})\/?$/i.exec(pathname)?.[1];
  if (user !== undefined) return `${user}@${host}`.toLowerCase();
  return pathname === '/' ? host : undefined;
}

/** Returns the path of the page that lists the posts of a category. */
export function categoryPath(category: string): string {
  // Replaces unpaired surrogates, which cannot be encoded in a URL.
  return `/categories/${encodeURIComponent(category.replace(/\p{Surrogate}/gu, '\uFFFD'))}`;
}

/** Returns the handles of the people who are mentioned in a post's plain text. */
export function handlesIn(properties: Post['properties']): string[] {
  const found = inlineLinks(plainTextOf(properties)).flatMap((link) =>
    link.kind === 'person' ? link.handle : [],
  );
  return [...new Set(found)];
}

/** Returns the #tags in a post's text. */
function tagsIn({ properties, markdown }: Pick<Post, 'properties' | 'markdown'>): string[] {
  const links =
    markdown === undefined
      ? inlineLinks(plainTextOf(properties)).flatMap((link) => (link.kind === 'tag' ? link.name : []))
      : [...(htmlOf(propertyValues(properties, 'content')[0]) ?? '').matchAll(tagLink)].map(([, path = '']) =>
          decodeURIComponent(path),
        );
  return [...new Set(links)];
}

/** Returns the categories of a post: its `category` values, and the #tags in its text. */
export function categoriesOf(post: Pick<Post, 'properties' | 'markdown'>): string[] {
  const named = propertyValues(post.properties, 'category').filter((value) => typeof value === 'string');
  return [...new Set([...named, ...tagsIn(post)])];
}

/** Matches a #tag in HTML from markdownHtml. */
const tagLink = /<a href="\/categories\/([^"]+)" rel="tag">#/g;

function plainTextOf(properties: Post['properties']): string {
  const content = propertyValues(properties, 'content')[0];
  return htmlOf(content) === undefined ? (asText(content) ?? '') : '';
}
