import { attributeIn, scanHtml } from '../../../untrusted/pages/html-scan.ts';
import { resolvedBase } from '../../../untrusted/pages/page-mending.ts';
import { pageKindOf, pageText, parsedJson, type SourcePage, stringsOf } from './source-page.ts';

type LinkVerdict = 'links' | 'no-link' | 'gone';

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

/** The attributes that can contain a link, for each element (Webmention 3.2.2). */
const linking: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  area: ['href'],
  link: ['href'],
  img: ['src', 'srcset'],
  source: ['src', 'srcset'],
  video: ['src', 'poster'],
  audio: ['src'],
  track: ['src'],
  embed: ['src'],
  iframe: ['src'],
  object: ['data'],
  blockquote: ['cite'],
  q: ['cite'],
  ins: ['cite'],
  del: ['cite'],
};

/**
 * The maximum number of links to read from a page, equal to the limit for a page's elements. No page that is meant for
 * people has more links.
 */
const mostLinks = 20_000;

interface PageLink {
  /** The link as the page spells it. */
  readonly value: string;
  /** The resolved URL; absent if `value` isn't a valid URL. */
  readonly url?: string;
  /** The link's position in the page's `text`. */
  readonly at: number;
}

interface PageLinks {
  readonly links: readonly PageLink[];
  /** The text that a reader sees. */
  readonly text: string;
  /** The HTTP status that a meta element claims: `<meta http-equiv="status" content="410 Gone">`. */
  readonly status?: number;
}

/**
 * Finds the links of a page, except those in comments, text and templates. `url`: the page's own URL.
 * @throws Error for a tag with hundreds of attributes.
 */
export function pageLinks(html: string, url: string): PageLinks {
  const found: { value: string; at: number }[] = [];
  const text: string[] = [];
  let length = 0;
  let status: number | undefined;

  const { base, isWhole } = scanHtml(html, {
    element(name, attributes) {
      if (name === 'meta' && attributeIn(attributes, 'http-equiv')?.trim().toLowerCase() === 'status') {
        const claimed = attributeIn(attributes, 'content') ?? '';
        status ??= Number(/^\s*(\d{3})\b/.exec(claimed)?.[1] ?? 200);
      }
      for (const attribute of Object.hasOwn(linking, name) ? (linking[name] ?? []) : []) {
        const value = attributeIn(attributes, attribute);
        if (value === undefined) continue;
        const room = mostLinks - found.length;
        const values = attribute === 'srcset' ? value.split(/,?\s+/, room) : [value].slice(0, room);
        for (const each of values) found.push({ value: each.trim(), at: length });
      }
    },
    text(characters) {
      text.push(characters);
      length += characters.length;
    },
  });
  if (!isWhole) throw new Error('A tag of the page has hundreds of attributes.');
  const from = resolvedBase(base, url);
  const links = found.map(({ value, at }) => {
    return URL.canParse(value, from) ? { value, at, url: new URL(value, from).href } : { value, at };
  });
  return { links, text: text.join(''), ...(status !== undefined && { status }) };
}
