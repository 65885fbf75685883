import type { SkippedPart } from '../contract/post-import.ts';
import { jsonIn } from '../storage/json-value.ts';
import { type ArchiveFile, archiveText, brokenArchive, placeKey, placeWriter } from './archive.ts';

/** The reasons why items can't be read, by place (placeKey): an earlier thread failed at them. */
export type UnreadableItems = ReadonlyMap<string, string>;

/** The archive that this thread reads. */
const reading = {
  record: (_place: { path: string; item: number }): void => undefined,
  unreadable: new Map() as UnreadableItems,
  left: undefined as SkippedPart | undefined,
};

/** Begins to record what is read in `memory`, and to leave out the items in `unreadable`. */
export function recordItems(memory: SharedArrayBuffer, unreadable: UnreadableItems): void {
  Object.assign(reading, { record: placeWriter(memory), unreadable, left: undefined });
}

/** Records that an item is being read. Returns why to leave it out; undefined to read it. */
export function beginItem(path: string, item: number): string | undefined {
  reading.record({ path, item });
  const why = reading.unreadable.get(placeKey({ path, item }));
  const what = `Item ${item.toLocaleString('en')} of “${path}”`;
  reading.left = why === undefined ? undefined : { what, why };
  return why;
}

/** Returns the item that has just been left out, for the report; undefined if the last item was read. */
export const leftItem = () => reading.left;

/** Yields the items of a JSON list (jsonItems). Yields undefined for an item that is left out too. */
export const jsonItemsIn = (file: ArchiveFile, key: string, longest?: number): AsyncGenerator =>
  readable(file, jsonItems(archiveText(file), key, longest));

/** Yields the elements of an XML file (xmlElements). Yields undefined for an element that is left out too. */
export const xmlElementsIn = (file: ArchiveFile, name: string): AsyncGenerator<XmlElement | undefined> =>
  readable(file, xmlElements(archiveText(file), name));

async function* readable<T>({ path }: ArchiveFile, items: AsyncGenerator<T>): AsyncGenerator<T | undefined> {
  let item = 1;
  beginItem(path, item);
  for await (const value of items) {
    yield beginItem(path, item) === undefined ? value : undefined;
    item += 1;
    // The time until the next item is spent on that one.
    reading.record({ path, item });
  }
}

/** The maximum length of an item, in characters, if the caller states no other, and its maximum nesting depth. */
const usualLongest = 2_000_000;
const deepestItem = 100;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Reads the items of a JSON list one by one, even if the list is very long. The list is either the whole JSON value or
 * its top-level property `key`. Ignores text before the JSON, such as an assignment. Yields undefined for an item that
 * is invalid or too long.
 * @throws PorchlightError `archive_broken` if the text ends within the JSON
 */
async function* jsonItems(
  chunks: AsyncIterable<string>,
  key: string,
  longestItem = usualLongest,
): AsyncGenerator {
  let depth = 0;
  /** The nesting depth of the list's items; 0 outside the list. */
  let listDepth = 0;
  let isInString = false;
  let isEscaped = false;
  let topKey = '';
  let text = '';
  let hasBegun = false;
  let isRefused = false;
  let hasEnded = false;

  for await (const chunk of chunks) {
    let start = 0;
    /** Adds the characters before `end` to the item or the top-level key that is being read. */
    const collect = (end: number) => {
      const isItem = listDepth > 0;
      if (isItem && hasBegun) {
        if (text.length + end - start > longestItem) isRefused = true;
        text = isRefused ? '' : text + chunk.slice(start, end);
      } else if (!isItem && depth === 1 && isInString && text.length < 1000) text += chunk.slice(start, end);
      start = end;
    };
    // Quoted strings make up most of an archive. `indexOf` skips them faster than a loop would.
    let [nextQuote, nextBackslash] = [-1, -1];
    const found = (character: string, from: number) => {
      const place = chunk.indexOf(character, from);
      return place === -1 ? chunk.length : place;
    };
    for (let at = 0; at < chunk.length; at += 1) {
      if (isInString && !isEscaped) {
        if (nextQuote < at) nextQuote = found('"', at);
        if (nextBackslash < at) nextBackslash = found('\\', at);
        at = Math.min(nextQuote, nextBackslash);
        if (at === chunk.length) break;
      }
      const code = chunk.charCodeAt(at);
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (code === backslash) isEscaped = true;
        else if (code === quote) {
          collect(at);
          isInString = false;
        }
        continue;
      }
      if (code === comma || code === colon || code <= 0x20) {
        if (code === comma && depth === listDepth && hasBegun) {
          collect(at);
          yield isRefused ? undefined : jsonIn(text);
          [text, hasBegun, isRefused] = ['', false, false];
        } else if (code === colon && depth === 1 && listDepth === 0) topKey = text;
        continue;
      }
      if (depth === 0 && (hasEnded || (code !== openList && code !== openObject))) continue;
      if (code === closeList || code === closeObject) {
        if (listDepth > 0 && depth === listDepth) {
          collect(at);
          if (hasBegun) yield isRefused ? undefined : jsonIn(text);
          [text, hasBegun, isRefused, listDepth] = ['', false, false, 0];
        }
        depth -= 1;
        hasEnded ||= depth === 0;
        continue;
      }
      if (listDepth > 0 && depth === listDepth && !hasBegun) [hasBegun, start] = [true, at];
      if (code === quote) {
        isInString = true;
        if (listDepth === 0) [text, start] = ['', at + 1];
      } else if (code === openList || code === openObject) {
        const isItemList = code === openList && (depth === 0 || (depth === 1 && topKey === key));
        depth += 1;
        if (listDepth === 0 && isItemList) [listDepth, text] = [depth, ''];
        if (depth - listDepth > deepestItem) isRefused = true;
      }
    }
    collect(chunk.length);
  }
  if (!hasEnded) throw brokenArchive('A file in it ends too early. Download the archive again.');
}

export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

/** The number of characters that each tag adds to an element's size, because even a short tag uses memory. */
const elementCost = 200;
/** The maximum length of an element, in characters, its maximum nesting depth, and the maximum length of a tag. */
const longestElement = 10_000_000;
const deepestElement = 20;
const longestTag = 10_000;

const notWellFormed = () => brokenArchive('The XML is damaged. Export it again.');

type Token =
  | { readonly kind: 'text' | 'literal'; readonly text: string }
  | { readonly kind: 'tag'; readonly text: string };

/**
 * Reads all elements called `name` in an XML document one by one, even if there are very many. Yields undefined for an
 * element that is too long. Expands only the predefined entities of XML, and refuses a document that defines its own
 * entities.
 * @throws PorchlightError `archive_broken` if the XML is damaged
 */
async function* xmlElements(
  chunks: AsyncIterable<string>,
  name: string,
): AsyncGenerator<XmlElement | undefined> {
  let open: OpenElement[] = [];
  let length = 0;
  for await (const token of tokensIn(chunks)) {
    length += token.text.length + (token.kind === 'tag' ? elementCost : 0);
    const current = open.at(-1);
    const isTooLong = length > longestElement;
    if (token.kind !== 'tag') {
      if (current && !isTooLong) current.add(token.kind, token.text);
      continue;
    }
    const isEnd = token.text.startsWith('/');
    const isEmpty = token.text.endsWith('/');
    const tagName = /^\/?([^\s/]+)/.exec(token.text)?.[1];
    if (tagName === undefined) throw notWellFormed();
    if (isEnd) {
      if (!current) continue;
      if (current.element.name !== tagName) throw notWellFormed();
      const element = current.finished();
      open = open.slice(0, -1);
      const parent = open.at(-1);
      if (parent && !isTooLong) parent.element.children.push(element);
      else if (!parent) yield isTooLong ? undefined : element;
      continue;
    }
    if (!current && tagName !== name) continue;
    if (!current) length = 0;
    const element = openElement(tagName, token.text);
    if (!isEmpty) open = [...open, element];
    else if (current && !isTooLong) current.element.children.push(element.finished());
    if (open.length > deepestElement) throw notWellFormed();
  }
  if (open.length > 0) throw brokenArchive('A file in it ends too early. Export it again.');
}

type OpenElement = ReturnType<typeof openElement>;

function openElement(name: string, tag: string) {
  const element: XmlElement = { name, attributes: attributesIn(tag, name), children: [], text: '' };
  let raw = '';
  const decode = () => {
    element.text += withoutEntities(raw);
    raw = '';
  };
  return {
    element,
    add(kind: 'text' | 'literal', text: string): void {
      if (kind === 'text') raw += text;
      else {
        decode();
        element.text += text;
      }
    },
    finished(): XmlElement {
      decode();
      return element;
    },
  };
}

function attributesIn(tag: string, name: string): Map<string, string> {
  const attributes = new Map<string, string>();
  const attribute = /\s+([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;
  attribute.lastIndex = name.length;
  for (let found = attribute.exec(tag); found !== null; found = attribute.exec(tag))
    attributes.set(found[1] ?? '', withoutEntities(found[2] ?? found[3] ?? ''));
  return attributes;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(lt|gt|amp|quot|apos));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) return entities[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const literalStart = '![CDATA[';

/** Splits XML into tags (without angle brackets), text and literal text (CDATA). Long text becomes several tokens. */
async function* tokensIn(chunks: AsyncIterable<string>): AsyncGenerator<Token> {
  /** The string at which the current part of the document ends; undefined within a tag. */
  let end: '<' | ']]>' | '-->' | '?>' | undefined = '<';
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let at = 0;
    for (;;) {
      if (end === undefined) {
        const opened = text.slice(at, at + literalStart.length);
        if (opened.length < literalStart.length && !opened.includes('>')) break;
        if (opened === literalStart) [end, at] = [']]>', at + literalStart.length];
        else if (opened.startsWith('!--')) [end, at] = ['-->', at + 3];
        else if (opened.startsWith('?')) [end, at] = ['?>', at + 1];
        else if (opened.startsWith('!'))
          throw brokenArchive('The XML has definitions of its own, which no export has.');
        else {
          const close = tagEnd(text, at);
          if (close === -1) {
            if (text.length - at > longestTag) throw notWellFormed();
            break;
          }
          yield { kind: 'tag', text: text.slice(at, close) };
          [end, at] = ['<', close + 1];
        }
        continue;
      }
      const found = text.indexOf(end, at);
      // The string `end` may begin at the end of this chunk and continue in the next one.
      const stop = found === -1 ? Math.max(at, text.length - end.length + 1) : found;
      if (stop > at && (end === '<' || end === ']]>'))
        yield { kind: end === '<' ? 'text' : 'literal', text: text.slice(at, stop) };
      at = stop;
      if (found === -1) break;
      at += end.length;
      end = end === '<' ? undefined : '<';
    }
    rest = text.slice(at);
  }
  if (end !== '<') throw brokenArchive('A file in it ends too early. Export it again.');
}

/** Returns the index at which a tag ends; -1 if it doesn't end in the text. Ignores angle brackets within quotes. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  const most = Math.min(text.length, from + longestTag + 1);
  for (let at = from; at < most; at += 1) {
    const character = text[at] ?? '';
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at;
  }
  return -1;
}
