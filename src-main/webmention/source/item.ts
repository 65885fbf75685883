import { isRecord, own } from './json-values.ts';

/** A microformats2 object, of whatever origin: nothing about it is certain but its outline. */
export interface Item {
  readonly type: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly unknown[];
  readonly id?: string;
}

/** A value as a microformats2 object; undefined where it is none. */
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

/** The values of a property; none where it is absent. */
export function valuesOf(item: Item, name: string): readonly unknown[] {
  return listOf(own(item.properties, name));
}

/** The text that a value is, or stands for. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const stands = isRecord(value) ? own(value, 'value') : undefined;
  return typeof stands === 'string' ? stands : '';
}

const longestAddress = 4096;

/** An http or https address; undefined for any other value, `javascript:` and `data:` among them. */
export function asWebAddress(value: unknown): string | undefined {
  const text = textOf(value).trim();
  if (text.length > longestAddress || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { href } = new URL(text);
  return href.length > longestAddress ? undefined : href;
}

/** The addresses that a value names: its own, or those of the object that it is (PTD: a nested h-cite). */
export function addressesOf(value: unknown): string[] {
  const item = asItem(value);
  const named = [value, ...(item ? [...valuesOf(item, 'url'), ...valuesOf(item, 'uid')] : [])];
  return named.flatMap((each) => asWebAddress(each) ?? []);
}

/** True where two addresses are one, however they are spelled; `ignoreFragment`: where they are of one page. */
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
