import { stringify as stringifyToml, TomlDate } from 'smol-toml';
import { Scalar, stringify } from 'yaml';

/** A date and time in ISO 8601 that is written without quotes, so that the generator reads it as a date. */
export class BareDate {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The fields of a file, in order. Fields with the value undefined are left out. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns YAML front matter. All strings are quoted, so that generators read them as text and no string can end the
 * front matter.
 */
export function yamlFrontMatter(fields: Fields): string {
  const ready = converted(fields, ({ text }) => Object.assign(new Scalar(text), { type: Scalar.PLAIN }));
  const text = stringify(ready, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    // Every generator reads a quoted value as text. Some generators would convert an unquoted "yes" or "12:30".
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    doubleQuotedAsJSON: true,
  });
  return `---\n${text}---\n`;
}

/** Returns TOML front matter, as Zola reads it. */
export function tomlFrontMatter(fields: Fields): string {
  return `+++\n${stringifyToml(converted(fields, ({ text }) => new TomlDate(text)))}\n+++\n`;
}

function converted(value: unknown, dateOf: (date: BareDate) => unknown): unknown {
  if (typeof value === 'string') return clean(value);
  if (value instanceof BareDate) return dateOf(value);
  if (Array.isArray(value)) return value.map((item) => converted(item, dateOf));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([name, item]) => [name, converted(item, dateOf)]));
}

/** A value that can be written to a front matter field. */
export type FieldValue = string | boolean | readonly (string | Readonly<Record<string, string>>)[];

/** A change to one field of front matter. */
export interface FieldEdit {
  /** The names of the tables that contain the field, followed by the field's own name. */
  readonly path: readonly string[];
  /** The new value; undefined removes the field. */
  readonly value: FieldValue | undefined;
}

/** The reason why a file isn't changed, as a message for the person who wants to change it. */
export interface Refusal {
  readonly refused: string;
}

/** A replacement for a part of a text. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export const noSplice: Splice = { from: 0, to: 0, text: '' };

export const spliced = (source: string, { from, to, text }: Splice) =>
  source.slice(0, from) + text + source.slice(to);

/** Returns a refusal. `why`: the rest of the sentence that begins with the name of the field. */
export const refusedField = (path: readonly string[], why: string): Refusal => ({
  refused: `The field “${path.join('.')}” in the post’s file ${why}. Edit the file itself.`,
});

/** Returns a string in double quotes, in a form that YAML, TOML and JSON read in the same way. */
export function quoted(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns the position at which the line after `at` starts; `at` itself if a line starts there. */
export function lineEnd(source: string, at: number): number {
  if (at > 0 && source[at - 1] === '\n') return at;
  const end = source.indexOf('\n', at);
  return end < 0 ? source.length : end + 1;
}

/** Returns the number of characters before a position on its line. */
export const column = (source: string, at: number) => at - (source.lastIndexOf('\n', at - 1) + 1);

/**
 * Removes control characters and replaces unpaired surrogates with U+FFFD, because YAML and TOML do not allow them.
 * Converts all line breaks to `\n`.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/(?![\t\n])[\p{Cc}\uFFFE\uFFFF]/gu, '');
}

/** Escapes everything that a generator would treat as a template or a shortcode. Browsers still show the same text. */
export function literal(markup: string): string {
  return markup.replaceAll('{', '&#123;').replaceAll('}', '&#125;');
}
