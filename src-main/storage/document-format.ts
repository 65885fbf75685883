import type { Static, TObject } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { fittedToSchema, openedSchema } from './document-shape.ts';
import { firstProblem, isValid } from './schema-check.ts';
import { isRecord } from './json-value.ts';

/** A document's data, in any format version. */
export type Stored = Record<string, unknown>;

/** Converts data from one format version to the next. Must be pure, because it may run again. */
export type Migration = (data: Stored) => Stored;

/**
 * A migration that changes nothing, for a format that only adds keys. Missing keys are filled in after the last
 * migration.
 */
export const unchanged: Migration = (data) => data;

/**
 * The result of decoding a file's JSON. `lost`: the keys (such as `webmention.hold`) whose invalid values were replaced
 * with initial values. `broken`: why the file couldn't be used.
 */
export type Decoded<T> = { data: T; lost?: readonly string[] } | { broken: string };

/** Converts data to a file's JSON and back. */
export interface Codec<T> {
  encode(data: T): unknown;
  /**
   * Converts a file's JSON to data.
   * @throws PorchlightError if the file is intact but this version can't read it. Such a file must stay unchanged.
   */
  decode(stored: unknown, file: string): Decoded<T>;
}

export interface FormatOptions<S extends TObject> {
  schema: S;
  /** The format number that this version writes, starting at 1. */
  format: number;
  /**
   * The content of a document that has no file yet. Also supplies the values of missing keys. Formats of journal lines
   * have no initial content.
   */
  initial?: Static<S>;
  /** The keys whose invalid values make a document broken. They are never replaced with initial values. */
  essential?: readonly string[];
  /** The migrations, by format number. Each migration converts from that format to the next. */
  migrations?: Readonly<Record<number, Migration>>;
}

/**
 * Returns the codec of documents: `{ "format": N, ...data }`. It converts older formats, fills in missing keys,
 * replaces invalid values and keeps unknown keys (see `fittedToSchema`). `decode` throws `storage_newer` for a newer
 * format, and `storage_migration` if an older format cannot be converted.
 */
export function documentCodec<S extends TObject>(options: FormatOptions<S>): Codec<Static<S>> {
  const { schema, format, initial, essential = [], migrations = {} } = options;
  if ('format' in schema.properties) throw new TypeError('A document keeps "format" for its format number.');
  const opened = openedSchema(schema);

  return {
    encode: (data) => ({ format, ...data }),
    decode(stored, file) {
      if (!isRecord(stored)) return { broken: 'it holds no object' };
      const { format: found, ...data } = stored;
      if (!isFormat(found)) return { broken: 'it has no format number' };
      if (found > format) throw newer(file, found, format);
      const journey = { file, found, format, migrations };
      const current = found < format ? bringForward(data, journey) : data;
      const fit = fittedToSchema(opened, current, initial);
      const isWhole = fit !== undefined && fit.lost.length === 0;
      // If an older file doesn't match the schema after its migration, the migration may be at fault. Throw an error,
      // so that the file is neither repaired nor replaced.
      if (current !== data && !isWhole) throw notBroughtForward(journey, firstProblem(opened, current));
      const lacks = fit?.lost.some((key) => essential.includes(key)) === true;
      if (fit !== undefined && !lacks && isValid(opened, fit.value))
        return { data: fit.value, lost: fit.lost };
      return { broken: firstProblem(opened, current) };
    },
  };
}

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;

function newer(file: string, found: number, format: number): PorchlightError {
  return new PorchlightError(
    'storage_newer',
    `"${file}" was written by a newer Porchlight (format ${found}; this one reads up to ${format}). ` +
      'Porchlight left it unchanged. Install the newer Porchlight again. Or move the data folder away, start Porchlight, and restore a backup.',
    500,
  );
}

interface Journey {
  file: string;
  found: number;
  format: number;
  migrations: Readonly<Record<number, Migration>>;
}

function bringForward(data: Stored, journey: Journey): Stored {
  const { found, format, migrations } = journey;
  let current = data;
  for (let step = found; step < format; step += 1) {
    const migrate = migrations[step];
    if (migrate === undefined) throw notBroughtForward(journey, `no step from format ${step}`);
    try {
      current = migrate(current);
    } catch (cause) {
      throw notBroughtForward(journey, `the step from format ${step} failed`, cause);
    }
  }
  return current;
}

function notBroughtForward({ file, found, format }: Journey, why: string, cause?: unknown): PorchlightError {
  return new PorchlightError(
    'storage_migration',
    `"${file}" has the older format ${found}, and Porchlight could not convert it to format ${format} (${why}). ` +
      'Porchlight left it unchanged.',
    500,
    { cause },
  );
}
