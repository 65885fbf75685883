import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { jsonIn, own } from '../../storage/json-value.ts';
import {
  type FieldEdit,
  type FieldValue,
  lineEnd,
  noSplice,
  quoted,
  type Refusal,
  refusedField,
  spliced,
} from './front-matter.ts';

/** Changes a field of TOML front matter. See `editField`. */
export function editToml(source: string, edit: FieldEdit, eol: string): string | Refusal {
  const { path, value } = edit;
  const places = tomlPlaces(source);
  if (places === undefined) return refusedField(path, 'has a form that Porchlight can’t change');
  const entry = places.entries.find((one) => isDeepStrictEqual(one.path, path));
  if (entry === undefined)
    return value === undefined ? noneThere(source, path) : added(source, places, path, value, eol);
  const old = source.slice(entry.valueStart, entry.valueEnd);
  if (hasComment(old)) return refusedField(path, 'contains comments that would be lost');
  if (value === undefined) return removed(source, entry, path);
  const text = valueLike(old, value, eol);
  return spliced(source, { from: entry.valueStart, to: entry.valueEnd, text });
}

/**
 * Returns the source unchanged if the field to remove doesn't exist. Refuses to remove a field that has no position of
 * its own, such as a field in an inline table.
 */
function noneThere(source: string, path: readonly string[]): string | Refusal {
  let inner: unknown = parse(source);
  for (const name of path)
    inner =
      typeof inner === 'object' && inner !== null ? own(inner as Record<string, unknown>, name) : undefined;
  return inner === undefined
    ? spliced(source, noSplice)
    : refusedField(path, 'has a form that Porchlight can’t change');
}

function added(
  source: string,
  { entries, tables, rootEnd }: TomlPlaces,
  path: readonly string[],
  value: FieldValue,
  eol: string,
): string {
  const table = tables.find((one) => one.path.length > 0 && isDeepStrictEqual(one.path, path.slice(0, -1)));
  const name = table ? path.slice(-1) : path;
  const line = `${name.map(keyText).join('.')} = ${valueText(value)}${eol}`;
  const last = entries.findLast(({ start }) => start < rootEnd);
  const at = table ? table.after : last ? lineEnd(source, last.valueEnd) : 0;
  // The last line of the source may lack a line ending.
  const isAtLineStart = at === 0 || source[at - 1] === '\n';
  return spliced(source, { from: at, to: at, text: isAtLineStart ? line : eol + line });
}

function removed(source: string, { start, valueEnd }: TomlEntry, path: readonly string[]): string | Refusal {
  const from = source.lastIndexOf('\n', start - 1) + 1;
  if (source.slice(from, start).trim() !== '') return refusedField(path, 'doesn’t begin its own line');
  const to = lineEnd(source, valueEnd);
  const rest = source.slice(valueEnd, to);
  // If a comment follows the value, keeps the comment as a line of its own.
  const comment = rest.indexOf('#');
  return spliced(source, { from, to, text: comment < 0 ? '' : rest.slice(comment) });
}

/** Returns a new value in the style of the old value, if that style allows the new value. */
function valueLike(old: string, value: FieldValue, eol: string): string {
  if (typeof value === 'string') {
    if (isDate(old) && isDate(value)) return value;
    if (/^'[^']/.test(old) && /^[\P{C}\t]*$/u.test(value) && !value.includes("'")) return `'${value}'`;
  }
  if (Array.isArray(value) && old.startsWith('[') && old.includes('\n')) {
    const indent = /\n([ \t]*)\S/.exec(old)?.[1] ?? '  ';
    const closing = /\n([ \t]*)\]$/.exec(old)?.[1] ?? '';
    return `[${eol}${value.map((item) => `${indent}${itemText(item)},${eol}`).join('')}${closing}]`;
  }
  return valueText(value);
}

const isDate = (text: string) =>
  /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);

const valueText = (value: FieldValue): string =>
  typeof value === 'boolean'
    ? String(value)
    : typeof value === 'string'
      ? quoted(value)
      : `[${value.map(itemText).join(', ')}]`;

const itemText = (item: unknown): string =>
  typeof item === 'string'
    ? quoted(item)
    : `{ ${Object.entries(item as Record<string, string>)
        .map(([name, text]) => `${keyText(name)} = ${quoted(text)}`)
        .join(', ')} }`;

const keyText = (name: string) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name));

/** Returns whether a value contains a comment. Ignores `#` in quoted strings. */
function hasComment(value: string): boolean {
  return value.replace(/"""[^]*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g, '').includes('#');
}

/** A field of a TOML document. Positions are offsets in the source. */
interface TomlEntry {
  /** The names of the tables that contain the field, followed by the field's own name. */
  readonly path: readonly string[];
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The fields of a TOML document, and the positions of its table headers. */
interface TomlPlaces {
  readonly entries: readonly TomlEntry[];
  /** The tables that have their own header, each with the position after the header's line. */
  readonly tables: readonly { readonly path: readonly string[]; readonly after: number }[];
  /** The position of the first header. If there is no header, the end of the source. */
  readonly rootEnd: number;
}

const bare = /[A-Za-z0-9_-]+/y;
const literal = /'[^'\n]*'/y;
const basic = /"(?:[^"\\\n]|\\.)*"/y;
const longBasic = /"""(?:[^"\\]|\\[^]|"{1,2}(?!"))*"{3,5}/y;
const longLiteral = /'''(?:[^']|'{1,2}(?!'))*'{3,5}/y;
const blank = /[ \t]*/y;
const filler = /(?:[ \t\r\n]|#[^\n]*)*/y;
/** Matches a number, a boolean or a date. A date can have a space between the day and the time. */
const word = /[^\s,#\]}=[{"']+(?: \d\d:[^\s,#\]}=[{"']+)?/y;

/**
 * Finds the fields of a TOML document that was already parsed without errors. This reader is simpler than the TOML
 * parser, and returns undefined for a document that it can't read. Leaves out fields in arrays of tables.
 */
function tomlPlaces(source: string): TomlPlaces | undefined {
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const takeSign = (sign: string) => source.startsWith(sign, at) && (at += sign.length) > 0;

  function key(): string[] | undefined {
    const names: string[] = [];
    do {
      take(blank);
      const simple = take(bare) ?? take(literal)?.slice(1, -1);
      const name = simple ?? unescaped(take(basic));
      if (name === undefined) return undefined;
      names.push(name);
      take(blank);
    } while (takeSign('.'));
    return names;
  }

  function value(depth = 0): boolean {
    if (depth > 50) return false;
    if ([longBasic, longLiteral, basic, literal].some((pattern) => take(pattern) !== undefined)) return true;
    if (takeSign('[')) return items(']', () => value(depth + 1));
    if (takeSign('{')) return items('}', () => field(depth + 1));
    return take(word) !== undefined;
  }

  function field(depth: number): boolean {
    if (key() === undefined || !takeSign('=')) return false;
    take(blank);
    return value(depth);
  }

  function items(end: string, item: () => boolean): boolean {
    for (;;) {
      take(filler);
      if (takeSign(end)) return true;
      if (!item()) return false;
      take(filler);
      if (!takeSign(',') && source[at] !== end) return false;
    }
  }

  const entries: TomlEntry[] = [];
  const lists: string[][] = [];
  const isBelowList = (path: readonly string[]) =>
    lists.some((list) => list.every((name, index) => path[index] === name));
  const tables: { path: string[]; after: number }[] = [];
  let rootEnd: number | undefined;
  let table: string[] | undefined = [];
  for (take(filler); at < source.length; take(filler)) {
    const start = at;
    if (takeSign('[')) {
      rootEnd ??= start;
      const isList = takeSign('[');
      const path = key();
      if (path === undefined || !takeSign(isList ? ']]' : ']')) return undefined;
      table = isList || isBelowList(path) ? undefined : path;
      const end = source.indexOf('\n', at);
      if (table) tables.push({ path: table, after: end < 0 ? source.length : end + 1 });
      if (isList) lists.push(path);
      continue;
    }
    const names = key();
    if (names === undefined || !takeSign('=')) return undefined;
    take(blank);
    const valueStart = at;
    if (!value()) return undefined;
    if (table) entries.push({ path: [...table, ...names], start, valueStart, valueEnd: at });
  }
  return { entries, tables, rootEnd: rootEnd ?? source.length };
}

/** Returns the text of a quoted name; undefined if the name isn't a valid JSON string. */
function unescaped(text: string | undefined): string | undefined {
  const value = text === undefined ? undefined : jsonIn(text);
  return typeof value === 'string' ? value : undefined;
}
