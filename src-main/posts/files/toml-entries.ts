import { jsonIn } from '../../storage/json-value.ts';

/** A field of a TOML document. Positions are offsets in the source. */
export interface TomlEntry {
  /** The names of the tables that contain the field, followed by the field's own name. */
  readonly path: readonly string[];
  readonly start: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The fields of a TOML document, and the positions of its table headers. */
export interface TomlPlaces {
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
export function tomlPlaces(source: string): TomlPlaces | undefined {
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
