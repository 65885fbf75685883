import { createHash, randomUUID } from 'node:crypto';
import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { html, type Html } from '../../http/html.ts';
import { visibleText } from '../../untrusted/pages/html-scan.ts';
import { hasTooManyTags, strictSanitizing } from '../../untrusted/pages/sanitizing.ts';
import { readForWords } from '../content-text.ts';
import {
  absoluteUrl,
  categoryPath,
  type InlineLink,
  inlineLinks,
  nobody,
  type PersonFinder,
} from '../links.ts';
import { asLink, asText, htmlOf, oneLine } from '../values.ts';
import { type Embedded, type EmbeddedView, mostOnPage, openableMarkup } from './embedded.ts';

/** Content that is ready for a page: HTML, and the pictures and recordings in it. Their files are looked up later. */
export type RichText = readonly (string | Embedded)[];

/**
 * Converts posted content for a page: sanitizes HTML, and keeps plain text as plain text (Micropub 3.3.2). `base`: the
 * public origin. `page`: the URL of the page that the content belongs to, against which its links resolve. Content
 * without a page of its own keeps no ids.
 */
export function richText(
  content: unknown,
  base: string,
  personUrl = nobody,
  page?: string,
): RichText | undefined {
  const rich = htmlOf(content);
  if (rich !== undefined && hasTooManyTags(rich))
    return [paragraphs(visibleText(rich), { base, personUrl }).markup];
  if (rich !== undefined)
    return sanitized(rich, page ?? base, page === undefined ? undefined : idPrefix(page));
  const text = asText(content);
  return text === undefined ? undefined : [paragraphs(text, { base, personUrl }).markup];
}

/** Returns the markup of content with its pictures and recordings. Files that `shown` doesn't find become links. */
export function richMarkup(parts: RichText, view: EmbeddedView): Html {
  const markup = parts.map((part) => (typeof part === 'string' ? part : openableMarkup(part, view).markup));
  return { markup: markup.join('') };
}

/** Returns the markup of content, with links instead of pictures and recordings. */
export function contentMarkup(
  content: unknown,
  base: string,
  personUrl = nobody,
  page?: string,
): Html | undefined {
  const parts = richText(content, base, personUrl, page);
  return parts && richMarkup(parts, linksOnly(base));
}

/** Makes links of pictures and recordings. */
const linksOnly = (base: string): EmbeddedView => ({ base, shown: () => undefined });

/** The data needed to create links in plain text. `base`: the public origin. */
interface LinkPlace {
  readonly base: string;
  readonly personUrl: PersonFinder;
}

function paragraphs(text: string, place: LinkPlace): Html {
  const parts = linked(text.replace(/\r\n?/g, '\n').trim(), place)
    .split(/\n{2,}/)
    .map((part) => `<p>${part.replaceAll('\n', '<br>')}</p>`);
  return { markup: parts.join('') };
}

/** Returns the HTML of a text. Converts bare URLs, #tags and @-mentions of known people to links. */
function linked(text: string, place: LinkPlace): string {
  const parts: (Html | string)[] = [];
  let end = 0;
  for (const link of inlineLinks(text)) {
    const shown = text.slice(link.index, link.index + link.length);
    parts.push(text.slice(end, link.index), linkMarkup(link, shown, place));
    end = link.index + link.length;
  }
  return html`${[...parts, text.slice(end)]}`.markup;
}

function linkMarkup(link: InlineLink, shown: string, { base, personUrl }: LinkPlace): Html | string {
  if (link.kind === 'tag') return html`<a href="${base}${categoryPath(link.name)}" rel="tag">${shown}</a>`;
  if (link.kind === 'url')
    return URL.canParse(link.url)
      ? html`<a href="${absoluteUrl(link.url, base)}" dir="ltr">${shown}</a>`
      : shown;
  const url = personUrl(link.handle);
  return url === undefined ? shown : html`<a href="${url}">${shown}</a>`;
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
    '*': ['dir', 'lang', 'title', 'id'],
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
 * Sanitizes the HTML of a post, which may come from any app. Changes level 1 headings to level 2, because the page's
 * own heading has level 1. Makes URLs absolute, because feed readers show the HTML outside this site. Gives ids
 * `prefix`, so that they differ from those of the page and of other posts; without it, removes them. Replaces pictures
 * and recordings with placeholders that no app can guess. `base`: the URL against which links resolve.
 */
function sanitized(markup: string, base: string, prefix: string | undefined): RichText {
  const secret = randomUUID();
  const found: Embedded[] = [];
  /**
   * Sets the URL of the most recent video or audio element to the URL of one of its source elements. Undefined if the
   * video or audio element already has a URL, or if a picture follows it.
   */
  let waiting: ((src: string | undefined) => void) | undefined;
  let openLinks = 0;

  function mark(kind: Embedded['kind'], attribs: Attributes): Tag {
    const place = found.length;
    const words = attribs['alt'] ?? attribs['aria-label'] ?? '';
    const isLinked = openLinks > 0;
    const put = (src: string | undefined): void => {
      const url = asLink(src, base);
      found[place] = {
        kind,
        url: url === undefined ? '' : new URL(url, base).href,
        alt: words,
        size: displaySize(attribs),
        isLinked,
      };
      waiting = url === undefined && kind !== 'img' ? put : undefined;
    };
    put(attribs['src']);
    // The empty text replaces the element's content, which is only for browsers that can't play recordings.
    return { tagName: 'img', attribs: { title: `${secret} ${place}` }, text: '' };
  }

  /** Returns the attributes of an element with its id, or the name of an old anchor, as its prefixed id. */
  function withId({ id, name, ...attribs }: Attributes): Attributes {
    const own = id ?? name;
    const isUsable = prefix !== undefined && own !== undefined && /^\S{1,200}$/.test(own);
    return isUsable ? { ...attribs, id: `${prefix}${own}` } : attribs;
  }

  function linkTo(href: string): string {
    const address = absoluteUrl(href, base);
    const [document, fragment = ''] = address.split('#', 2);
    const isHere = prefix !== undefined && document === absoluteUrl(base, base) && fragment !== '';
    return isHere ? `${document}#${prefix}${fragment}` : address;
  }

  const text = sanitizeHtml(markup, {
    ...allowed,
    onOpenTag: (name) => void (openLinks += name === 'a' ? 1 : 0),
    onCloseTag: (name) => void (openLinks -= name === 'a' ? 1 : 0),
    transformTags: {
      '*': (tagName, attribs) => ({ tagName: tagName === 'h1' ? 'h2' : tagName, attribs: withId(attribs) }),
      a(tagName, { href, ...rest }) {
        // HTML has no links within links. Browsers would end the outer one, and close other elements with it.
        if (openLinks > 1) return { tagName: 'span', attribs: rest };
        return { tagName, attribs: href === undefined ? rest : { ...rest, href: linkTo(href) } };
      },
      img: (_name, attribs) => mark('img', attribs),
      audio: (_name, attribs) => mark('audio', attribs),
      video: (_name, attribs) => mark('video', attribs),
      source(tagName, { src }) {
        waiting?.(src);
        return { tagName, attribs: {} };
      },
    },
  });
  return withEmbedded(text.split(new RegExp(`<img title="${secret} (\\d+)" />`)), found, base);
}

/**
 * Puts pictures and recordings in their places. `pieces`: HTML and the numbers of the pictures and recordings by turns.
 */
function withEmbedded(pieces: readonly string[], found: readonly Embedded[], base: string): RichText {
  const parts: (string | Embedded)[] = [];
  let markup = '';
  for (const [index, piece] of pieces.entries()) {
    const embedded = index % 2 === 1 ? found[Number(piece)] : undefined;
    if (!embedded) markup += piece;
    else if (embedded.url === '') markup += html`<span>${embedded.alt}</span>`.markup;
    // Pages look up only so many files. The others are links anyway.
    else if (parts.length >= 2 * mostOnPage) markup += openableMarkup(embedded, linksOnly(base)).markup;
    else {
      parts.push(markup, embedded);
      markup = '';
    }
  }
  return [...parts, markup];
}

/** Returns a prefix for the ids in a page's content. It depends on the page's path, because lists show several pages. */
function idPrefix(page: string): string {
  return `p${createHash('sha256').update(new URL(page).pathname).digest('hex').slice(0, 8)}-`;
}

/**
 * Returns the display size in an element's attributes, if it is valid. The size keeps the page from jumping while it
 * loads.
 */
function displaySize({ width = '', height = '' }: Attributes): Embedded['size'] {
  return /^\d{1,5}$/.test(width) && /^\d{1,5}$/.test(height) ? { width, height } : undefined;
}

/** Returns whether a URL is on this site. */
export function isOwn(url: string, base: string): boolean {
  return new URL(url, base).origin === new URL(base).origin;
}

/** Returns a post's content as text on one line; for very long content, only the beginning. */
export function contentLine(content: unknown): string {
  const rich = htmlOf(content);
  const text =
    rich === undefined
      ? (asText(content) ?? '').slice(0, readForWords)
      : visibleText(rich.slice(0, readForWords));
  return oneLine(text);
}

/** Returns the beginning of a text, with at most `length` characters. If possible, cuts the text between two words. */
export function excerpt(text: string, length: number): string {
  // The beginning has more characters than `length` if the text has, because a character has at most two units.
  const characters = Array.from(text.slice(0, 2 * length + 2));
  if (characters.length <= length) return text;
  const cut = characters.slice(0, length).join('');
  return `${cut.replace(/\s+\S{0,30}$/, '')}…`;
}
