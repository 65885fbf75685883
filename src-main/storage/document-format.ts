import type { Static, TObject, TSchema } from 'typebox';
import { PorchlightError } from '../contract/error.ts';
import type { DocumentKind } from './document-kinds.ts';
import { isRecord } from './json-value.ts';
import { firstProblem, isValid } from './schema-check.ts';

/** A document's data, in any format version. */
type Stored = Record<string, unknown>;

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
type Decoded<T> = { data: T; lost?: readonly string[] } | { broken: string };

/** Converts data to a file's JSON and back. */
export interface Codec<T> {
  /** Its kind, which limits its size. */
  readonly kind: DocumentKind;
  encode(data: T): unknown;
  /**
   * Converts a file's JSON to data.
   * @throws PorchlightError if the file is intact but this version can't read it. Such a file must stay unchanged.
   */
  decode(stored: unknown, file: string): Decoded<T>;
}

export interface FormatOptions<S extends TObject> {
  schema: S;
  kind: DocumentKind;
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
  const { schema, kind, format, initial, essential = [], migrations = {} } = options;
  if ('format' in schema.properties) throw new TypeError('A document keeps "format" for its format number.');
  const opened = openedSchema(schema);

  return {
    kind,
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

type Json = Record<string, unknown>;

/** The parts of a JSON schema that decide how a value is adapted to the schema. */
interface Shape {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly default?: unknown;
}

const openSchemas = new WeakMap<TSchema, TSchema>();

/**
 * Returns a copy of `schema` that allows unknown keys at any depth. Documents are checked against this copy, so keys
 * from other versions survive when this version saves.
 */
export function openedSchema<S extends TSchema>(schema: S): S {
  const known = openSchemas.get(schema);
  if (known !== undefined) return known as S;
  const opened = withoutRefusals(schema) as S;
  openSchemas.set(schema, opened);
  return opened;
}

function withoutRefusals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutRefusals);
  if (!isRecord(value)) return value;
  const parts = Object.entries(value).filter(
    ([key, part]) => key !== 'additionalProperties' || part !== false,
  );
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutRefusals(part)]));
}

/**
 * A value that was adapted to its schema. `lost`: the keys (such as `webmention.hold`) whose invalid values were
 * replaced.
 */
interface Fitted {
  readonly value: unknown;
  readonly lost: readonly string[];
}

/**
 * Adapts a value to a schema. Missing keys get their value from `initial`, or from the schema's `default`. Invalid
 * values are replaced in the same way, and invalid list items are left out. Everything else stays. Returns undefined
 * if a required part is unusable and has no initial value. `path`: the keys that lead to the value.
 */
function fittedToSchema(
  schema: TSchema,
  value: unknown,
  initial: unknown,
  path: readonly string[] = [],
): Fitted | undefined {
  const isFitting: boolean = isValid(schema, value);
  if (isFitting) return { value, lost: [] };
  const shape: Shape = schema;
  const parts = isRecord(value) ? objectIn(shape) : undefined;
  // Never replace an unusable object with null or an empty object. Return undefined instead. The document's previous
  // version can then be used, and it preserves more of the data.
  if (isRecord(value) && parts !== undefined) return fitObject(parts, value, initial, path);
  if (Array.isArray(value) && shape.items !== undefined) {
    const list = fitItems(shape.items, value, path);
    if (isValid(schema, list.value)) return list;
  }
  const replacement = initial === undefined ? shape.default : initial;
  if (!isValid(schema, replacement)) return undefined;
  return { value: structuredClone(replacement), lost: value === undefined ? [] : [path.join('.')] };
}

/** Returns `shape` if it describes an object, otherwise the first schema in its `anyOf` that describes an object. */
function objectIn(shape: Shape): Shape | undefined {
  if (shape.properties !== undefined) return shape;
  return shape.anyOf?.find((option: Shape) => option.properties !== undefined);
}

function fitObject(
  { properties = {}, required = [] }: Shape,
  value: Json,
  initial: unknown,
  path: readonly string[],
): Fitted | undefined {
  const result = { ...value };
  const lost: string[] = [];
  for (const [key, schema] of Object.entries(properties)) {
    const isMissing = !Object.hasOwn(value, key);
    if (isMissing && !required.includes(key)) continue;
    const part = fittedToSchema(
      schema,
      isMissing ? undefined : value[key],
      isRecord(initial) ? initial[key] : undefined,
      [...path, key],
    );
    if (part !== undefined) {
      result[key] = part.value;
      lost.push(...part.lost);
    } else if (required.includes(key)) return undefined;
    else {
      Reflect.deleteProperty(result, key);
      lost.push([...path, key].join('.'));
    }
  }
  return { value: result, lost };
}

function fitItems(schema: TSchema, items: readonly unknown[], path: readonly string[]): Fitted {
  const kept: unknown[] = [];
  const lost: string[] = [];
  for (const [at, item] of items.entries()) {
    const place = [...path, String(at + 1)];
    const part = fittedToSchema(schema, item, undefined, place);
    if (part !== undefined) kept.push(part.value);
    lost.push(...(part?.lost ?? [place.join('.')]));
  }
  return { value: kept, lost };
}

const knownParts = new WeakMap<object, unknown>();

/**
 * Returns the data of a document with only the keys that `schema` names, at every level of nesting. The data must not
 * change afterwards, because the result is cached.
 */
export function knownPart<T extends object>(schema: TSchema, data: T): T {
  const known = knownParts.get(data) ?? onlyKnown(schema, data);
  knownParts.set(data, known);
  return known as T;
}

function onlyKnown(schema: TSchema, value: unknown): unknown {
  const shape: Shape = schema;
  const { items } = shape;
  if (Array.isArray(value)) return items ? (value as unknown[]).map((item) => onlyKnown(items, item)) : value;
  const { properties } = objectIn(shape) ?? {};
  if (!isRecord(value) || properties === undefined) return value;
  const known = Object.entries(properties).filter(([key]) => Object.hasOwn(value, key));
  return Object.fromEntries(known.map(([key, part]) => [key, onlyKnown(part, value[key])]));
}
