import type { Properties } from '../contract/posts.ts';
import { isRecord } from '../storage/json-value.ts';

/** A microformats2 object inside a property, such as a cited page, a contact card or a location. */
export interface Nested {
  readonly type: readonly string[];
  readonly properties: Properties;
}

/**
 * The maximum number of values in a property. No real post has more, and each page that shows the post shows its values.
 */
export const mostInProperty = 1000;

/**
 * Returns the values of a property. Leaves out those over the limit, which only a file that Porchlight didn't write (from
 * a backup, for example) can have: each page that shows the post would take long. Ignores keys that every object inherits, such as `constructor`, because clients
 * choose the property names.
 */
export function propertyValues(properties: Properties, name: string): readonly unknown[] {
  const values = Object.hasOwn(properties, name) ? (properties[name] ?? []) : [];
  return values.length > mostInProperty ? values.slice(0, mostInProperty) : values;
}

/** Returns the alt text of a picture's value; empty if it has none. */
export function altOf(value: unknown): string {
  const alt = isRecord(value) ? value['alt'] : undefined;
  return typeof alt === 'string' ? alt : '';
}

/** Returns a value as text: a string, a number, or the `value` of an object. Returns undefined for empty text. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  const text = isRecord(value) ? value['value'] : value;
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** Returns the HTML of a post's content; undefined if the content has no HTML. */
export function htmlOf(content: unknown): string | undefined {
  const markup = isRecord(content) ? content['html'] : undefined;
  return typeof markup === 'string' && markup.trim() !== '' ? markup : undefined;
}

/** Returns the first text value of a property. */
export function propertyText(properties: Properties, name: string): string | undefined {
  return propertyValues(properties, name)
    .map(asText)
    .find((text) => text !== undefined);
}

/** Returns a value as a nested microformats2 object; undefined if the value isn't one. */
export function asNested(value: unknown): Nested | undefined {
  if (!isRecord(value)) return undefined;
  const { type, properties } = value;
  if (!Array.isArray(type) || !isRecord(properties)) return undefined;
  const lists = Object.entries(properties).filter((entry): entry is [string, unknown[]] =>
    Array.isArray(entry[1]),
  );
  return {
    type: type.filter((name) => typeof name === 'string'),
    properties: Object.fromEntries(lists),
  };
}

/**
 * Returns a value as an absolute http or https URL in ASCII, as receivers of webmentions require it; a relative URL is
 * resolved against `base`. Returns undefined for all other schemes (such as javascript:), and for numbers.
 */
export function asLink(value: unknown, base: string): string | undefined {
  const text = typeof value === 'number' ? undefined : asText(value)?.trim();
  if (text === undefined || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}

/** Returns a URL for display, without its scheme, `www.` and trailing slash. */
export function shownLink(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '');
}

/** Returns a string trimmed, with each run of white space reduced to one space (post type discovery, step 11). */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
