import { parse as parseToml, TomlDate } from 'smol-toml';
import { parseDocument, visit, type Document } from 'yaml';
import { isRecord } from '../storage/json-value.ts';

export type FrontMatterFormat = 'yaml' | 'toml' | 'json';

/** The front matter of a file that Porchlight didn't write. Positions are offsets in the file's text. */
export interface FrontMatter {
  readonly format: FrontMatterFormat;
  /** The position at which the fields begin: after the opening line, or at the opening brace of JSON. */
  readonly start: number;
  readonly end: number;
  /** The position at which the body begins. */
  readonly body: number;
  /**
   * The fields. In YAML, dates and numbers are strings, as written in the file. In TOML, they are normalized strings.
   */
  readonly values: Readonly<Record<string, unknown>>;
}

/** The fields of a file, and the text after them. */
export interface FieldsAndBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The reason why Porchlight doesn't read or change a file, as a message for the owner. */
export interface Problem {
  readonly problem: string;
}

/**
 * The maximum length of front matter, in characters. It is limited because parsing time can grow faster than the
 * length.
 */
const longestFrontMatter = 65_536;
const mostAliases = 100;

const opening = /^\uFEFF?(?:---[ \t]*(yaml|yml|json|toml)?|(\+\+\+))[ \t]*\r?\n/i;

/** Finds and reads the front matter of a file's text: YAML (`---`), TOML (`+++`) or JSON. */
export function readFrontMatter(text: string): FrontMatter | Problem {
  const place = placeOf(text);
  if ('problem' in place) return place;
  if (place.end - place.start > longestFrontMatter) return { problem: 'Its front matter is too long.' };
  const values = readFields(text.slice(place.start, place.end), place.format);
  return values ? { ...place, values } : { problem: 'Its front matter has an error.' };
}

/**
 * Returns the fields of a file's front matter, and the text after it. A file without front matter has no fields. Returns
 * undefined if the front matter can't be read.
 */
export function splitFrontMatter(file: string): FieldsAndBody | undefined {
  const text = file.replaceAll('\r\n', '\n').replace(/^\s*(?=\{\s*")/, '');
  const front = readFrontMatter(text);
  if (!('problem' in front)) return { fields: front.values, body: text.slice(front.body) };
  // Text may begin with a brace that isn't JSON.
  return opening.test(text) ? undefined : { fields: {}, body: text };
}

/** Returns the settings in a configuration file in YAML, TOML or JSON; undefined if the file isn't valid. */
export const configValues = (file: string, text: string) =>
  readFields(text, file.endsWith('.toml') ? 'toml' : file.endsWith('.json') ? 'json' : 'yaml');

/** Returns the fields in the text between the front matter's delimiters; undefined if the text has an error. */
export function readFields(source: string, format: FrontMatterFormat): Record<string, unknown> | undefined {
  try {
    const values = parsers[format](source);
    return isRecord(values) ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Parses YAML, and keeps the position of each node. Doesn't resolve custom tags. */
export function yamlDocument(source: string): Document {
  const options = { version: '1.2', merge: true, uniqueKeys: false, keepSourceTokens: true } as const;
  return parseDocument(source, { ...options, logLevel: 'silent', prettyErrors: false });
}

type Place = Omit<FrontMatter, 'values'>;

function placeOf(text: string): Place | Problem {
  const fence = opening.exec(text);
  if (fence === null) return jsonPlace(text);
  const [line, language, plus] = fence;
  const start = line.length;
  const closing = plus === undefined ? /^---[ \t]*\r?$/gm : /^\+\+\+[ \t]*\r?$/gm;
  closing.lastIndex = start;
  const found = closing.exec(text);
  if (found === null) return { problem: 'Its front matter has no end.' };
  const named = language?.toLowerCase();
  const format = plus !== undefined || named === 'toml' ? 'toml' : named === 'json' ? 'json' : 'yaml';
  const after = found.index + found[0].length;
  return { format, start, end: found.index, body: Math.min(after + 1, text.length) };
}

/** JSON front matter, which Hugo reads, is an object without delimiter lines. */
function jsonPlace(text: string): Place | Problem {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  if (text[start] !== '{') return { problem: 'It has no front matter.' };
  let depth = 0;
  // A string without an end reaches to the end of the text, so that each character is read once.
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}]/g)) {
    if (found === '{') depth += 1;
    if (found === '}') depth -= 1;
    const end = index + 1;
    if (found === '}' && depth === 0) {
      const [rest = ''] = /^[ \t]*(?:\r?\n)?/.exec(text.slice(end, end + 100)) ?? [];
      return { format: 'json', start, end, body: end + rest.length };
    }
  }
  return { problem: 'Its front matter has no end.' };
}

const parsers: Readonly<Record<FrontMatterFormat, (source: string) => unknown>> = {
  json: (source) => JSON.parse(source) as unknown,
  toml: (source) => plain(parseToml(source)),
  yaml(source) {
    let document = yamlDocument(source);
    if (document.errors.length > 0) document = yamlDocument(withIndentedQuotes(source));
    if (document.errors.length > 0) return undefined;
    visit(document, {
      Scalar(_key, node) {
        // Keep numbers as they are written: the title 1.10 must not become 1.1.
        if (typeof node.value === 'number') node.value = node.source ?? String(node.value);
      },
    });
    return document.contents === null ? {} : (document.toJS({ maxAliasCount: mostAliases }) as unknown);
  },
};

const quoted = /^[\w-]+:[ \t]+(["'])(.*)$/;

/**
 * Indents the further lines of a quoted text at the top level. YAML demands that, but Jekyll, Hugo and Eleventy read such
 * text without it.
 */
function withIndentedQuotes(source: string): string {
  let open: string | undefined;
  const ends = (text: string, quote: string) =>
    /(?:^|[^\\])["']\s*$/.test(text) && text.trimEnd().endsWith(quote);
  const lines = source.split('\n').map((line) => {
    if (open !== undefined) {
      if (ends(line, open)) open = undefined;
      return `  ${line}`;
    }
    const [, quote, rest = ''] = quoted.exec(line) ?? [];
    if (quote !== undefined && !ends(rest, quote)) open = quote;
    return line;
  });
  return lines.join('\n');
}

function plain(value: unknown): unknown {
  if (value instanceof TomlDate) return value.toISOString().replace(/\.000(?=Z|[+-]|$)/, '');
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}
