import { isMediaProperty } from '../contract/post-kinds.ts';
import type { Post } from '../contract/posts.ts';
import type { Generator } from '../contract/site-folder.ts';
import type { FieldValue } from '../posts/files/front-matter.ts';
import { tooManyValues } from '../posts/post-content.ts';
import { isRecord } from '../storage/json-value.ts';
import { type FrontMatter, type Problem, readFrontMatter } from '../untrusted/front-matter.ts';
import {
  bodyKind,
  type Field,
  fieldProperties,
  fieldsOf,
  largestPostFile,
  topField,
} from './adopted-file.ts';
import { addressClaim, type AddressClaim, type AdoptionSite, fits, notOnline } from './adopted-address.ts';

/** A post that Porchlight read from a file in the owner's folder but didn't publish itself. */
export interface ReadPost extends Pick<Post, 'type' | 'properties' | 'status' | 'visibility'> {
  /** The post's URL on the owner's own site. */
  readonly url: string;
  /** The body as text; absent if the body is HTML. */
  readonly markdown?: string;
}

/** The URL of a file's page, and the settings of its site. */
export interface AdoptionRules extends AdoptionSite {
  readonly url: string;
}

/**
 * Reads a post from a file in the owner's folder that Porchlight didn't publish. `file`: the path of the file, relative
 * to the folder, separated by `/`. Returns a problem if Porchlight can't read the file as a post, or if the URL can't be
 * that of its page.
 */
export function readAdopted(text: string, file: string, rules: AdoptionRules): ReadPost | Problem {
  const read = postIn(text, file, rules);
  if ('problem' in read) return read;
  return fits(read.claim, rules.url, rules) ? read.post : notOnline;
}

/** Returns what a file says about the URL of its page, or a problem if it can't be read as a post. */
export function claimOfAdopted(text: string, file: string, rules: AdoptionRules): AddressClaim | Problem {
  const read = postIn(text, file, rules);
  return 'problem' in read ? read : read.claim;
}

function postIn(
  text: string,
  file: string,
  rules: AdoptionRules,
): { readonly post: ReadPost; readonly claim: AddressClaim } | Problem {
  if (Buffer.byteLength(text) > largestPostFile) return { problem: 'It is larger than 1 MB.' };
  const front = readFrontMatter(text);
  if ('problem' in front) return front;
  const kind = bodyKind(file);
  if (kind === undefined) return { problem: 'It is neither Markdown nor HTML.' };
  const { values } = front;
  const { generator, url } = rules;
  const [dated] = fieldsOf(values, 'published', generator).flatMap((field) =>
    readValues('published', field, generator, url).map(({ value }) => String(value)),
  );
  const published = dated ?? dateInName(file, rules);
  const properties = Object.fromEntries(
    fieldProperties
      .map((property): [string, unknown[]] => [property, valuesOf(values, property, rules)])
      .filter(([, list]) => list.length > 0),
  );
  const categories = (properties['category'] ?? []).map(String);
  if (published !== undefined) properties['published'] = [published];
  const tooMany = tooManyValues(Object.entries(properties));
  if (tooMany !== undefined) return { problem: tooMany };
  const body = text.slice(front.body).trim();
  if (body !== '') properties['content'] = [kind === 'html' ? { html: body } : body];
  const visibility = topField(values, 'visibility', generator);
  const post: ReadPost = {
    url,
    properties,
    type: [topField(values, 'microformat', generator) === 'h-event' ? 'h-event' : 'h-entry'],
    status: isDraft(file, values, rules) ? 'draft' : 'published',
    visibility: visibility === 'unlisted' || visibility === 'private' ? visibility : 'public',
    ...(kind !== 'html' && { markdown: body }),
  };
  return { post, claim: addressClaim(file, values, { published, categories }, generator) };
}

function valuesOf(
  values: FrontMatter['values'],
  property: string,
  { generator, url }: AdoptionRules,
): unknown[] {
  const fields = fieldsOf(values, property, generator);
  // All fields for tags and categories count as categories. For any other property, generators use only one field.
  const used = property === 'category' ? fields : fields.slice(0, 1);
  const all = used.flatMap((field) => readValues(property, field, generator, url)).map(({ value }) => value);
  return property === 'category' ? [...new Set(all)] : all;
}

/** Returns whether the front matter or the path marks a post as a draft, for any generator or theme. */
function isDraft(file: string, values: FrontMatter['values'], { generator }: AdoptionRules): boolean {
  const isTrue = (name: string) => /^(true|yes|on|1)$/i.test(String(topField(values, name, generator)));
  const isFalse = (name: string) => /^(false|no|off|0)$/i.test(String(topField(values, name, generator)));
  return isTrue('draft') || isFalse('published') || /(^|\/)_drafts\//.test(file);
}

/** Jekyll and Eleventy read a post's date from its file name. */
function dateInName(file: string, { generator }: AdoptionRules): string | undefined {
  if (generator !== 'jekyll' && generator !== 'eleventy') return undefined;
  return /(?:^|\/)(\d{4}-\d\d-\d\d)-[^/]+$/.exec(file)?.[1];
}

/** A value of a post's property, and the front matter value from which it was read. */
interface ReadValue {
  readonly value: unknown;
  readonly raw: unknown;
}

const dateParts = /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d)(:\d\d)?(\.\d+)?(?:\s*(Z|UTC|[+-]\d\d:?\d\d))?)?$/i;

/** Returns a front matter date in ISO 8601; undefined if the date can't be parsed. */
function isoDate(text: string): string | undefined {
  const found = dateParts.exec(text.trim());
  if (found === null) {
    const at = /\d{4}/.test(text) && !/^\d+$/.test(text.trim()) ? Date.parse(`${text} UTC`) : NaN;
    return Number.isNaN(at) ? undefined : new Date(at).toISOString().replace('T00:00:00.000Z', '');
  }
  const [, day = '', time, seconds = ':00', , zone = 'Z'] = found;
  if (Number.isNaN(Date.parse(day))) return undefined;
  if (time === undefined) return day;
  const offset = /^(utc|z)$/i.test(zone) ? 'Z' : zone.replace(/^(...):?(..)$/, '$1:$2');
  return `${day}T${time}${seconds}${offset}`;
}

/** Returns the values of a property in a front matter field. Resolves URLs against the post's own URL. */
export function readValues(property: string, field: Field, generator: Generator, base: string): ReadValue[] {
  const { value } = field;
  const texts = listOf(property, value, generator);
  if (property === 'published' || property === 'updated')
    return texts.slice(0, 1).flatMap((raw) => {
      const date = isoDate(textOf(raw) ?? '');
      return date === undefined ? [] : [{ value: date, raw }];
    });
  return texts.flatMap((raw): ReadValue[] => {
    if (isMediaProperty(property)) return mediaValue(raw, base);
    const text = textOf(raw);
    return text === undefined ? [] : [{ value: text, raw }];
  });
}

/** Returns the new content of a front matter field for these values; undefined if the field can't represent them. */
export function fieldValue(
  property: string,
  values: readonly unknown[],
  { known, isList }: { known: readonly ReadValue[]; isList: boolean },
): FieldValue | undefined {
  const items: (string | Record<string, string>)[] = [];
  for (const value of values) {
    const old = known.find((one) => JSON.stringify(one.value) === JSON.stringify(value))?.raw;
    const item = isRecord(old) ? textFields(old) : typeof old === 'string' ? old : writable(property, value);
    if (item === undefined) return undefined;
    items.push(item);
  }
  const [first] = items;
  if (isList) return items;
  return items.length === 1 && typeof first === 'string' ? first : undefined;
}

function listOf(property: string, value: unknown, generator: Generator): unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  // Jekyll splits a string at spaces into several categories.
  if (property === 'category' && generator === 'jekyll' && typeof value === 'string')
    return value.split(/\s+/).filter((tag) => tag !== '');
  return [value];
}

function mediaValue(raw: unknown, base: string): ReadValue[] {
  const fields: Record<string, unknown> = isRecord(raw) ? raw : { url: raw };
  const link = ['url', 'src', 'path', 'image', 'value'].map((name) => textOf(fields[name])).find(Boolean);
  if (link === undefined || !URL.canParse(link, base)) return [];
  const { href, protocol } = new URL(link, base);
  if (!['http:', 'https:'].includes(protocol)) return [];
  const alt = textOf(fields['alt']);
  return [{ value: alt === undefined ? href : { value: href, alt }, raw }];
}

function writable(property: string, value: unknown): string | Record<string, string> | undefined {
  if (typeof value === 'string') return value;
  if (!isRecord(value) || !isMediaProperty(property)) return undefined;
  const { value: url, alt } = value;
  if (typeof url !== 'string' || typeof alt !== 'string' || Object.keys(value).length > 2) return undefined;
  return { url, alt };
}

/** Returns the fields of an object if all its values are strings; otherwise undefined. */
function textFields(fields: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const entries = Object.entries(fields).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return entries.length === Object.keys(fields).length ? Object.fromEntries(entries) : undefined;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
