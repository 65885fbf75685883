import sanitizeHtml, { type IOptions } from 'sanitize-html';
import { mentionTypes } from '../../contract/mention-types.ts';
import { isRecord } from '../../storage/json-value.ts';
import { scanHtml } from '../../untrusted/pages/html-scan.ts';
import { strictSanitizing } from '../../untrusted/pages/sanitizing.ts';
import { readSinceImport } from '../import/raw-mention.ts';
import { cleanHtml } from '../clean-facts.ts';
import type { MentionStore } from '../mention-store.ts';
import { linkProperty, type Mention, sourceUrl } from '../mention.ts';
import { factsToShow } from '../mention-record.ts';

/**
 * Returns a mention in webmention.io's jf2 format (PROTOCOLS 8.3). For an imported mention, copies every field of the
 * aggregator's record, without anything that would run code in a page. Adds only missing fields that widgets rely on
 * (WI-40, WI-41). Builds the record from the mention's facts if the aggregator's record isn't stored, or if this server
 * has read the source since the import.
 */
export function jf2Record(mention: Mention): Record<string, unknown> {
  const own = ownRecord(mention);
  const imported = mention.imported?.jf2;
  if (!imported || readSinceImport(mention)) return own;
  const record: Record<string, unknown> = {
    ...required(alwaysInJf2, own),
    ...harmlessRecord(imported, mention.source),
  };
  record['url'] =
    typeof record['url'] === 'string' && record['url'] !== ''
      ? sourceUrl(record['url'], mention)
      : own['url'];
  if (!isRecord(record['author'])) record['author'] = own['author'];
  const { content } = record;
  if (isRecord(content) && typeof content['html'] !== 'string' && typeof content['text'] !== 'string')
    record['content'] = { ...content, text: factsToShow(mention).content?.value ?? '' };
  return record;
}

const alwaysInJf2 =
  'type author url published wm-received wm-id wm-source wm-target wm-protocol wm-property wm-private'.split(
    ' ',
  );

function required(names: readonly string[], record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, record[name]]));
}

function ownRecord(mention: Mention): Record<string, unknown> {
  const { source, target, received, wmId, private: isPrivate = false } = mention;
  const facts = factsToShow(mention);
  const { property, author, content, name, rsvp, syndication, photo, video, audio } = facts;
  return {
    type: 'entry',
    author: { type: 'card', name: author?.name ?? '', photo: author?.photo ?? '', url: author?.url ?? '' },
    url: sourceUrl(facts.url, mention),
    published: publishedText(facts.published),
    'wm-received': received.replace('.000Z', 'Z'),
    'wm-id': wmId,
    'wm-source': source,
    'wm-target': target,
    'wm-protocol': 'webmention',
    ...(name !== undefined && { name }),
    ...(syndication && { syndication }),
    ...(photo && { photo }),
    ...(video && { video }),
    ...(audio && { audio }),
    ...(content && {
      content: { ...(content.html !== undefined && { html: content.html }), text: content.value },
    }),
    [linkProperty(property)]: target,
    ...(property === 'rsvp' && { rsvp: rsvp ?? '' }),
    'wm-property': property,
    'wm-private': isPrivate,
  };
}

/**
 * Returns a date as `YYYY-MM-DDTHH:MM:SS`, with an offset only if the source gave one; null if the date is unknown
 * (PROTOCOLS 8.3).
 */
function publishedText(published: string | undefined): string | null {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(:\d{2})?(?:\.\d+)?(Z|[+-]\d{2}:\d{2})?)?$/i.exec(
    published ?? '',
  );
  if (!parts) return null;
  const [, date = '', time = '00:00', seconds = ':00', offset = ''] = parts;
  return `${date}T${time}${seconds}${offset.replace(/^z$/i, '+00:00')}`;
}

/**
 * Returns a mention in webmention.io's json format (PROTOCOLS 8.4). For an imported mention, copies every field of the
 * aggregator's record, without anything that would run code in a page. Builds the record from the mention's facts if
 * the aggregator's record isn't stored, or if this server has read the source since the import.
 */
export function jsonRecord(mention: Mention): Record<string, unknown> {
  const own = ownJsonRecord(mention);
  const imported = mention.imported?.json;
  if (!imported || readSinceImport(mention)) return own;
  const record = { ...required(alwaysInJson, own), ...harmlessRecord(imported, mention.source) };
  const { data } = record;
  return isRecord(data) && typeof data['url'] === 'string' && data['url'] !== ''
    ? { ...record, data: { ...data, url: sourceUrl(data['url'], mention) } }
    : record;
}

const alwaysInJson = ['source', 'target', 'verified', 'verified_date', 'id', 'private', 'data', 'activity'];

function ownJsonRecord(mention: Mention): Record<string, unknown> {
  const { source, target, parsed, wmId, private: isPrivate = false } = mention;
  const facts = factsToShow(mention);
  const { type, author, name, content, rsvp } = facts;
  const published = publishedText(facts.published);
  return {
    source,
    verified: true,
    verified_date: parsed.replace(/(?:\.\d+)?Z$/, '+00:00'),
    id: wmId,
    private: isPrivate,
    data: {
      ...(author && { author }),
      url: sourceUrl(facts.url, mention),
      name: name ?? null,
      content: content?.html ?? content?.value ?? null,
      published,
      published_ts: secondsOf(published),
      ...(rsvp !== undefined && { rsvp }),
    },
    activity: { type: mentionTypes[type].activity },
    target,
  };
}

/** Converts a date to seconds since the epoch. A time without an offset counts as UTC. */
function secondsOf(published: string | null): number | null {
  if (published === null) return null;
  return Math.floor(Date.parse(published.length > 19 ? published : `${published}Z`) / 1000);
}

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

const longestMarkup = 50_000;
/** The properties whose values are text. A value of any other property may be followed as a link. */
const texts = new Set(['content', 'html', 'name', 'note', 'summary', 'text', 'title', 'value']);
/** Matches URLs that run code. Browsers ignore control characters and spaces at the start of a URL. */
const runs = new RegExp('^[\\u0000-\\u0020]*(?:javascript|vbscript|data):', 'i');
const ignored = /[\t\n\r]/g;
const htmlStart = /<[a-z!/?]/i;

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
  if (!texts.has(name)) return runs.test(value.replace(ignored, '')) ? '' : value;
  // The json format doesn't state whether `content` is text or HTML. Nor does the jf2 format for `value`, which
  // webmention.io sends for sites created before 2018-02-26.
  if (!['html', 'content', 'value'].includes(name) || !htmlStart.test(value)) return value;
  if (value.length > longestMarkup) return cleanHtml(value, base);
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

/** The first characters of every export, by which Porchlight recognizes an export file. ASCII only. */
export const exportHead = '{"type":"feed","name":"Webmentions","children":[\n';

/**
 * Returns all mentions as one JF2 feed, oldest first, in pieces of text. Includes private mentions (`wm-private`) and
 * held, hidden, removed or deleted mentions (`porchlight-status`), so that the owner's copy is complete.
 */
export function exportJf2(store: Pick<MentionStore, 'all'>): AsyncIterable<string> {
  const textOf = (mention: Mention) =>
    `${JSON.stringify({ ...jf2Record(mention), 'porchlight-status': mention.status })}\n`;
  return listText(exportHead, store.all(), textOf, ']}\n');
}

/** The number of characters to send at a time. */
const pieceLength = 64 * 1024;

/**
 * Yields a JSON object that ends in a list, in pieces of text, so that even a long list needs little memory. `head`:
 * the object's text before the first entry of the list. `foot`: the text after the last entry.
 */
export async function* listText<T>(
  head: string,
  entries: AsyncIterable<T> | Iterable<T>,
  textOf: (entry: T) => string,
  foot: string,
): AsyncIterable<string> {
  let piece = head;
  let separator = '';
  for await (const entry of entries) {
    piece += separator + textOf(entry);
    separator = ',';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece + foot;
}
