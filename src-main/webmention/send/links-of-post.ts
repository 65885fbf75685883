import sanitizeHtml, { type IOptions } from 'sanitize-html';
import type { Post, Properties } from '../../contract/posts.ts';
import { strictSanitizing } from '../../http/strangers/sanitizing.ts';
import { isRecord, own } from '../source/json-values.ts';
import { pageLinks } from '../source/page-links.ts';

/** The properties that a post's page shows as links to what the post responds to. An RSVP uses in-reply-to. */
const responses = [
  'in-reply-to',
  'repost-of',
  'like-of',
  'bookmark-of',
  'read-of',
  'watch-of',
  'listen-of',
  'follow-of',
];

const mostLinks = 500;
const longestAddress = 4096;

/**
 * Returns the pages to notify of a post, each spelled as the post's page spells the link (Webmention 3.1.1): the pages
 * that the post responds to, the people it tags, and the links in its content. Leaves out files, copies elsewhere
 * (`syndication`), places (the owner's location is only for people whom the owner names) and the post itself. `url`:
 * the post's URL.
 */
export function linksOfPost({ properties }: Pick<Post, 'properties'>, url: string): string[] {
  const base = new URL(url).origin;
  const links = [
    ...responses.flatMap((name) => valuesOf(properties, name).map((value) => citedAt(value, base))),
    ...valuesOf(properties, 'category').map(personAt),
    ...contentLinks(valuesOf(properties, 'content')[0], base),
  ];
  const others = links.filter((link) => isTarget(link, url));
  return [...new Set(others)].slice(0, mostLinks);
}

function isTarget(link: string | undefined, url: string): link is string {
  if (link === undefined || link.length > longestAddress || !URL.canParse(link)) return false;
  const { protocol, username, password } = new URL(link);
  const isPublic = username === '' && password === '';
  return isPublic && ['http:', 'https:'].includes(protocol) && pageOf(link) !== pageOf(url);
}

function pageOf(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

function citedAt(value: unknown, base: string): string | undefined {
  const nested = nestedOf(value);
  return (nested && asLink(firstText(valuesOf(nested, 'url')), base)) ?? asLink(textOf(value), base);
}

function personAt(value: unknown): string | undefined {
  const nested = nestedOf(value);
  const text = nested ? firstText(valuesOf(nested, 'url')) : textOf(value);
  return text !== undefined && URL.canParse(text) ? text.trim() : undefined;
}

/** Returns an absolute URL unchanged, or a relative one resolved; undefined if `text` is neither. */
function asLink(text: string | undefined, base: string): string | undefined {
  const address = text?.trim();
  if (address === undefined || !URL.canParse(address, base)) return undefined;
  return URL.canParse(address) ? address : new URL(address, base).href;
}

const bareLink = /https?:\/\/[^\s<>"]+/gi;

function contentLinks(content: unknown, base: string): string[] {
  const rich = isRecord(content) ? own(content, 'html') : undefined;
  if (typeof rich === 'string' && rich.trim() !== '') {
    return pageLinks(sanitizeHtml(rich, linksOnly(base)), base).links.map(({ value }) => value);
  }
  // Punctuation that ends a sentence isn't part of the URL.
  return [...(textOf(content) ?? '').matchAll(bareLink)].map(([found]) =>
    found.replace(found.includes('(') ? /[.,;:!?'\]]+$/ : /[.,;:!?')\]]+$/, ''),
  );
}

/** Returns options that keep only the links that the site shows in a post's content, by the same rules. */
function linksOnly(base: string): IOptions {
  return {
    ...strictSanitizing,
    allowedTags: ['a'],
    allowedAttributes: { a: ['href'] },
    allowedSchemes: ['http', 'https'],
    nestingLimit: 100,
    transformTags: {
      a: (tagName, { href, ...rest }) => ({
        tagName,
        attribs: href === undefined ? rest : { ...rest, href: absolute(href, base) },
      }),
    },
  };
}

function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}

function valuesOf(properties: Properties, name: string): readonly unknown[] {
  const values: unknown = own(properties, name);
  return Array.isArray(values) ? values : [];
}

function textOf(value: unknown): string | undefined {
  const text = isRecord(value) ? own(value, 'value') : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

function firstText(values: readonly unknown[]): string | undefined {
  return values.map(textOf).find((text) => text !== undefined);
}

function nestedOf(value: unknown): Properties | undefined {
  if (!isRecord(value) || !Array.isArray(own(value, 'type'))) return undefined;
  const properties = own(value, 'properties');
  return isRecord(properties) ? (properties as Properties) : undefined;
}
