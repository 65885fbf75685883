import { oneLine } from '../posts/values.ts';
import type { Mention, SourceFacts } from './mention.ts';

// Matches all control characters except tab and line feed. The matched characters are invisible, and can break programs
// that read the text later.
const controls = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f]', 'g');

/** Returns a stranger's text, trimmed, without control characters, and cut to `length` UTF-16 code units. */
export function cleanText(text: string, length: number): string {
  const whole = text
    .slice(0, length * 4)
    .replace(/\r\n?/g, '\n')
    .replace(controls, '')
    .trim();
  return cut(whole.replace(/\n{3,}/g, '\n\n'), length);
}

/** Returns a stranger's text on one line, cut to `length` UTF-16 code units. */
export function cleanLine(text: string, length: number): string {
  return cut(oneLine(text.slice(0, length * 4).replace(controls, ' ')), length);
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Does not cut a surrogate pair in half.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The maximum size of a mention on disk, in bytes of JSON. `mostHistory` is the part that is reserved for the history,
 * which can contain a hundred events.
 */
export const mostBytes = 32 * 1024;
const mostHistory = 10 * 1024;
const mostSaid = mostBytes - mostHistory;

/**
 * The minimum length of a shortened text, in UTF-16 code units. A text that would be shorter stays unchanged, and a
 * later step may remove it.
 */
const shortestText = 100;
const shortSnapshot = 500;

const sizes = new WeakMap<Mention, number>();
let written: { readonly mention: Mention; readonly text: string } | undefined;

/**
 * Returns the JSON of a mention. Mentions are immutable, and a mention is measured, checked and stored in turn, so the
 * last text is used again.
 */
export function mentionText(mention: Mention): string {
  if (written?.mention !== mention) written = { mention, text: JSON.stringify(mention) };
  return written.text;
}

/** Returns a mention's size on disk in bytes, without its history. Each size is computed only once. */
export function mentionBytes(mention: Mention): number {
  const known = sizes.get(mention);
  if (known !== undefined) return known;
  const size = Buffer.byteLength(mentionText(mention)) - jsonBytes(mention.history) + '[]'.length;
  sizes.set(mention, size);
  return size;
}

/**
 * Returns a mention that fits into `room` bytes, not counting the history: the same mention, or a shortened copy that
 * lists its shortened parts. Data that is also available elsewhere is dropped first. Data that readers see is dropped
 * last. Returns undefined if even source and target don't fit.
 */
export function fittedMention(mention: Mention, room: number): Mention | undefined {
  const most = Math.min(room, mostSaid);
  let fit = mention;
  for (const shorten of shortenings) {
    const over = mentionBytes(fit) - most;
    if (over <= 0) return fit;
    fit = shorten(fit, over);
  }
  return mentionBytes(fit) <= most ? fit : undefined;
}

const lists = ['video', 'audio', 'syndication', 'photo'] as const;
const fewAddresses = 1;

type Shortening = (mention: Mention, over: number) => Mention;
type Left = Exclude<keyof SourceFacts, 'type' | 'property' | 'shortened'>;

const shortenings: readonly Shortening[] = [
  withoutRecord('json'),
  withoutRecord('jf2'),
  withoutHtml,
  (mention) => withSnapshot(mention, shortSnapshot),
  ...lists.map(withFew),
  withShorterText,
  ...(['photoAlt', ...lists] as const).map(without),
  withShorterText,
  ...(['url', 'content'] as const).map(without),
  (mention) => withSnapshot(mention, 0),
  ...(['author', 'name', 'published', 'rsvp'] as const).map(without),
];

/**
 * Returns a function that drops one of the two webmention.io records from a mention. Only clients of the reading API
 * need these records.
 */
function withoutRecord(format: 'jf2' | 'json'): Shortening {
  return (mention) => {
    if (mention.imported?.[format] === undefined) return mention;
    const kept = Object.entries(mention.imported).filter(([name]) => name !== format);
    return { ...mention, imported: { ...Object.fromEntries(kept), shortened: true } };
  };
}

/** Drops the HTML, because the text contains the same words. */
function withoutHtml(mention: Mention): Mention {
  const { content } = mention.facts;
  if (content?.html === undefined) return mention;
  return withFacts(mention, { ...mention.facts, content: { value: content.value } }, 'content');
}

function withShorterText(mention: Mention, over: number): Mention {
  const { content } = mention.facts;
  if (content === undefined) return mention;
  const most = jsonBytes(content.value) - over;
  let text = content.value;
  for (let size = jsonBytes(text); size > most && text.length > shortestText; size = jsonBytes(text))
    text = cleanText(text, Math.min(text.length - 1, Math.max(0, Math.floor((text.length * most) / size))));
  if (text.length <= shortestText) return mention;
  return withFacts(mention, { ...mention.facts, content: { ...content, value: text } }, 'content');
}

function withFew(name: (typeof lists)[number]): Shortening {
  return (mention) => {
    const all = mention.facts[name] ?? [];
    if (all.length <= fewAddresses) return mention;
    return withFacts(mention, { ...mention.facts, [name]: all.slice(0, fewAddresses) }, name);
  };
}

function without(name: Left): Shortening {
  return (mention) => {
    const { [name]: left, ...rest } = mention.facts;
    return left === undefined ? mention : withFacts(mention, rest, name);
  };
}

/** Shortens the snapshot's text to `length` UTF-16 code units. A `length` of 0 empties the snapshot. */
function withSnapshot(mention: Mention, length: number): Mention {
  const { snapshot, ...rest } = mention;
  if (snapshot === undefined) return mention;
  if (length === 0) return { ...rest, snapshot: { text: '', shortened: true } };
  if (snapshot.text.length <= length) return mention;
  return { ...rest, snapshot: { ...snapshot, text: cleanText(snapshot.text, length), shortened: true } };
}

function withFacts(mention: Mention, facts: SourceFacts, shortened: Left): Mention {
  return {
    ...mention,
    facts: { ...facts, shortened: [...new Set([...(facts.shortened ?? []), shortened])] },
  };
}

const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const megabyte = 1024 * 1024;

/**
 * The maximum total sizes of a page's mentions, in bytes of JSON: for all received mentions, for the received mentions
 * from one site, and for all imported mentions. The sizes are limited because all mentions of a page are in memory at
 * the same time.
 */
const mostOnPage = { received: 8 * megabyte, ofSite: 2 * megabyte, imported: 32 * megabyte };
/** Mentions of a page with more than this are short, so that the page has space for thousands of mentions. */
const mostWhole = { received: 6 * megabyte, imported: 24 * megabyte };

/** The size of a short mention in bytes, without source and target: enough for the author and the start of the text. */
const shortBytes = 2 * 1024;

/** Returns how many bytes a mention may use if it has to be short. */
export function shortRoom({ source, target }: Pick<Mention, 'source' | 'target'>): number {
  return shortBytes + Buffer.byteLength(source) + Buffer.byteLength(target);
}

/**
 * Returns how many bytes a mention may use on a page. `renewed` lets it be as large as its previous version, too.
 * `before`: that version, if any. `taken`: returns how many bytes the page's mentions use now: all received ones, those
 * from the mention's site, or all imported ones.
 */
export function roomFor(
  mention: Pick<Mention, 'source' | 'target' | 'imported'>,
  before: Mention | undefined,
  taken: (party: keyof typeof mostOnPage) => number,
): number {
  const isImported = mention.imported !== undefined || before?.imported !== undefined;
  const kind = isImported ? 'imported' : 'received';
  const left = mostOnPage[kind] - taken(kind);
  const room = taken(kind) > mostWhole[kind] ? Math.min(left, shortRoom(mention)) : left;
  return isImported ? room : Math.min(room, mostOnPage.ofSite - taken('ofSite'));
}
