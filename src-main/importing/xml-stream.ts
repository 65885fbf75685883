import { brokenArchive } from './archive.ts';

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
const deepest = 20;
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
export async function* xmlElements(
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
    if (open.length > deepest) throw notWellFormed();
  }
  if (open.length > 0) throw brokenArchive('A file in it ends too early. Export it again.');
}

interface OpenElement {
  readonly element: XmlElement;
  add(kind: 'text' | 'literal', text: string): void;
  finished(): XmlElement;
}

function openElement(name: string, tag: string): OpenElement {
  const element: XmlElement = { name, attributes: attributesIn(tag, name), children: [], text: '' };
  let raw = '';
  const decode = () => {
    element.text += withoutEntities(raw);
    raw = '';
  };
  return {
    element,
    add(kind, text) {
      if (kind === 'text') raw += text;
      else {
        decode();
        element.text += text;
      }
    },
    finished() {
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
