import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { responseProperties } from '../../contract/post-kinds.ts';
import type { Post } from '../../contract/posts.ts';
import { postUrl, postUrls } from '../../posts/address.ts';
import { visibleText } from '../../untrusted/pages/html-scan.ts';
import { hasTooManyTags, strictSanitizing } from '../../untrusted/pages/sanitizing.ts';
import { absoluteUrl, bareLinks, citedUrl } from '../../posts/links.ts';
import { handlesIn, nobody, type PersonFinder } from '../../posts/inline-links.ts';
import { asNested, asText, htmlOf, propertyText, propertyValues } from '../../posts/values.ts';
import { pageLinks } from '../receiving/source/page-links.ts';

const mostLinks = 500;
const longestAddress = 4096;

/**
 * Returns the URLs of the pages to notify of a post: the pages that it responds to, the people it tags, and the links
 * in its content. Each URL is spelled as on the post's page (Webmention 3.1.1). Leaves out files, copies on other sites
 * (`syndication`), the owner's own tag pages, and the post's own URLs. Leaves out locations, because only people whom
 * the owner names may see the owner's location. `base`: the public origin, without a trailing slash.
 */
export function linksOfPost(
  post: Pick<Post, 'properties' | 'path' | 'home'>,
  base: string,
  personUrl: PersonFinder = nobody,
): string[] {
  const { properties } = post;
  const own = new Set(postUrls(base, post).map(pageOf));
  const links = [
    ...responseProperties.flatMap(({ name }) =>
      propertyValues(properties, name).map((value) => citedUrl(value, base)),
    ),
    ...propertyValues(properties, 'category').map(personAt),
    ...contentLinks(propertyValues(properties, 'content')[0], postUrl(base, post)),
    ...handlesIn(properties).map(personUrl),
  ];
  const others = links.filter((link) => isTarget(link, base, own));
  return [...new Set(others)].slice(0, mostLinks);
}

function isTarget(link: string | undefined, base: string, own: ReadonlySet<string>): link is string {
  if (link === undefined || link.length > longestAddress || !URL.canParse(link)) return false;
  const { protocol, username, password, origin, pathname } = new URL(link);
  const isPublic = username === '' && password === '';
  // A #tag links to the owner's own list of posts, which needs no notification.
  const isTag = origin === base && pathname.startsWith('/categories/');
  return isPublic && !isTag && ['http:', 'https:'].includes(protocol) && !own.has(pageOf(link));
}

function pageOf(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

function personAt(value: unknown): string | undefined {
  const nested = asNested(value);
  const text = nested ? propertyText(nested.properties, 'url') : asText(value);
  return text !== undefined && URL.canParse(text) ? text.trim() : undefined;
}

function contentLinks(content: unknown, page: string): string[] {
  const markup = htmlOf(content);
  // The site shows HTML with too many tags as text, and the links in that text.
  const text =
    markup === undefined ? asText(content) : hasTooManyTags(markup) ? visibleText(markup) : undefined;
  if (markup === undefined || text !== undefined)
    return bareLinks(text ?? '').map(({ url }) => absoluteUrl(url, page));
  return pageLinks(sanitizeHtml(markup, linksOnly(page)), page).links.map(({ value }) => value);
}

/** Returns the options for a sanitizer that keeps only the links that the site shows in a post's content. */
function linksOnly(page: string): IOptions {
  return {
    ...strictSanitizing,
    allowedTags: ['a'],
    allowedAttributes: { a: ['href'] },
    allowedSchemes: ['http', 'https'],
    nestingLimit: 100,
    transformTags: {
      a: (tagName, { href, ...rest }) => ({
        tagName,
        attribs: href === undefined ? rest : { ...rest, href: absoluteUrl(href, page) },
      }),
    },
  };
}
