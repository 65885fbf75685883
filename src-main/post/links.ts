import { asLink, asNested, propertyText } from './values.ts';

/** The properties with which a post responds to pages, each with the words before the link. An RSVP uses in-reply-to. */
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

/** Returns the URL in a value of a response property, as asLink returns it: the URL of a citation, or a plain one. */
export function citedUrl(value: unknown, base: string): string | undefined {
  const nested = asNested(value);
  return asLink(nested ? propertyText(nested.properties, 'url') : value, base) ?? asLink(value, base);
}

/** Returns the bare URLs in a text, with their positions. Punctuation that ends a sentence isn't part of a URL. */
export function bareLinks(text: string): { url: string; index: number }[] {
  return [...text.matchAll(/https?:\/\/[^\s<>"]+/gi)].map(({ 0: found, index }) => {
    const endings = found.includes('(') ? ".,;:!?']" : ".,;:!?')]";
    // A regular expression would look at each of many dots again and again.
    let end = found.length;
    while (endings.includes(found.charAt(end - 1))) end -= 1;
    return { url: found.slice(0, end), index };
  });
}

/** Returns a link in the HTML of a post as an absolute URL; unchanged if it is none. */
export const absoluteUrl = (href: string, base: string) =>
  URL.canParse(href, base) ? new URL(href, base).href : href;
