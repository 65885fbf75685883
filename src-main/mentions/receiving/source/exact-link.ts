import { parsedJson, stringsOf } from './json-values.ts';
import { pageLinks, type PageLinks } from './page-links.ts';
import { pageText } from './page-text.ts';
import { pageKindOf, type SourcePage } from './source-page.ts';

export type LinkVerdict = 'links' | 'no-link' | 'gone';

/**
 * Returns whether a source links to its target (Webmention 3.2.2), exactly as the sender spelled the target, including
 * the fragment.
 */
export function verify({ page, target }: { page: SourcePage; target: string }): LinkVerdict {
  const text = pageText(page.body, page.contentType);
  switch (pageKindOf(page)) {
    case 'html': {
      const found = pageLinks(text, page.url);
      return found.status === 410 ? 'gone' : linkedAt(found, target) === undefined ? 'no-link' : 'links';
    }
    case 'json':
      return jsonHolds(parsedJson(text), target) ? 'links' : 'no-link';
    case 'text':
      return placeInText(text, target) === -1 ? 'no-link' : 'links';
    case 'other':
      return 'no-link';
  }
}

/** Returns the position of a page's link to the target within the page's text; undefined if there is no such link. */
export function linkedAt({ links }: PageLinks, target: string): number | undefined {
  const href = URL.canParse(target) ? new URL(target).href : target;
  return links.find(({ value, url }) => value === target || url === target || url === href)?.at;
}

/** Returns whether any string in a JSON value, at any depth, is the target. */
export function jsonHolds(value: unknown, target: string): boolean {
  return stringsOf(value).some((text) => text === target);
}

const closes = /^(?:$|[\s<>"'`)\]}|\\^]|[.,;:!?*_~]+(?:$|[\s<>"')\]}]))/;
const opens = /(?:^|[\s<>"'`([{|,;:*_~])$/;

/**
 * Returns the position in a text at which the target occurs as a complete address, not as part of a longer one; -1 if
 * there is no such position.
 */
export function placeInText(text: string, target: string): number {
  for (let at = text.indexOf(target); at !== -1; at = text.indexOf(target, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    const end = at + target.length;
    if (opens.test(before) && closes.test(text.slice(end, end + 16))) return at;
  }
  return -1;
}
