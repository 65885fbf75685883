import type { Generator } from '../contract/site-folder.ts';
import { isRecord } from '../storage/json-value.ts';
import type { Field } from './adopted-fields.ts';
import type { FieldValue } from '../posts/files/front-matter-field.ts';

/** A value of a post's property, and the front matter value from which it was read. */
export interface ReadValue {
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
    if (isMedia(property)) return mediaValue(raw, base);
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

const isMedia = (property: string) => ['photo', 'featured', 'video', 'audio'].includes(property);

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
  if (!isRecord(value) || !isMedia(property)) return undefined;
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
