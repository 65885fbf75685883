import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';
import { html, type Html } from '../http/html.ts';
import { asLink, asText, isRecord } from './values.ts';

/** What a posted content becomes on a page: HTML is sanitized, text stays the text that it is (Micropub 3.3.2). */
export function contentMarkup(content: unknown, base: string): Html | undefined {
  const rich = richOf(content);
  if (rich !== undefined) return sanitized(rich, base);
  const text = asText(content);
  return text === undefined ? undefined : paragraphs(text);
}

/** Enough for every title and excerpt; a page that lists long posts does not read them to their end. */
const readForWords = 20_000;

/** The words of a content, on one line; those of a very long one from its beginning. */
export function contentText(content: unknown): string {
  const rich = richOf(content);
  const text =
    rich === undefined
      ? (asText(content) ?? '').slice(0, readForWords)
      : wordsOf(rich.slice(0, readForWords));
  return text.replace(/\s+/g, ' ').trim();
}

/** The beginning of a text, of at most `length` characters, cut between words. */
export function excerpt(text: string, length: number): string {
  const characters = Array.from(text);
  if (characters.length <= length) return text;
  const cut = characters.slice(0, length).join('');
  return `${cut.replace(/\s+\S{0,30}$/, '')}…`;
}

function richOf(content: unknown): string | undefined {
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
  'audio blockquote caption dd details div dl dt figcaption figure h2 h3 h4 h5 h6 hr li ol p picture pre summary ' +
  'table tbody td tfoot th thead time tr ul var video wbr rp rt ruby u';

const allowed: IOptions = {
  allowedTags: `${inline} ${blocks}`.split(' '),
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href'],
    audio: ['src', 'controls'],
    img: ['src', 'alt', 'width', 'height', 'loading'],
    ol: ['start', 'reversed'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    time: ['datetime'],
    video: ['src', 'controls', 'width', 'height'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nestingLimit: 100,
};

/**
 * The owner's HTML, sanitized all the same: an app wrote it. Its headings stand below the page's own, its addresses
 * are absolute (feeds are read elsewhere), and pictures and recordings kept elsewhere become links, so that reading a
 * page tells nobody else.
 */
function sanitized(markup: string, base: string): Html {
  return {
    markup: sanitizeHtml(markup, {
      ...allowed,
      transformTags: {
        h1: 'h2',
        a: (tagName, { href, ...rest }) => ({
          tagName,
          attribs: href === undefined ? rest : { ...rest, href: absolute(href, base) },
        }),
        img: (_name, attribs) => embedded('img', { alt: '', ...attribs, loading: 'lazy' }, base),
        audio: (_name, attribs) => embedded('audio', { ...attribs, controls: '' }, base),
        video: (_name, attribs) => embedded('video', { ...attribs, controls: '' }, base),
      },
    }),
  };
}

function absolute(href: string, base: string): string {
  return URL.canParse(href, base) ? new URL(href, base).href : href;
}

function embedded(tagName: string, attribs: Attributes, base: string): Tag {
  const url = asLink(attribs['src'], base);
  if (url === undefined) return { tagName: 'span', attribs: {}, text: attribs['alt'] ?? '' };
  if (isOwn(url, base)) return { tagName, attribs: { ...attribs, src: absolute(url, base) } };
  return { tagName: 'a', attribs: { href: url }, text: attribs['alt'] || url };
}

/** True for an address on this site. */
export function isOwn(url: string, base: string): boolean {
  return new URL(url, base).origin === new URL(base).origin;
}

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

function wordsOf(markup: string): string {
  const apart = markup.replace(/<(br|\/?(p|li|h\d|div|blockquote|td|th|dd|dt|pre|figcaption))\b/gi, ' <$1');
  return sanitizeHtml(apart, { allowedTags: [], allowedAttributes: {} }).replace(
    /&(?:amp|lt|gt|quot);/g,
    (entity) => entities[entity] ?? entity,
  );
}
