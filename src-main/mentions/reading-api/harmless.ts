import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { scanHtml } from '../../untrusted/pages/html-scan.ts';
import { strictSanitizing } from '../../untrusted/pages/sanitizing.ts';
import { cleanHtml } from '../receiving/source/clean-html.ts';
import { isRecord } from '../../storage/json-value.ts';

const inline =
  'a abbr b bdi bdo br cite code data del dfn em i img ins kbd mark q s samp small span strong sub sup time u var wbr';
const blocks =
  'article blockquote dd div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section table tbody td th thead tr ul';

const tags = `${inline} ${blocks}`.split(' ');

/** The attributes that an aggregator's HTML may keep. The list is long, so that most imported HTML stays unchanged. */
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
  // Aggregators send URLs without a scheme (`//host/path`).
  allowProtocolRelative: true,
};
/** Elements that can run code or change how the following markup is parsed, even without attributes. */
const powers = new Set(
  (
    'applet base body button embed form frame frameset head html iframe input link listing marquee math meta noembed ' +
    'noframes noscript object option plaintext script select style svg template textarea title xmp'
  ).split(' '),
);

const longest = 50_000;
const addresses = new Set(['url', 'photo', 'video', 'audio', 'syndication', 'canonical']);
/** Matches URLs that run code. Browsers ignore control characters and spaces at the start of a URL. */
const runs = new RegExp('^[\\u0000-\\u0020]*(?:javascript|vbscript|data):', 'i');
const overlooked = /[\t\n\r]/g;
const looksLikeHtml = /<[a-z!/?]/i;

/**
 * Makes a value from an aggregator safe for other people's pages (WR-12). Sanitizes HTML that could run code, replaces
 * URLs that run code with an empty string, and leaves everything else unchanged. `base`: the URL of the source page.
 * `name`: the name of the value's property.
 */
function harmless(value: unknown, base: string, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => harmless(each, base, name));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, harmless(inner, base, key)]));
  if (typeof value !== 'string') return value;
  if (addresses.has(name)) return runs.test(value.replace(overlooked, '')) ? '' : value;
  // The json format doesn't state whether `content` is text or HTML. Nor does the jf2 format for `value`, which
  // webmention.io sends for sites created before 2018-02-26.
  if (!['html', 'content', 'value'].includes(name) || !looksLikeHtml.test(value)) return value;
  if (value.length > longest) return cleanHtml(value, base);
  return isHarmless(value) ? value : sanitizeHtml(value, allowed);
}

/** Returns whether HTML from an aggregator can stay unchanged. Unknown elements without attributes are harmless. */
function isHarmless(markup: string): boolean {
  let faults = 0;
  const { isWhole } = scanHtml(markup, {
    element(name, given) {
      const may = [
        ...(attributes['*'] ?? []),
        ...((Object.hasOwn(attributes, name) && attributes[name]) || []),
      ];
      const isPlain = given.length === 0 && !powers.has(name);
      const isAllowed = given.every((each) => may.includes(each.name) && isQuiet(each.name, each.value));
      if (!isPlain && !(tags.includes(name) && isAllowed)) faults += 1;
    },
    other() {
      faults += 1;
    },
  });
  return isWhole && faults === 0;
}

const isQuiet = (name: string, value: string) =>
  (name !== 'href' && name !== 'src') || /^(?:https?:|mailto:|\/|#)/i.test(value);

/** Makes a whole record safe for other people's pages, as `harmless` does for a single value. */
export function harmlessRecord(record: Readonly<Record<string, unknown>>, base: string) {
  return harmless(record, base) as Record<string, unknown>;
}
