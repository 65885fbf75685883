import { isRecord, own } from '../../../storage/json-value.ts';

/** A microformats2 object from any source. Only its basic structure is validated. */
export interface Item {
  readonly type: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly unknown[];
  readonly id?: string;
}

/** Returns a value as a microformats2 object; undefined if it isn't one. */
export function asItem(value: unknown): Item | undefined {
  if (!isRecord(value)) return undefined;
  const type = listOf(own(value, 'type')).filter((each) => typeof each === 'string');
  const properties = own(value, 'properties');
  const id = own(value, 'id');
  if (type.length === 0 || !isRecord(properties)) return undefined;
  return {
    type,
    properties,
    children: listOf(own(value, 'children')),
    ...(typeof id === 'string' && { id }),
  };
}

/** Returns the values of a property; an empty list if the property is absent. */
export function itemValues(item: Item, name: string): readonly unknown[] {
  return listOf(own(item.properties, name));
}

/**
 * Returns the text of a value: the string itself, or an object's `value`. Returns an empty string for any other value.
 */
export function itemText(value: unknown): string {
  if (typeof value === 'string') return value;
  const stands = isRecord(value) ? own(value, 'value') : undefined;
  return typeof stands === 'string' ? stands : '';
}

const longestAddress = 4096;

/** Returns an http or https address; undefined for any other value, including `javascript:` and `data:` addresses. */
export function asWebAddress(value: unknown): string | undefined {
  const text = itemText(value).trim();
  if (text.length > longestAddress || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { href } = new URL(text);
  return href.length > longestAddress ? undefined : href;
}

/**
 * Returns the URLs in a value: the value itself if it is a URL, or an object's URLs (post type discovery: a nested
 * h-cite).
 */
export function addressesOf(value: unknown): string[] {
  const item = asItem(value);
  const named = [value, ...(item ? [...itemValues(item, 'url'), ...itemValues(item, 'uid')] : [])];
  return named.flatMap((each) => asWebAddress(each) ?? []);
}

/**
 * Returns whether two URLs are the same, even if they are spelled differently. With `ignoreFragment`, returns whether
 * they are URLs of the same page.
 */
export function isSameAddress(one: string, other: string, ignoreFragment = false): boolean {
  return spelled(one, ignoreFragment) === spelled(other, ignoreFragment);
}

function spelled(address: string, ignoreFragment: boolean): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (ignoreFragment) url.hash = '';
  return url.href;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
