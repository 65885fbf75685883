import type { Token } from 'parse5';
import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { BoundedTokenizer, TooMuch } from '../../http/strangers/page-document.ts';
import { strictSanitizing } from '../../http/strangers/sanitizing.ts';
import { cleanHtml } from '../source/clean-html.ts';
import { isRecord } from '../source/json-values.ts';

const inline =
  'a abbr b bdi bdo br cite code data del dfn em i img ins kbd mark q s samp small span strong sub sup time u var wbr';
const blocks =
  'article blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tbody td th thead tr ul';

const tags = `${inline} ${blocks}`.split(' ');

/** What an aggregator may leave in its HTML: more than we do, so that what it told stays as it was. */
const attributes: Readonly<Record<string, string[]>> = {
  '*': ['class', 'dir', 'id', 'lang', 'title'],
  a: ['href', 'rel'],
  img: ['src', 'alt', 'width', 'height'],
  data: ['value'],
  time: ['datetime'],
};
const allowed: IOptions = {
  ...strictSanitizing,
  allowedTags: tags,
  allowedAttributes: attributes,
  allowedSchemes: ['http', 'https', 'mailto'],
  // As aggregators tell it.
  allowProtocolRelative: true,
};
/** Elements that need no attribute to run something, or to change how what follows is read. */
const powers = new Set(
  (
    'applet base body button embed form frame frameset head html iframe input link listing marquee math meta noembed ' +
    'noframes noscript object option plaintext script select style svg template textarea title xmp'
  ).split(' '),
);

const longest = 50_000;
const addresses = new Set(['url', 'photo', 'video', 'audio', 'syndication', 'canonical']);
/** With the characters that browsers overlook. */
const runs = new RegExp('^[\\u0000-\\u0020]*(?:javascript|vbscript|data):', 'i');
const overlooked = /[\t\n\r]/g;
const looksLikeHtml = /<[a-z!/?]/i;

/**
 * What an aggregator told, as readers may put it on their pages (WR-12): HTML without anything that runs, no address
 * that does; all else as it was. `base`: the page it is from. `name`: of the property that has the value.
 */
function harmless(value: unknown, base: string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => harmless(each, base, name));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, harmless(inner, base, key)]));
  if (typeof value !== 'string') return value;
  if (addresses.has(name)) return runs.test(value.replace(overlooked, '')) ? '' : value;
  // The older format has text or HTML in `content`, the older sites of the newer one in `value`, and neither says which.
  if (!['html', 'content', 'value'].includes(name) || !looksLikeHtml.test(value)) return value;
  if (value.length > longest) return cleanHtml(value, base);
  return isHarmless(value) ? value : sanitizeHtml(value, allowed);
}

/** True for HTML that may stay letter by letter. A strange element without attributes does nothing. */
function isHarmless(markup: string): boolean {
  let isGood = true;
  const bad = (): void => {
    isGood = false;
  };
  const onStartTag = ({ tagName, attrs }: Token.TagToken): void => {
    const may = [
      ...(attributes['*'] ?? []),
      ...((Object.hasOwn(attributes, tagName) && attributes[tagName]) || []),
    ];
    const isPlain = attrs.length === 0 && !powers.has(tagName);
    const isAllowed = attrs.every(({ name, value }) => may.includes(name) && isQuiet(name, value));
    if (!isPlain && !(tags.includes(tagName) && isAllowed)) bad();
  };
  const nothing = (): void => undefined;
  const handlers = {
    onCharacter: nothing,
    onWhitespaceCharacter: nothing,
    onEndTag: nothing,
    onEof: nothing,
  };
  const rest = { onNullCharacter: bad, onComment: bad, onDoctype: bad };
  try {
    new BoundedTokenizer({}, { onStartTag, ...handlers, ...rest }).write(markup, true);
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return false;
  }
  return isGood;
}

const isQuiet = (name: string, value: string) =>
  (name !== 'href' && name !== 'src') || /^(?:https?:|mailto:|\/|#)/i.test(value);

/** The same of a whole record. */
export function harmlessRecord(record: Readonly<Record<string, unknown>>, base: string) {
  return harmless(record, base) as Record<string, unknown>;
}
