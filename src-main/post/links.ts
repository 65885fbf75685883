import { asLink, asNested, propertyText } from './values.ts';

/**
 * The properties that link a post to pages that it responds to, each with the text to show before the link. An RSVP is
 * not listed, because it uses in-reply-to.
 */
export const responseProperties: readonly (readonly [property: string, words: string])[] = [
  ['in-reply-to', 'In reply to'],
  ['repost-of', 'Reposted'],
  ['like-of', 'Liked'],
  ['bookmark-of', 'Bookmarked'],
  ['read-of', 'Read'],
  ['watch-of', 'Watched'],
  ['listen-of', 'Listened to'],
  ['follow-of', 'Followed'],
];

/**
 * Returns the http or https URL of the page that a post responds to; undefined if there is none. Resolves a relative
 * URL against `base`. `value`: the value of a response property, which is a citation or a plain URL.
 */
export function citedUrl(value: unknown, base: string): string | undefined {
  const nested = asNested(value);
  return asLink(nested ? propertyText(nested.properties, 'url') : value, base) ?? asLink(value, base);
}

/** Returns the bare URLs in a text, with their positions. Punctuation that ends a sentence isn't part of a URL. */
export function bareLinks(text: string): { url: string; index: number }[] {
  return [...text.matchAll(/https?:\/\/[^\s<>"]+/gi)].map(({ 0: found, index }) => {
    const endings = found.includes('(') ? ".,;:!?']" : ".,;:!?')]";
    // Avoids a regular expression, which would take quadratic time on a long run of dots.
    let end = found.length;
    while (endings.includes(found.charAt(end - 1))) end -= 1;
    return { url: found.slice(0, end), index };
  });
}

/** Returns the absolute URL of a link in a post's HTML; the unchanged link if it isn't a valid URL. */
export const absoluteUrl = (href: string, base: string) =>
  URL.canParse(href, base) ? new URL(href, base).href : href;
