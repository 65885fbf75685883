import { stringify as stringifyToml, TomlDate } from 'smol-toml';
import { Scalar, stringify } from 'yaml';
import { clean } from './clean.ts';

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
    ...{ lineWidth: 0, aliasDuplicateObjects: false },
    // Every generator reads a quoted value as text. Some generators would convert an unquoted "yes" or "12:30".
    ...{ defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', doubleQuotedAsJSON: true },
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
