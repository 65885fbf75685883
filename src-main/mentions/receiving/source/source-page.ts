import { TextDecoder } from 'node:util';
import { isRecord, jsonIn, own } from '../../../storage/json-value.ts';

/** A source after it was fetched. It is plain data, because it is passed to the reading thread. */
export interface SourcePage {
  /** The final URL, after redirects. */
  readonly url: string;
  readonly contentType: string | null;
  /** All Link headers, joined by commas. */
  readonly linkHeader: string | null;
  readonly body: Uint8Array;
}

type PageKind = 'html' | 'json' | 'text' | 'other';

/**
 * Returns the kind of a page, based on its media type. A page without a media type is HTML if it looks like HTML,
 * otherwise text.
 */
export function pageKindOf({ contentType, body }: Pick<SourcePage, 'contentType' | 'body'>): PageKind {
  const type = mediaType(contentType);
  if (type === '')
    return /^\s*</.test(Buffer.from(body.subarray(0, 256)).toString('latin1')) ? 'html' : 'text';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'application/json' || type.endsWith('+json')) return 'json';
  return type === 'text/plain' ? 'text' : 'other';
}

/** Returns the media type without parameters: `text/html` for `Text/HTML; charset=...`. */
function mediaType(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

const byteOrderMarks: [mark: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];
const metaCharset = /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([^\s"'/>;]{1,40})/i;

/**
 * Returns the text of a body, decoded as browsers do (HTML Standard, "Determining the character encoding"): by its byte
 * order mark, or else by the charset of its Content-Type, or else by a meta element near its start, or else as UTF-8.
 */
export function pageText(body: Uint8Array, contentType: string | null): string {
  const charset =
    byteOrderMarks.find(([mark]) => mark.every((byte, index) => body[index] === byte))?.[1] ??
    /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1] ??
    charsetInside(body);
  return decoder(charset).decode(body);
}

function charsetInside(body: Uint8Array): string {
  const start = Buffer.from(body.subarray(0, 1024)).toString('latin1');
  const name = metaCharset.exec(start)?.[1] ?? 'utf-8';
  // The meta element was readable as single bytes, so the page cannot be UTF-16, even if the element claims UTF-16.
  return /^utf-?16/i.test(name) ? 'utf-8' : name;
}

function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('utf-8');
  }
}

const mostValues = 500_000;

/** Parses a stranger's JSON, which may start with a byte order mark. Returns undefined if the JSON is invalid. */
export const parsedJson = (text: string): unknown => jsonIn(text.replace(/^\ufeff/, ''));

/** Returns every string in a value, except keys. Not recursive, so a deeply nested value cannot overflow the stack. */
export function stringsOf(value: unknown): string[] {
  return allIn(value).filter((each) => typeof each === 'string');
}

/** Returns all objects in a value, in their original order. An object comes before the objects inside it. */
export function recordsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return allIn(value).filter(isRecord);
}

function allIn(value: unknown): unknown[] {
  const found: unknown[] = [];
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && found.length < mostValues) {
    const next = waiting.pop();
    found.push(next);
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Array.isArray(next) ? next : Object.values(next);
    for (let index = inner.length - 1; index >= 0; index -= 1) waiting.push(inner[index]);
  }
  return found;
}

const deepestJf2 = 8;

/**
 * Returns the microformats2 objects of a JSON source: those of `application/mf2+json`, and the entries of jf2
 * (`application/jf2+json`, `application/jf2feed+json`). Returns an empty list for any other JSON type.
 */
export function itemsOfJson(value: unknown, contentType: string | null): unknown[] {
  switch (mediaType(contentType)) {
    case 'application/mf2+json':
      return isJf2(value) ? [fromJf2(value, 0)] : itemsOfMf2(value);
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

function isJf2(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && typeof own(value, 'type') === 'string';
}

/** Converts a jf2 object (jf2.spec.indieweb.org) to a microformats2 object; returns other values unchanged. */
function fromJf2(value: unknown, depth: number): unknown {
  if (!isRecord(value) || depth > deepestJf2) return value;
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
