import { mediaType } from './source-page.ts';
import { isRecord, own } from '../../../storage/json-value.ts';

const deepest = 8;

/**
 * Returns the microformats2 objects of a JSON source: those of `application/mf2+json`, and the entries of jf2
 * (`application/jf2+json`, `application/jf2feed+json`). Returns an empty list for any other JSON type.
 */
export function itemsOfJson(value: unknown, contentType: string | null): unknown[] {
  switch (mediaType(contentType)) {
    case 'application/mf2+json':
      return looksLikeJf2(value) ? [fromJf2(value, 0)] : itemsOfMf2(value);
    case 'application/jf2+json':
    case 'application/jf2feed+json':
      return [fromJf2(value, 0)];
    default:
      return [];
  }
}

function itemsOfMf2(value: unknown): unknown[] {
  if (!isRecord(value)) return [];
  const items = own(value, 'items');
  return Array.isArray(items) ? (items as unknown[]) : [value];
}

function looksLikeJf2(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof own(value, 'type') === 'string';
}

/** Converts a jf2 object (jf2.spec.indieweb.org) to a microformats2 object; returns other values unchanged. */
function fromJf2(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > deepest) return value;
  const type = own(value, 'type');
  if (typeof type !== 'string') return 'text' in value ? { ...value, value: value['text'] } : value;
  const properties: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (['type', 'children', '__proto__'].includes(name)) continue;
    const values: unknown[] = Array.isArray(inner) ? inner : [inner];
    properties[name] = values.map((each) => fromJf2(each, depth + 1));
  }
  const children = own(value, 'children');
  return {
    type: [`h-${type}`],
    properties,
    children: Array.isArray(children) ? children.map((each) => fromJf2(each, depth + 1)) : [],
  };
}
