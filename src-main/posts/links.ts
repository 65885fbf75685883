import { asLink, asNested, asText, propertyText, propertyValues } from './values.ts';

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

/**
 * Matches from a scheme to the end of a URL. CJK punctuation, full-width brackets and quotation marks end a URL, because
 * in Chinese and Japanese text no space follows it.
 */
const bareLink =
  /https?:\/\/[^\s<>"“”„«»‹›\u3000-\u3003\u3008-\u3011\u3014-\u301F\uFF01\uFF08\uFF09\uFF0C\uFF1A\uFF1B\uFF1F\uFF3B\uFF3D\uFF5B-\uFF65]+/giu;
const bareLinkAtStart = new RegExp(`^${bareLink.source}`, 'iu');
/** Punctuation that ends a sentence. It isn't part of a URL, unless more of the URL follows. */
const endings = new Set(".,;:!?'‘’‚…–—");
const openingOf: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

/**
 * Returns the bare URLs in a text, with their positions. Punctuation that ends a sentence isn't part of a URL. A closing
 * bracket is part of it only if the URL contains the opening one.
 */
export function bareLinks(text: string): BareLink[] {
  return [...text.matchAll(bareLink)].map(({ 0: found, index }) => ({
    url: linkWithoutEnding(found),
    index,
  }));
}

/** Returns the bare URL that a text begins with; undefined if there is none. */
export function leadingLink(text: string): BareLink | undefined {
  const found = bareLinkAtStart.exec(text)?.[0];
  return found === undefined ? undefined : { url: linkWithoutEnding(found), index: 0 };
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
    else if (!endings.has(last)) return found.slice(0, end);
  }
}

/** Returns the absolute URL of a link in a post, in ASCII; the unchanged link if it isn't a valid URL. */
export const absoluteUrl = (href: string, base: string) =>
  URL.canParse(href, base) ? new URL(href, base).href : href;
