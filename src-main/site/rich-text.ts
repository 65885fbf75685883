import { randomUUID } from 'node:crypto';
import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { html, type Html } from '../http/html.ts';
import { strictSanitizing } from '../http/strangers/sanitizing.ts';
import { embeddedMarkup, type Embedded, type Shown } from './embedded.ts';
import { asLink, asText, isRecord } from './values.ts';

/** A content that is ready for a page: HTML, and the pictures and recordings in it, which are looked up later. */
export type RichText = readonly (string | Embedded)[];

/** What a posted content becomes on a page: HTML is sanitized, text stays the text that it is (Micropub 3.3.2). */
export function richText(content: unknown, base: string): RichText | undefined {
  const rich = richOf(content);
  if (rich !== undefined && isTooMuch(rich)) return [paragraphs(withoutTags(rich)).markup];
  if (rich !== undefined) return sanitized(rich, base);
  const text = asText(content);
  return text === undefined ? undefined : [paragraphs(text).markup];
}

/** A second of work at most; ten times what a long article has. Beyond that its words have to do. */
const mostTags = 60_000;

function isTooMuch(markup: string): boolean {
  let count = 0;
  for (let at = markup.indexOf('<'); at !== -1 && count <= mostTags; at = markup.indexOf('<', at + 1))
    count += 1;
  return count > mostTags;
}

/** Text to be escaped, never HTML; in time that grows with the length alone. */
function withoutTags(markup: string): string {
  const [first = '', ...rest] = markup.split('<');
  return [first, ...rest.map((part) => part.slice(part.indexOf('>') + 1))].join(' ').replace(/[ \t]+/g, ' ');
}

/** A content with its pictures and recordings, as far as `shown` knows them. */
export function richMarkup(parts: RichText, view: { readonly base: string; readonly shown: Shown }): Html {
  const markup = parts.map((part) => (typeof part === 'string' ? part : embeddedMarkup(part, view).markup));
  return { markup: markup.join('') };
}

/** A content without pictures and recordings: those are links. */
export function contentMarkup(content: unknown, base: string): Html | undefined {
  const parts = richText(content, base);
  return parts && richMarkup(parts, { base, shown: () => undefined });
}

/** The HTML of a content that has any. */
export function richOf(content: unknown): string | undefined {
  const rich = isRecord(content) ? content['html'] : undefined;
  return typeof rich === 'string' && rich.trim() !== '' ? rich : undefined;
}

const bareLink = /https?:\/\/[^\s<>"]+/gi;

function paragraphs(text: string): Html {
  const parts = text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n{2,}/);
  return html`${parts.map((part) => html`<p>${part.split('\n').map(line)}</p>`)}`;
}

function line(text: string, index: number): Html {
  return html`${index > 0 && html`<br>`}${linked(text)}`;
}

/** A text in which bare addresses can be followed; what closes a sentence does not belong to them. */
function linked(text: string): Html {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(bareLink)) {
    const url = found.replace(found.includes('(') ? /[.,;:!?'\]]+$/ : /[.,;:!?')\]]+$/, '');
    parts.push(text.slice(end, index), URL.canParse(url) ? html`<a href="${url}" dir="ltr">${url}</a>` : url);
    end = index + url.length;
  }
  return html`${[...parts, text.slice(end)]}`;
}

const inline =
  'a abbr b bdi bdo br cite code del dfn em i img ins kbd mark q s samp small span strong sub sup';
const blocks =
  'blockquote caption dd details div dl dt figcaption figure h2 h3 h4 h5 h6 hr li ol p picture pre summary ' +
  'table tbody td tfoot th thead time tr ul var wbr rp rt ruby u';

const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags: `${inline} ${blocks}`.split(' '),
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href'],
    img: ['title'],
    ol: ['start', 'reversed'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    time: ['datetime'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  nestingLimit: 100,
};

/**
 * The owner's HTML, sanitized all the same: an app wrote it. Its headings stand below the page's own, its addresses
 * are absolute (feeds are read elsewhere). Pictures and recordings are taken out: each leaves a mark that no app can
 * know.
 */
function sanitized(markup: string, base: string): RichText {
  const secret = randomUUID();
  const found: Embedded[] = [];
  /** A video or a recording that has not said yet where it is: its first source will. */
  let waiting: ((src: string | undefined) => void) | undefined;

  function mark(kind: Embedded['kind'], attribs: Attributes): Tag {
    const place = found.length;
    const words = attribs['alt'] ?? attribs['aria-label'] ?? '';
    const put = (src: string | undefined): void => {
      const url = asLink(src, base);
      found[place] = {
        kind,
        url: url === undefined ? '' : new URL(url, base).href,
        alt: words,
        size: sizeOf(attribs),
      };
      waiting = url === undefined && kind !== 'img' ? put : undefined;
    };
    put(attribs['src']);
    // Its own text is for browsers that show no recordings.
    return { tagName: 'img', attribs: { title: `${secret} ${place}` }, text: '' };
  }

  const text = sanitizeHtml(markup, {
    ...allowed,
    transformTags: {
      h1: 'h2',
      a: (tagName, { href, ...rest }) => ({
        tagName,
        attribs: href === undefined ? rest : { ...rest, href: absolute(href, base) },
      }),
      img: (_name, attribs) => mark('img', attribs),
      audio: (_name, attribs) => mark('audio', attribs),
      video: (_name, attribs) => mark('video', attribs),
      source(tagName, { src }) {
        waiting?.(src);
        return { tagName, attribs: {} };
      },
    },
  });
  const parts: (string | Embedded)[] = text.split(new RegExp(`<img title="${secret} (\\d+)" />`));
  // Every second part is the number of a mark.
  for (let index = 1; index < parts.length; index += 2) {
    const embedded = found[Number(parts[index])];
    if (embedded) parts[index] = embedded.url === '' ? html`<span>${embedded.alt}</span>`.markup : embedded;
  }
  return parts;
}

/** The size that the post's HTML wants, where it is one: without a jump once the picture is there. */
function sizeOf({ width = '', height = '' }: Attributes): Embedded['size'] {
  return /^\d{1,5}$/.test(width) && /^\d{1,5}$/.test(height) ? { width, height } : undefined;
}

function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}

/** True for an address on this site. */
export function isOwn(url: string, base: string): boolean {
  return new URL(url, base).origin === new URL(base).origin;
}
