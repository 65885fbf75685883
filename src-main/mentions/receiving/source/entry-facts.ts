import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { oneLine } from '../../../posts/values.ts';
import { isRecord, own } from '../../../storage/json-value.ts';
import { visibleText } from '../../../untrusted/pages/html-scan.ts';
import { strictSanitizing } from '../../../untrusted/pages/sanitizing.ts';
import { cleanLine, cleanText, mostBytes } from '../../mention-limits.ts';
import type { SourceFacts } from '../../mention.ts';
import { asWebAddress, type Item, itemText, itemValues, responseOf, type Surroundings } from './item.ts';

const longestName = 500;
/** The maximum length of a mention's text. Longer text is shortened when it is stored, and marked as shortened. */
const longestText = mostBytes;
const mostAddresses = 20;

/**
 * Returns the facts that an entry states about a mention: all fields of SourceFacts except the author. Without an
 * entry, returns the fields of a plain mention.
 */
export function entryFacts(entry: Item | undefined, page: Surroundings): SourceFacts {
  const response = responseOf(entry, page.target);
  if (!entry) return response;
  const content = contentOf(entry, page.url);
  const name = nameOf(entry, content?.value ?? '');
  const published = itemValues(entry, 'published')
    .map(itemText)
    .map(isoMoment)
    .find((value) => value !== undefined);
  const url = addressOf(entry, page);
  return {
    ...response,
    ...(published !== undefined && { published }),
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(content && { content }),
    ...addresses(entry, 'syndication'),
    ...addresses(entry, 'photo'),
    ...addresses(entry, 'video'),
    ...addresses(entry, 'audio'),
  };
}

/**
 * Returns the entry's first content that has text, or else its first summary that has text (post type discovery, steps
 * 8 and 9).
 */
function contentOf(entry: Item, base: string): SourceFacts['content'] {
  for (const value of [...itemValues(entry, 'content'), ...itemValues(entry, 'summary')]) {
    const markup = isRecord(value) ? own(value, 'html') : undefined;
    const html = typeof markup === 'string' ? cleanHtml(markup, base) : '';
    const text = cleanText(itemText(value) || visibleText(html), longestText);
    if (text !== '') return { ...(html !== '' && { html }), value: text };
  }
  return undefined;
}

/**
 * Returns an entry's name; undefined if the name only repeats the start of the content, as implied names do (post type
 * discovery, step 12).
 */
function nameOf(entry: Item, content: string): string | undefined {
  const name = cleanLine(itemText(itemValues(entry, 'name')[0]), longestName);
  const said = oneLine(content);
  const repeated = name.replace(/\s*(?:…|\.{3})$/, '');
  return name === '' || (said !== '' && said.startsWith(repeated)) ? undefined : name;
}

/**
 * Returns the entry's own URL, as stated in the entry. If the entry states several URLs, prefers a URL on the host of
 * the page.
 */
function addressOf(entry: Item, page: Surroundings): string | undefined {
  const urls = itemValues(entry, 'url').flatMap((value) => asWebAddress(value) ?? []);
  const { host } = new URL(page.url);
  return urls.find((url) => new URL(url).host === host) ?? urls[0];
}

type Listed = 'syndication' | 'photo' | 'video' | 'audio';

function addresses(entry: Item, name: Listed): Partial<Record<Listed, string[]>> {
  const all = itemValues(entry, name).flatMap((value) => asWebAddress(value) ?? []);
  return all.length === 0 ? {} : { [name]: [...new Set(all)].slice(0, mostAddresses) };
}

const longest = 50_000;

const inline = 'a abbr b bdi br cite code del dfn em i ins kbd mark q s samp small strong sub sup u var wbr';
const blocks = 'blockquote dd dl dt h3 h4 h5 h6 hr li ol p pre ul';

const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags: `${inline} ${blocks}`.split(' '),
  allowedAttributes: { '*': ['dir', 'lang'], a: ['href', 'rel'], abbr: ['title'] },
  allowedSchemes: ['http', 'https'],
};

/**
 * Makes a stranger's HTML safe to show. Keeps text, links (marked nofollow) and simple structure. Removes pictures,
 * audio, video, styles, and anything that loads content or runs code. Lowers headings to levels below those of our own
 * page. `base`: the URL of the source page. Returns an empty string if nothing is left.
 */
export function cleanHtml(markup: string, base: string): string {
  for (let length = longest; length > 1000; length = Math.floor(length / 2)) {
    const clean = sanitized(beginning(markup, length), base).trim();
    // Sanitized markup can be longer than the original.
    if (clean.length <= longest) return clean;
  }
  return '';
}

/**
 * Returns at most the first `length` UTF-16 units of the markup, without ending inside a tag or a character reference.
 */
function beginning(markup: string, length: number): string {
  return markup.length <= length ? markup : markup.slice(0, length).replace(/[<&][^<>&;]*$/, '');
}

function sanitized(markup: string, base: string): string {
  return sanitizeHtml(markup, {
    ...allowed,
    transformTags: {
      h1: 'h3',
      h2: 'h3',
      div: 'p',
      a: (tagName, { href = '', dir, lang }) => ({
        tagName,
        attribs: {
          ...(URL.canParse(href, base) && { href: new URL(href, base).href, rel: 'nofollow ugc noopener' }),
          ...(dir !== undefined && { dir }),
          ...(lang !== undefined && { lang }),
        },
      }),
    },
  });
}

const iso =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/** Returns a source's date as ISO 8601, with its own offset if it has one; undefined if it isn't a date. */
export function isoMoment(text: string): string | undefined {
  const trimmed = text.trim();
  const parts = trimmed.length <= 40 ? iso.exec(trimmed) : null;
  if (!parts) return undefined;
  const [year, month, day, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part || 0));
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = parts[7];
  if (offset === undefined) return trimmed.replace(' ', 'T').trim();
  const [hours = 0, minutes = 0] = (offset.match(/\d{2}/g) ?? []).map(Number);
  if (hours > 23 || minutes > 59) return undefined;
  const moment = trimmed.slice(0, -offset.length).trim().replace(' ', 'T');
  return (
    moment +
    (/^z$/i.test(offset)
      ? 'Z'
      : offset.replace(/^(.\d{2}):?(\d{2})?$/, (_, h: string, m = '00') => `${h}:${String(m)}`))
  );
}
