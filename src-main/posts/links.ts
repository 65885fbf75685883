import { type Static, Type } from 'typebox';
import type { Post } from '../contract/posts.ts';
import { closed } from '../contract/shapes.ts';
import { asLink, asNested, asText, htmlOf, mostInProperty, propertyText, propertyValues } from './values.ts';

/**
 * Returns the http or https URL of the page that a post responds to; undefined if the value names something that has no
 * web address, such as a book by its title. Resolves a path against `base`. `value`: the value of a response property,
 * which is a citation or a plain URL.
 */
export function citedUrl(value: unknown, base: string): string | undefined {
  const { properties } = asNested(value) ?? {};
  const values = properties
    ? [...propertyValues(properties, 'url'), ...propertyValues(properties, 'uid')]
    : [];
  return [...values, value].flatMap((one) => (isPlace(one) ? (asLink(one, base) ?? []) : []))[0];
}

/** Returns whether a value is a URL or a path. Any other text would become a link to a page that doesn't exist. */
function isPlace(value: unknown): boolean {
  return /^(?:https?:|\/)/i.test(asText(value)?.trim() ?? '');
}

/** Returns the name of what a post responds to, such as a book's title; undefined if its value has only a URL. */
export function citedName(value: unknown): string | undefined {
  const nested = asNested(value);
  return nested
    ? propertyText(nested.properties, 'name')
    : isPlace(value)
      ? undefined
      : asText(value)?.trim();
}

/** A bare URL in a text, as the text spells it. `index`: its position in UTF-16 units. */
export interface BareLink {
  readonly url: string;
  readonly index: number;
}

const scheme = /https?:\/\//gi;
const schemeAtStart = /^https?:\/\//i;
/**
 * Outside ASCII, these characters end a URL, because in many scripts no space follows them: the ends of sentences and
 * clauses, brackets, quotation marks, and invisible characters for line breaks and text direction.
 */
const outsideUrls =
  '\\p{Terminal_Punctuation}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Bidi_Control}\\u200B\\u2060\\u3003\\u301C-\\u301F\\uFF5C\\uFF5E\\uFF65';
/**
 * Matches a piece of what follows a URL's scheme. A single quotation mark may be an apostrophe. The length of a piece is
 * limited, because V8 needs memory of the stack for each character.
 */
const piece = new RegExp(`[!#-;=?-~‘’[\\P{ASCII}--[\\s${outsideUrls}]]]{1,5000}`, 'yv');

/** Returns the position at which a URL ends whose scheme ends at `start`. */
function endOfLink(text: string, start: number): number {
  let end = start;
  for (piece.lastIndex = start; piece.test(text);) end = piece.lastIndex;
  return end;
}

/** Returns the URLs in a text, each with the punctuation that follows it. */
function* linksWithEndings(text: string): Generator<{ readonly found: string; readonly index: number }> {
  let end = 0;
  for (const { 0: opening, index } of text.matchAll(scheme)) {
    // One URL may contain another.
    if (index < end) continue;
    const start = index + opening.length;
    end = endOfLink(text, start);
    if (end > start) yield { found: text.slice(index, end), index };
  }
}

/** Punctuation that ends a sentence. It isn't part of a URL, unless more of the URL follows. */
const endings = new Set(".,;:!?'‘’");
/** The same outside ASCII, such as dashes and dots. */
const otherEnding = /^(?!\p{ASCII})[\p{Po}\p{Pd}]$/u;
const openingOf: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

/**
 * Returns the bare URLs in a text, with their positions. Punctuation that ends a sentence isn't part of a URL. A closing
 * bracket is part of it only if the URL contains the opening one.
 */
export function bareLinks(text: string): BareLink[] {
  return Array.from(linksWithEndings(text), ({ found, index }) => ({ url: linkWithoutEnding(found), index }));
}

/** Returns the bare URL that a text begins with; undefined if there is none. */
export function leadingLink(text: string): BareLink | undefined {
  const start = schemeAtStart.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  const end = endOfLink(text, start);
  return end === start ? undefined : { url: linkWithoutEnding(text.slice(0, end)), index: 0 };
}

function linkWithoutEnding(found: string): string {
  const unopened: Record<string, number> = {};
  for (const [closing, opening] of Object.entries(openingOf))
    unopened[closing] = found.split(closing).length - found.split(opening).length;
  // Avoids a regular expression, which would take quadratic time on a long run of dots.
  let end = found.length;
  for (; ; end -= 1) {
    const last = found.charAt(end - 1);
    const extra = unopened[last] ?? 0;
    if (extra > 0) unopened[last] = extra - 1;
    else if (!endings.has(last) && !otherEnding.test(last)) return found.slice(0, end);
  }
}

/** Returns the absolute URL of a link in a post, in ASCII; the unchanged link if it isn't a valid URL. */
export const absoluteUrl = (href: string, base: string) =>
  URL.canParse(href, base) ? new URL(href, base).href : href;

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

/** The maximum number of links that a page makes of a plain text. No real text has more. */
const mostInline = 2000;

/**
 * Returns the bare URLs, #tags and @-mentions in a text, in the order of their positions. `most`: the maximum number of
 * them. The others stay text.
 */
export function inlineLinks(text: string, most = mostInline): InlineLink[] {
  const urls = firstOf(linksWithEndings(text), most).map(({ found, index }): InlineLink => {
    const url = linkWithoutEnding(found);
    return { kind: 'url', url, index, length: url.length };
  });
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
    if (found.length >= most) break;
  }
  return [...urls, ...found].sort((a, b) => a.index - b.index).slice(0, most);
}

function firstOf<T>(values: Iterable<T>, most: number): T[] {
  const first: T[] = [];
  for (const value of values) {
    if (first.length >= most) break;
    first.push(value);
  }
  return first;
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
      : firstOf((htmlOf(propertyValues(properties, 'content')[0]) ?? '').matchAll(tagLink), mostInline).map(
          ([, path = '']) => decodeURIComponent(path),
        );
  return [...new Set(links)];
}

/** Returns the categories of a post: its `category` values, and the #tags in its text. At most as many as a property has. */
export function categoriesOf(post: Pick<Post, 'properties' | 'markdown'>): string[] {
  const named = propertyValues(post.properties, 'category').filter((value) => typeof value === 'string');
  return [...new Set([...named, ...tagsIn(post)])].slice(0, mostInProperty);
}

/** Matches a #tag in HTML from markdownHtml. */
const tagLink = /<a href="\/categories\/([^"]+)" rel="tag">#/g;

function plainTextOf(properties: Post['properties']): string {
  const content = propertyValues(properties, 'content')[0];
  return htmlOf(content) === undefined ? (asText(content) ?? '') : '';
}

/**
 * A page that a post responds to, as the page's own metadata describes it. All fields are untrusted plain text from the
 * page. A field is absent if the page doesn't provide it. `text`: the beginning of the page's content. `published`: ISO
 * 8601.
 */
export const CitedPage = closed({
  name: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.String(), url: Type.String() })),
  text: Type.Optional(Type.String()),
  published: Type.Optional(Type.String()),
});
export type CitedPage = Static<typeof CitedPage>;
