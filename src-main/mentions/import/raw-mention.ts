import { isValid } from '../../storage/schema-check.ts';
import { visibleText } from '../../untrusted/pages/html-scan.ts';
import {
  mentionTypeList,
  mentionTypeOf,
  mentionTypes,
  ResponseProperty,
} from '../../contract/mention-types.ts';
import type { MentionAuthor, Mention, SourceFacts } from '../mention.ts';
import type { NewMention } from '../mention-store.ts';
import { cleanLine, cleanText, mostBytes } from '../mention-limits.ts';
import { cleanHtml, isoMoment } from '../receiving/source/entry-facts.ts';
import type { RawRecord } from './aggregator.ts';
import { isRecord, jsonLength, own } from '../../storage/json-value.ts';

/** A mention in one or both of the aggregator's formats (jf2 and json). */
export interface RawMention {
  readonly jf2?: RawRecord;
  readonly json?: RawRecord;
}

/**
 * The highest accepted `wm-id`, far above the IDs of any real aggregator. There must be a limit, because each mention
 * that is sent to this server gets an ID above the highest imported ID.
 */
const highestId = 1e12;
const longestName = 500;
/** The maximum length of a mention's text. Longer text is shortened when it is stored, and marked as shortened. */
const longestText = mostBytes;
const longestAddress = 4096;
const mostAddresses = 20;
const longestRecord = 1024 * 1024;
const deepestRecord = 30;

/** Returns the type for an `activity.type` of the json format (PROTOCOLS 8.4). An invitation counts as a mention. */
const typeOfActivity = (activity: string | undefined) =>
  mentionTypeList.find((type) => mentionTypes[type].activity === activity) ?? 'mention';

/** Returns the ID of a record; undefined if the record has no valid ID. */
export function recordId(record: RawRecord): number | undefined {
  const id = own(record, 'wm-id') ?? own(record, 'id');
  const number = typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : id;
  const isNumber = typeof number === 'number' && Number.isSafeInteger(number);
  return isNumber && number >= 0 && number <= highestId ? number : undefined;
}

/** Returns the URL of the page that a record mentions; an empty string if the record contains no such URL. */
function targetOf({ jf2, json }: RawMention): string {
  return (
    addressAsSpelled(jf2 && own(jf2, 'wm-target')) ?? addressAsSpelled(json && own(json, 'target')) ?? ''
  );
}

/**
 * Returns when the aggregator last changed a record, as ISO 8601 UTC (PROTOCOLS 8.4); undefined if the record contains
 * no such date.
 */
export function verifiedOf(json: RawRecord | undefined): string | undefined {
  return momentOf(json && own(json, 'verified_date'));
}

/**
 * Converts an imported mention to the form in which it is stored: the facts about its source, sanitized again, and the
 * aggregator's complete records. Returns undefined if the source, target or ID is missing. `now`: the current time in
 * ISO 8601, used if the record doesn't state when the mention arrived.
 */
export function newMentionOf(raw: RawMention, now: string): NewMention | undefined {
  const { jf2, json } = raw;
  const source =
    addressAsSpelled(jf2 && own(jf2, 'wm-source')) ?? addressAsSpelled(json && own(json, 'source'));
  const target = targetOf(raw);
  const wmId = (jf2 && recordId(jf2)) ?? (json && recordId(json));
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
 * Returns whether this server has read the source more recently than the aggregator did. An import sets `parsed` to the
 * date of the aggregator's reading, so a later date comes from this server's own reading.
 */
export function readSinceImport({ imported, parsed, received }: Mention): boolean {
  if (!imported) return true;
  const aggregatorTime =
    verifiedOf(imported.json) ?? momentOf(imported.jf2 && own(imported.jf2, 'wm-received'));
  return parsed > (aggregatorTime ?? received);
}

/** Returns the aggregator's ID of a mention. For a mention that wasn't imported, returns this server's own ID. */
export function numberOf({ imported, wmId }: Mention): number {
  return recordId(imported?.jf2 ?? imported?.json ?? {}) ?? wmId;
}

function factsOfJf2(record: RawRecord, source: string): SourceFacts {
  const told = own(record, 'wm-property');
  const property = isValid(ResponseProperty, told) ? told : mentionTypes.mention.property;
  const content = own(record, 'content') ?? own(record, 'summary');
  const rsvp = property === 'rsvp' ? firstText(own(record, 'rsvp')) : undefined;
  return {
    type: mentionTypeOf(property),
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
  const type = typeOfActivity(firstText(own(recordIn(record, 'activity'), 'type')));
  const { property } = mentionTypes[type];
  const rsvp = property === 'rsvp' ? firstText(own(data, 'rsvp')) : undefined;
  return {
    type,
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
  const moment = isoMoment(firstText(published) ?? '');
  const address = addressAsSpelled(url);
  const title = cleanLine(firstText(name) ?? '', longestName);
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
    name: cleanLine(firstText(own(value, 'name')) ?? '', longestName),
    url: addressAsSpelled(own(value, 'url')) ?? '',
    photo: addressAsSpelled(own(value, 'photo')) ?? '',
  };
  return author.name + author.url + author.photo === '' ? undefined : author;
}

/**
 * Returns the HTML and the text of a mention's content. The jf2 format has separate values for HTML and text. The json
 * format has a single value and doesn't state whether it is HTML or text.
 */
function contentOf(value: unknown, base: string): Pick<SourceFacts, 'content'> {
  const parts = isRecord(value) ? value : { html: value };
  const html = cleanHtml(firstText(own(parts, 'html')) ?? '', base);
  const plain = firstText(own(parts, 'text')) ?? firstText(own(parts, 'value')) ?? visibleText(html);
  const text = cleanText(plain, longestText);
  return text === '' && html === '' ? {} : { content: { ...(html !== '' && { html }), value: text } };
}

type Listed = 'syndication' | 'photo' | 'video' | 'audio';

function addresses(record: RawRecord, name: Listed): Partial<Record<Listed, string[]>> {
  const value = own(record, name);
  const values: unknown[] = Array.isArray(value) ? value : [value];
  const all = values.flatMap((each) => addressAsSpelled(each) ?? []);
  return all.length === 0 ? {} : { [name]: [...new Set(all)].slice(0, mostAddresses) };
}

/**
 * Returns the record unchanged, to be stored with the mention; undefined if the record is too large or too deeply
 * nested.
 */
function whole(format: 'jf2' | 'json', record: RawRecord | undefined): Mention['imported'] {
  return record && jsonLength(record, deepestRecord) <= longestRecord ? { [format]: record } : undefined;
}

function firstText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function recordIn(record: RawRecord, name: string): RawRecord {
  const value = own(record, name);
  return isRecord(value) ? value : {};
}

/**
 * Returns a web address in its original spelling, because that spelling is part of a mention's key. Returns undefined
 * if the value isn't a web address.
 */
function addressAsSpelled(value: unknown): string | undefined {
  const text = firstText(value);
  if (text === undefined || text.length > longestAddress || !URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}

function momentOf(value: unknown): string | undefined {
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // Dates with years outside 0000 to 9999 start with a sign and would sort before all other dates.
  return /^\d{4}-/.test(moment) ? moment : undefined;
}
