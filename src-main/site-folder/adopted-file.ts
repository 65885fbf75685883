import { mediaProperties, responseProperties } from '../contract/post-kinds.ts';
import type { Generator } from '../contract/site-folder.ts';
import { isRecord, own } from '../storage/json-value.ts';

/** The maximum size of a file that Porchlight reads as a post, in bytes. */
export const largestPostFile = 1_000_000;

/** Returns the text of a file, or undefined if it isn't UTF-8. Keeps a byte order mark. */
export function textOfFile(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the format of a post's file, based on its extension; undefined if posts don't use that extension. */
export function bodyKind(file: string): 'markdown' | 'html' | 'mdx' | undefined {
  const [, extension = ''] = /\.([a-z]+)$/i.exec(file) ?? [];
  switch (extension.toLowerCase()) {
    case 'md':
    case 'markdown':
      return 'markdown';
    case 'html':
    case 'htm':
      return 'html';
    case 'mdx':
      return 'mdx';
    default:
      return undefined;
  }
}

/** The fields of front matter, or of a table in it. */
type Values = Readonly<Record<string, unknown>>;

/** A front matter field that contains a property of a post. */
export interface Field {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * For each property, the names of the fields that can contain it, starting with the usual name. A property that isn't
 * listed here uses a field with the property's own name, as in the files that Porchlight writes.
 */
const fieldNames: Readonly<Record<string, readonly string[]>> = {
  name: ['title'],
  summary: ['description', 'summary', 'excerpt'],
  published: ['date', 'publishDate', 'pubDate', 'published'],
  updated: ['lastmod', 'updated', 'updatedDate', 'last_modified_at', 'modified'],
  category: ['tags', 'categories', 'tag', 'category'],
  photo: ['photo', 'photos', 'images', 'image', 'cover'],
};

const sameNames = [
  ...mediaProperties.filter((name) => name !== 'photo'),
  'rsvp',
  'syndication',
  'start',
  'end',
  'read-status',
  ...responseProperties.map(({ name }) => name),
];

/** The properties that front matter can contain. */
export const fieldProperties: readonly string[] = [...Object.keys(fieldNames), ...sameNames];

/** Returns the fields that contain a property. The field with the usual name comes first. */
export function fieldsOf(values: Values, property: string, generator: Generator): Field[] {
  const names = fieldNames[property] ?? [property];
  return tables(values, property, generator).flatMap((table) => {
    const fields = tableAt(values, table);
    return names.flatMap((name) => {
      const key = keyIn(fields, name, generator);
      const value = key === undefined ? undefined : fields[key];
      const isSwitch = property === 'published' && typeof value === 'boolean';
      return key === undefined || value === null || isSwitch ? [] : [{ path: [...table, key], value }];
    });
  });
}

/** Returns the path of the field to add for a property that the file doesn't have yet. */
export function newField(property: string, generator: Generator): readonly string[] {
  const [name = property] = fieldNames[property] ?? [];
  if (generator === 'zola') {
    if (property === 'category') return ['taxonomies', name];
    if (property === 'updated') return ['updated'];
    if (!(property in fieldNames) || property === 'photo') return ['extra', name];
  }
  return [name === 'date' && generator === 'astro' ? 'pubDate' : name];
}

/** Returns the value of a top-level field by its name. Hugo's field names are case-insensitive. */
export function topField(values: Values, name: string, generator: Generator): unknown {
  const key = keyIn(values, name, generator);
  return key === undefined ? undefined : values[key];
}

/** Returns a field's name as the file spells it; undefined if the file doesn't have the field. */
export function keyIn(fields: Values, name: string, generator: Generator): string | undefined {
  if (Object.hasOwn(fields, name)) return name;
  return generator === 'hugo'
    ? Object.keys(fields).find((key) => key.toLowerCase() === name.toLowerCase())
    : undefined;
}

/**
 * Returns the front matter tables that can contain a property. Zola has separate tables for taxonomies and custom
 * fields.
 */
function tables(values: Values, property: string, generator: Generator): string[][] {
  if (generator !== 'zola') return [[]];
  const isTagged = property === 'category' && isRecord(own(values, 'taxonomies'));
  return isTagged ? [['taxonomies'], []] : [[], ['extra']];
}

function tableAt(values: Values, table: readonly string[]): Values {
  let fields: unknown = values;
  for (const name of table) fields = isRecord(fields) ? own(fields, name) : undefined;
  return isRecord(fields) ? fields : {};
}
