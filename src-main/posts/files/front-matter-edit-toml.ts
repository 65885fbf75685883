import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { own } from '../../storage/json-value.ts';
import { lineEnd, noSplice, quoted, refusedField, spliced } from './front-matter-field.ts';
import type { FieldEdit, FieldValue, Refusal } from './front-matter-field.ts';
import { tomlPlaces, type TomlEntry, type TomlPlaces } from './toml-entries.ts';

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
