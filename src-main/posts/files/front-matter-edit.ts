import { isDeepStrictEqual } from 'node:util';
import {
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { isRecord } from '../../storage/json-value.ts';
import { type FrontMatterFormat, readFields, yamlDocument } from '../../untrusted/front-matter.ts';
import { editToml } from './front-matter-edit-toml.ts';
import {
  column,
  type FieldEdit,
  type FieldValue,
  lineEnd,
  noSplice,
  quoted,
  type Refusal,
  refusedField,
  type Splice,
  spliced,
} from './front-matter.ts';

/**
 * Changes one field of front matter and keeps all other bytes. `eol`: the file's line ending. Refuses a change that
 * would lose other content.
 */
export function editField(
  source: string,
  format: FrontMatterFormat,
  edit: FieldEdit,
  eol: string,
): string | Refusal {
  const before = readFields(source, format);
  if (before === undefined) return { refused: 'The front matter of the post’s file has an error.' };
  const after =
    format === 'toml'
      ? editToml(source, edit, eol)
      : editYaml(source, edit, { eol, isJson: format === 'json' });
  if (typeof after !== 'string') return after;
  const expected = withField(before, edit.path, edit.value);
  return isDeepStrictEqual(readFields(after, format), expected)
    ? after
    : refusedField(edit.path, 'can’t be changed without changing others');
}

/** Returns fields with one field changed. Keeps a table that becomes empty. */
function withField(
  fields: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  value: FieldValue | undefined,
): Record<string, unknown> {
  const entries = new Map(Object.entries(fields));
  if (rest.length > 0) {
    const inner = entries.get(name);
    if (inner !== undefined || value !== undefined)
      entries.set(name, withField(isRecord(inner) ? inner : {}, rest, value));
  } else if (value === undefined) entries.delete(name);
  else entries.set(name, value);
  return Object.fromEntries(entries);
}

interface YamlStyle {
  readonly eol: string;
  readonly isJson: boolean;
}

/** Positions in the source: the start, the end, and the end including trailing spaces and the line ending. */
type Range = readonly [start: number, end: number, whole: number];

/** Changes a field of YAML front matter, or of JSON, which counts as YAML with braces. See `editField`. */
function editYaml(source: string, edit: FieldEdit, style: YamlStyle): string | Refusal {
  const { contents } = yamlDocument(source);
  const splice =
    contents === null
      ? { from: source.length, to: source.length, text: newLine('', edit.path, edit, style) }
      : isMap(contents)
        ? spliceIn(source, contents, edit, style)
        : refusedField(edit.path, 'is not in a list of fields');
  return 'refused' in splice ? splice : spliced(source, splice);
}

function spliceIn(source: string, top: YAMLMap, edit: FieldEdit, style: YamlStyle): Splice | Refusal {
  let map = top;
  for (const [depth, name] of edit.path.entries()) {
    const found = map.items.filter(({ key }) => isScalar(key) && String(key.value) === name);
    const [pair] = found;
    if (found.length > 1) return refusedField(edit.path, 'is defined twice');
    if (pair === undefined) {
      const rest = edit.path.slice(depth);
      return edit.value === undefined
        ? noSplice
        : added(source, { map, isTop: map === top }, rest, edit, style);
    }
    if (depth === edit.path.length - 1)
      return edit.value === undefined
        ? removed(source, map, pair, edit.path)
        : replaced(source, pair, edit.path, edit.value, style);
    if (!isMap(pair.value) || pair.value.anchor !== undefined)
      return refusedField(edit.path.slice(0, depth + 1), 'has a form that Porchlight can’t change');
    map = pair.value;
  }
  return noSplice;
}

function replaced(
  source: string,
  pair: Pair,
  path: readonly string[],
  value: FieldValue,
  { eol, isJson }: YamlStyle,
): Splice | Refusal {
  const node = pair.value as Node | null;
  const colon = pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset;
  const odd = oddity(node);
  if (odd !== undefined) return refusedField(path, odd);
  if (node === null || (isScalar(node) && (node.source ?? '') === '' && node.type === 'PLAIN')) {
    return colon === undefined
      ? refusedField(path, 'has no value')
      : { from: colon + 1, to: colon + 1, text: ` ${flow(value, isJson)}` };
  }
  const [from, to] = rangeOf(node);
  const old = source.slice(from, to);
  const ending = /\r?\n\s*$/.exec(old)?.[0] ?? '';
  if (isSeq(node) && Array.isArray(value)) {
    const longer = appended(source, node, value, { eol, isJson });
    if (longer) return longer;
  }
  if (hasComment(source, node)) return refusedField(path, 'contains comments that would be lost');
  if (isSeq(node) && Array.isArray(value))
    return { from, to, text: list(source, node, value, { eol, isJson }) + ending };
  if (isScalar(node) && typeof value === 'string')
    return { from, to, text: scalarLike(node, value, isJson) + ending };
  return { from, to, text: flow(value, isJson) + ending };
}

/** Adds items to the end of a list that has one item per line, without changing the existing items. */
function appended(
  source: string,
  node: YAMLSeq,
  value: readonly unknown[],
  { eol, isJson }: YamlStyle,
): Splice | undefined {
  const old = node.items.map((item) => (isScalar(item) ? scalarValue(item) : undefined));
  const last = node.items.at(-1);
  if (node.flow === true || !isScalar(last) || last.type?.startsWith('BLOCK')) return undefined;
  if (value.length <= old.length || !isDeepStrictEqual(value.slice(0, old.length), old)) return undefined;
  const at = lineEnd(source, rangeOf(last)[1]);
  const indent = ' '.repeat(column(source, rangeOf(node)[0]));
  const lines = value.slice(old.length).map((item) => `${indent}- ${itemText(item, isJson)}${eol}`);
  return { from: at, to: at, text: lines.join('') };
}

/** Returns a list in the style of the old list. Keeps the text of the items that the old list contains. */
function list(source: string, node: YAMLSeq, value: readonly unknown[], { eol, isJson }: YamlStyle): string {
  const known = node.items.map((item) => {
    const [from, to] = rangeOf(item as Node);
    return {
      value: isScalar(item) ? scalarValue(item) : ((item as Node).toJSON() as unknown),
      text: source.slice(from, to).trimEnd(),
    };
  });
  const texts = value.map(
    (item) => known.find((one) => isDeepStrictEqual(one.value, item))?.text ?? itemText(item, isJson),
  );
  if (node.flow === true) return `[${texts.join(', ')}]`;
  const indent = ' '.repeat(column(source, rangeOf(node)[0]));
  return texts.map((text) => `- ${text}`).join(eol + indent);
}

function added(
  source: string,
  { map, isTop }: { map: YAMLMap; isTop: boolean },
  path: readonly string[],
  edit: FieldEdit,
  style: YamlStyle,
): Splice | Refusal {
  const [first, last] = [map.items[0], map.items.at(-1)];
  if (map.flow === true) {
    const text = `${keyText(path[0] ?? '', style.isJson)}: ${below(path.slice(1), edit, style.isJson)}`;
    const [from] = rangeOf(map);
    if (last === undefined) return { from: from + 1, to: from + 1, text };
    const at = rangeOf((last.value ?? last.key) as Node)[1];
    const before = source.slice(0, rangeOf(last.key as Node)[0]);
    const gap = /\n[ \t]*$/.exec(before)?.[0].slice(1);
    return { from: at, to: at, text: `,${gap === undefined ? ' ' : style.eol + gap}${text}` };
  }
  if (first === undefined) return refusedField(edit.path, 'can’t be added');
  const indent = ' '.repeat(column(source, rangeOf(first.key as Node)[0]));
  const end = isTop ? source.length : lineEnd(source, rangeOf(map)[1]);
  return { from: end, to: end, text: newLine(indent, path, edit, style) };
}

function removed(source: string, map: YAMLMap, pair: Pair, path: readonly string[]): Splice | Refusal {
  const node = pair.value as Node | null;
  const odd = oddity(node);
  if (odd !== undefined) return refusedField(path, odd);
  const [start, keyEnd] = rangeOf(pair.key as Node);
  const end = node === null ? keyEnd : Math.max(rangeOf(node)[1], keyEnd);
  if (map.flow === true) {
    const index = map.items.indexOf(pair);
    const next = map.items[index + 1];
    const before = map.items[index - 1];
    const from = next || !before ? start : rangeOf((before.value ?? before.key) as Node)[1];
    const to = next ? rangeOf(next.key as Node)[0] : end;
    return lexedComment(`[${source.slice(from, to)}`)
      ? refusedField(path, 'contains comments that would be lost')
      : { from, to, text: '' };
  }
  const from = start - column(source, start);
  if (source.slice(from, start).trim() !== '') return refusedField(path, 'doesn’t begin its own line');
  if (node && hasComment(source, node)) return refusedField(path, 'contains comments that would be lost');
  const to = lineEnd(source, end);
  const rest = source.slice(end, to);
  // If a comment follows the value, keeps the comment as a line of its own.
  const comment = rest.indexOf('#');
  return { from, to, text: comment < 0 ? '' : rest.slice(comment) };
}

/** Returns why a value can't be changed; undefined if it can. */
function oddity(node: Node | null): string | undefined {
  let odd: string | undefined;
  if (node === null) return undefined;
  visit(node, (_key, part) => {
    if (isAlias(part)) odd = 'uses an alias';
    else if ((isScalar(part) || isCollection(part)) && part.anchor !== undefined) odd = 'has an anchor';
    else if ((isScalar(part) || isCollection(part)) && part.tag !== undefined) odd = 'has a tag';
    else if (isPair(part)) return undefined;
    return odd === undefined ? undefined : visit.BREAK;
  });
  return odd;
}

/** Returns whether a value contains a comment. A comment after the value doesn't count. */
function hasComment(source: string, node: Node): boolean {
  const [from, to] = rangeOf(node);
  const text = source.slice(from, to);
  if (isScalar(node)) return (node.type?.startsWith('BLOCK') ?? false) && /^[^\n]*#/.test(text);
  // The text needs its original indentation. Without it, the lexer would find different tokens than in the whole file.
  return lexedComment(' '.repeat(column(source, from)) + text);
}

function lexedComment(text: string): boolean {
  let before = '';
  for (const token of new Lexer().lex(text)) {
    // The lexer emits the marker U+001F before the text of a plain or block scalar. Such text can begin with `#`
    // without being a comment.
    if (token.startsWith('#') && before !== '\u001F') return true;
    before = token;
  }
  return false;
}

/** Returns a new value in the YAML style of the old value, if that style can express the new value. */
function scalarLike(node: Scalar, text: string, isJson: boolean): string {
  if (isJson) return quoted(text);
  if (node.type === 'PLAIN' && isPlain(text)) return text;
  if (node.type === 'QUOTE_SINGLE' && /^[\P{C}]*$/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return quoted(text);
}

/** Returns whether every YAML parser reads an unquoted string as the same string or date. */
const isPlain = (text: string) =>
  /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d( ?[+-]\d\d:?\d\d|Z)?)?$/.test(text) ||
  (/^[A-Za-z][A-Za-z0-9]*( [A-Za-z0-9]+)+$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text));

const flow = (value: FieldValue, isJson: boolean): string =>
  typeof value === 'boolean'
    ? String(value)
    : typeof value === 'string'
      ? quoted(value)
      : `[${value.map((item) => itemText(item, isJson)).join(', ')}]`;

function itemText(item: unknown, isJson: boolean): string {
  if (typeof item === 'string') return quoted(item);
  const fields = Object.entries(item as Record<string, string>);
  return `{ ${fields.map(([name, text]) => `${keyText(name, isJson)}: ${quoted(text)}`).join(', ')} }`;
}

const keyText = (name: string, isJson: boolean) =>
  !isJson && /^[A-Za-z][\w-]*$/.test(name) ? name : quoted(name);

/** Returns a new value in YAML's flow style, wrapped in nested maps: one for each name in `path`. */
const below = (path: readonly string[], { value = '' }: FieldEdit, isJson: boolean): string =>
  path.reduceRight((inner, name) => `{ ${keyText(name, isJson)}: ${inner} }`, flow(value, isJson));

const newLine = (indent: string, path: readonly string[], edit: FieldEdit, { eol, isJson }: YamlStyle) =>
  edit.value === undefined
    ? ''
    : `${indent}${keyText(path[0] ?? '', isJson)}: ${below(path.slice(1), edit, isJson)}${eol}`;

/** Returns the value of a scalar; numbers and dates as they are written in the source. */
const scalarValue = ({ value, source }: Scalar): unknown =>
  typeof value === 'number' ? (source ?? String(value)) : value;

function rangeOf(node: Node): Range {
  return node.range ?? [0, 0, 0];
}
