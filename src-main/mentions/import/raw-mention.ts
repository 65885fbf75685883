import { isValid } from '../../storage/schema-check.ts';
import {
  mentionTypeList,
  mentionTypeOf,
  mentionTypes,
  ResponseProperty,
} from '../../contract/mention-types.ts';
import { cleanFacts, webAddress } from '../clean-facts.ts';
import type { Mention, SourceFacts, NewMention } from '../mention.ts';
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
export const highestId = 1e12;
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
  return addressIn(jf2 && own(jf2, 'wm-target')) ?? addressIn(json && own(json, 'target')) ?? '';
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
  const source = addressIn(jf2 && own(jf2, 'wm-source')) ?? addressIn(json && own(json, 'source'));
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
    imported: storableRecords(raw),
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
  return cleanFacts(
    {
      type: mentionTypeOf(property),
      property,
      ...said(record, own(record, 'content') ?? own(record, 'summary'), property),
      syndication: texts(own(record, 'syndication')),
      photo: texts(own(record, 'photo')),
      video: texts(own(record, 'video')),
      audio: texts(own(record, 'audio')),
    },
    source,
  );
}

function factsOfJson(record: RawRecord, source: string): SourceFacts {
  const data = recordIn(record, 'data');
  const type = typeOfActivity(firstText(own(recordIn(record, 'activity'), 'type')));
  const { property } = mentionTypes[type];
  return cleanFacts({ type, property, ...said(data, own(data, 'content'), property) }, source);
}

/** Returns what both formats say in the same way. */
function said(record: RawRecord, content: unknown, property: ResponseProperty): Partial<SourceFacts> {
  const texts = {
    published: firstText(own(record, 'published')),
    url: firstText(own(record, 'url')),
    name: firstText(own(record, 'name')),
    rsvp: property === 'rsvp' ? firstText(own(record, 'rsvp')) : undefined,
  };
  const author = own(record, 'author');
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
    ...(isRecord(author) && {
      author: {
        name: firstText(own(author, 'name')) ?? '',
        url: firstText(own(author, 'url')) ?? '',
        photo: firstText(own(author, 'photo')) ?? '',
      },
    }),
    content: contentOf(content),
  };
}

/**
 * Returns the HTML and the text of a mention's content. The jf2 format has separate values for HTML and text. The json
 * format has a single value and doesn't state whether it is HTML or text.
 */
function contentOf(value: unknown): { html?: string; value: string } {
  const parts = isRecord(value) ? value : { html: value };
  return {
    html: firstText(own(parts, 'html')) ?? '',
    value: firstText(own(parts, 'text')) ?? firstText(own(parts, 'value')) ?? '',
  };
}

/**
 * Returns the records that may be stored with a mention, unchanged. Leaves out a record that is too large or too deeply
 * nested, or whose own source or target isn't a web address.
 */
export function storableRecords({ jf2, json }: RawMention): NonNullable<Mention['imported']> {
  return {
    ...(jf2 && isStorable(jf2, 'wm-source', 'wm-target') && { jf2 }),
    ...(json && isStorable(json, 'source', 'target') && { json }),
  };
}

const isStorable = (record: RawRecord, ...links: readonly string[]): boolean =>
  jsonLength(record, deepestRecord) <= longestRecord &&
  links.every((name) => !Object.hasOwn(record, name) || addressIn(record[name]) !== undefined);

function texts(value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.flatMap((each) => firstText(each) ?? []);
}

function firstText(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' ? first : undefined;
}

function recordIn(record: RawRecord, name: string): RawRecord {
  const value = own(record, name);
  return isRecord(value) ? value : {};
}

const addressIn = (value: unknown): string | undefined => webAddress(firstText(value));

function momentOf(value: unknown): string | undefined {
  const time = typeof value === 'string' && value.length <= 40 ? Date.parse(value) : Number.NaN;
  const moment = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // Dates with years outside 0000 to 9999 start with a sign and would sort before all other dates.
  return /^\d{4}-/.test(moment) ? moment : undefined;
}
