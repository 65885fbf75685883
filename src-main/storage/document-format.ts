import type { Static, TObject } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import { firstProblem, isValid } from './schema-check.ts';

/** A document's data in whatever format it has. */
export type Stored = Record<string, unknown>;

/** Brings data from the format it is filed under to the next one. Pure: it may run again. */
export type Migration = (data: Stored) => Stored;

/** What was made of a file's JSON. */
export type Decoded<T> = { data: T } | { broken: string };

/** How data becomes a file's JSON and returns from it. */
export interface Codec<T> {
  encode(data: T): unknown;
  /** Throws a PorchlightError where the file is good but not for this version: it must then stay as it is. */
  decode(stored: unknown, file: string): Decoded<T>;
}

export interface FormatOptions<S extends TObject> {
  schema: S;
  /** The format number that this version writes, from 1. */
  format: number;
  /** Format number -> the step from it to the next. */
  migrations?: Readonly<Record<number, Migration>>;
}

/**
 * The codec of documents: `{ "format": N, ...data }`, checked against a schema, brought forward from older formats.
 * `decode` throws `storage_newer` on a format from the future and `storage_migration` where an older one cannot
 * be brought forward.
 */
export function documentCodec<S extends TObject>(options: FormatOptions<S>): Codec<Static<S>> {
  const { schema, format, migrations = {} } = options;
  if ('format' in schema.properties) throw new TypeError('A document keeps "format" for its format number.');

  return {
    encode: (data) => ({ format, ...data }),
    decode(stored, file) {
      if (!isObject(stored)) return { broken: 'it holds no object' };
      const { format: found, ...data } = stored;
      if (!isFormat(found)) return { broken: 'it has no format number' };
      if (found > format) throw newer(file, found, format);
      if (found < format) return { data: bringForward(schema, data, { file, found, format, migrations }) };
      return isValid(schema, data) ? { data } : { broken: firstProblem(schema, data) };
    },
  };
}

const isObject = (value: unknown): value is Stored =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isFormat = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 1;

function newer(file: string, found: number, format: number): PorchlightError {
  return new PorchlightError(
    'storage_newer',
    `"${file}" was written by a newer Porchlight (format ${found}; this one reads up to ${format}). ` +
      'Porchlight left it unchanged. Install the newer Porchlight again, or restore an older backup.',
    500,
  );
}

interface Journey {
  file: string;
  found: number;
  format: number;
  migrations: Readonly<Record<number, Migration>>;
}

/** A failure here may be the migration's fault, so the file is never judged broken for it. */
function bringForward<S extends TObject>(schema: S, data: Stored, journey: Journey): Static<S> {
  const { file, found, format, migrations } = journey;
  const failed = (reason: string, cause?: unknown) =>
    new PorchlightError(
      'storage_migration',
      `"${file}" has the older format ${found} and could not be brought to format ${format} (${reason}). It was left as it is.`,
      500,
      { cause },
    );

  let current = data;
  for (let step = found; step < format; step += 1) {
    const migrate = migrations[step];
    if (migrate === undefined) throw failed(`no step from format ${step}`);
    try {
      current = migrate(current);
    } catch (cause) {
      throw failed(`the step from format ${step} failed`, cause);
    }
  }
  if (!isValid(schema, current)) throw failed(firstProblem(schema, current));
  return current;
}
