import { attributeIn, scanHtml } from '../../../untrusted/pages/html-scan.ts';
import { resolvedBase } from '../../../untrusted/pages/page-mending.ts';

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

export interface PageLinks {
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
