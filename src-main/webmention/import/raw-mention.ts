import type { MentionAuthor, Mention, ResponseProperty, SourceFacts } from '../../mentions/mention.ts';
import type { NewMention } from '../../mentions/mention-store.ts';
import { mostBytes } from '../../mentions/mention-size.ts';
import { cleanHtml } from '../source/clean-html.ts';
import { isRecord, own } from '../source/json-values.ts';
import { isoMoment } from '../source/moment.ts';
import { cleanLine, cleanText } from '../../mentions/plain-text.ts';
import type { RawRecord } from './aggregator.ts';

/** A mention in one or both of the aggregator's formats. */
export interface RawMention {
  readonly jf2?: RawRecord;
  readonly json?: RawRecord;
}

/** Far above what any aggregator counts to: our own numbers go on above the highest that was imported. */
const highestId = 1e12;
const longestName = 500;
/** What a mention can hold at most: what is longer is shortened when it is kept, and says so. */
const longestText = mostBytes;
const longestAddress = 4096;
const mostAddresses = 20;
const longestRecord = 1024 * 1024;
const deepestRecord = 30;

const types: Readonly<Record<ResponseProperty, SourceFacts['type']>> = {
  'in-reply-to': 'reply',
  'like-of': 'like',
  'repost-of': 'repost',
  'bookmark-of': 'bookmark',
  rsvp: 'rsvp',
  'mention-of': 'mention',
};
/** By `activity.type` of the json format (PROTOCOLS 8.4); an invitation is a mention. */
const activities: Readonly<Record<string, ResponseProperty>> = {
  reply: 'in-reply-to',
  like: 'like-of',
  repost: 'repost-of',
  bookmark: 'bookmark-of',
  rsvp: 'rsvp',
};

/** The number of a record; undefined where it has none. */
export function idOf(record: RawRecord): number | undefined {
  const id = own(record, 'wm-id') ?? own(record, 'id');
  const number = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
  const isNumber = typeof number === 'number' && Number.isSafeInteger(number);
  return isNumber && number >= 0 && number <= highestId ? number : undefined;
}

/** The page that a record tells of; empty where it names none. */
export function targetOf({ jf2, json }: RawMention): string {
  return webAddress(jf2 && own(jf2, 'wm-target')) ?? webAddress(json && own(json, 'target')) ?? '';
}

/** When the aggregator changed the row last, in ISO 8601 UTC (PROTOCOLS 8.4); undefined where it does not say. */
export function verifiedOf(json: RawRecord | undefined): string | undefined {
  return momentOf(json && own(json, 'verified_date'));
}

/**
 * What is to be kept of an imported mention: facts for our own pages, sanitized again, and both records whole.
 * Undefined where it does not say what mentions what: there is nothing to keep it under.
 * `now`: ISO 8601, for one that does not say when it came.
 */
export function newMentionOf(raw: RawMention, now: string): NewMention | undefined {
  const { jf2, json } = raw;
  const source = webAddress(jf2 && own(jf2, 'wm-source')) ?? webAddress(json && own(json, 'source'));
  const target = targetOf(raw);
  const wmId = (jf2 && idOf(jf2)) ?? (json && idOf(json));
  if (source === undefined || target === '' || wmId === undefined) return undefined;
  const verified = verifiedOf(json);
  const received = momentOf(jf2 && own(jf2, 'wm-received')) ?? verified ?? now;
  return {
    source,
    target,
    facts: jf2 ? factsOfJf2(jf2, source) : factsOfJson(json ?? {}, source),
    status: 'approved',
    received,
    parsed: verified ?? received,
    wmId,
    private: (jf2 && own(jf2, 'wm-private')) === true || (json && own(json, 'private')) === true,
    imported: { ...whole('jf2', jf2), ...whole('json', json) },
  };
}

/**
 * True where our own reading of the source is newer than what the aggregator told: what it told then counts no more.
 * Facts that came from the aggregator carry its own date.
 */
export function readSinceImport({ imported, parsed, received }: Mention): boolean {
  if (!imported) return true;
  const told = verifiedOf(imported.json) ?? momentOf(imported.jf2 && own(imported.jf2, 'wm-received'));
  return parsed > (told ?? received);
}

/** The number by which the aggregator knows a mention, or else our own. */
export function numberOf({ imported, wmId }: Mention): number {
  return idOf(imported?.jf2 ?? imported?.json ?? {}) ?? wmId;
}

function factsOfJf2(record: RawRecord, source: string): SourceFacts {
  const told = own(record, 'wm-property');
  const property = isProperty(told) ? told : 'mention-of';
  const content = own(record, 'content') ?? own(record, 'summary');
  const rsvp = property === 'rsvp' ? textOf(own(record, 'rsvp')) : undefined;
  return {
    type: types[property],
    property,
    ...said({
      published: own(record, 'published'),
      url: own(record, 'url'),
      name: own(record, 'name'),
      author: own(record, 'author'),
    }),
    ...contentOf(content, source),
    ...(rsvp !== undefined && { rsvp: cleanLine(rsvp, 20).toLowerCase() }),
    ...addresses(record, 'syndication'),
    ...addresses(record, 'photo'),
    ...addresses(record, 'video'),
    ...addresses(record, 'audio'),
  };
}

function factsOfJson(record: RawRecord, source: string): SourceFacts {
  const data = recordIn(record, 'data');
  const activity = textOf(own(recordIn(record, 'activity'), 'type')) ?? '';
  const property = (Object.hasOwn(activities, activity) ? activities[activity] : undefined) ?? 'mention-of';
  const rsvp = property === 'rsvp' ? textOf(own(data, 'rsvp')) : undefined;
  return {
    type: types[property],
    property,
    ...said({
      published: own(data, 'published'),
      url: own(data, 'url'),
      name: own(data, 'name'),
      author: own(data, 'author'),
    }),
    ...contentOf(own(data, 'content'), source),
    ...(rsvp !== undefined && { rsvp: cleanLine(rsvp, 20).toLowerCase() }),
  };
}

type Said = Readonly<Record<'published' | 'url' | 'name' | 'author', unknown>>;

function said({ published, url, name, author }: Said): Partial<SourceFacts> {
  const moment = isoMoment(textOf(published) ?? '');
  const address = webAddress(url);
  const title = cleanLine(textOf(name) ?? '', longestName);
  const by = authorOf(author);
  return {
    ...(moment !== undefined && { published: moment }),
    ...(address !== undefined && { url: address }),
    ...(title !== '' && { name: title }),
    ...(by && { author: by }),
  };
}

function authorOf(value: unknown): MentionAuthor | undefined {
  if (!isRecord(value)) return undefined;
  const author = {
    name: cleanLine(textOf(own(value, 'name')) ?? '', longestName),
    url: webAddress(own(value, 'url')) ?? '',
    photo: webAddress(own(value, 'photo')) ?? '',
  };
  return author.name + author.url + author.photo === '' ? undefined : author;
}

/** jf2 tells HTML and text apart; the json format has one of the two, and does not say which. */
function contentOf(value: unknown, base: string): Pick<SourceFacts, 'content'> {
  const parts = isRecord(value) ? value : { html: value };
  const html = cleanHtml(textOf(own(parts, 'html')) ?? '', base);
  const plain = textOf(own(parts, 'text')) ?? textOf(own(parts, 'value')) ?? html.replace(/<[^>]*>/g, ' ');
  const text = cleanText(plain, longestText);
  return text === '' && html === '' ? {} : { content: { ...(html !== '' && { html }), value: text } };
}

type Listed = 'syndication' | 'photo' | 'video' | 'audio';

function addresses(record: RawRecord, name: Listed): Partial<Record<Listed, string[]>> {
  const value = own(record, name);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const all = values.flatMap((each) => webAddress(each) ?? []);
  return all.length === 0 ? {} : { [name]: [...new Set(all)].slice(0, mostAddresses) };
}

/** A record of a size that is worth keeping whole; a monstrous one gives its facts only. */
function whole(format: 'jf2' | 'json', record: RawRecord | undefined): Mention['imported'] {
  if (!record || !isShallow(record) || JSON.stringify(record).length > longestRecord) return undefined;
  return { [format]: record };
}

function isShallow(value: unknown, depth = deepestRecord): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1));
}

function isProperty(value: unknown): value is ResponseProperty {
  return typeof value === 'string' && Object.hasOwn(types, value);
}

function textOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function recordIn(record: RawRecord, name: string): RawRecord {
  const value = own(record, name);
  return isRecord(value) ? value : {};
}

/** An address of the web as it is spelled there: it is part of the key of a mention. */
function webAddress(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || text.length > longestAddress || !URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

function momentOf(value: unknown): string | undefined {
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // Years beyond those that a calendar shows sort before all others.
  return /^\d{4}-/.test(moment) ? moment : undefined;
}
